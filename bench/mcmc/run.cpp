// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "threads.hpp"

namespace mcmc {
namespace {

constexpr int leaders_tag = 1; ///< of messages between leaders
constexpr int members_tag = 2; ///< of commands of a leader to its group
constexpr int create_tag = 3;

/// A message from a leader to its group.
struct Command {
  enum class What : std::int32_t {
    merge,   ///< the two become one
    compute, ///< an item
    end
  } what;
  Group left{}, right{};
};

class Rank {
public:
  Rank(const Workload& workload, const Balancing& balancing, Threads& threads)
      : workload_(workload), balancing_(balancing), threads_(threads) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    number_ = rank_ / workload.group;
    if (workload.threads > 0) set_group({number_, number_, 0}, false);
    MPI_Barrier(MPI_COMM_WORLD);
    begun_ = MPI_Wtime();
  }

  Result run() {
    if (balancing_.kind == Balancing::Kind::collective)
      be_balanced_collectively();
    else if (rank_ % workload_.group == 0)
      lead();
    else
      follow();
    if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
    settle();
    return {workload_, balancing_, outcome_};
  }

private:
  double now() const { return MPI_Wtime() - begun_; }

  void sleep_until(double time) const {
    std::this_thread::sleep_for(std::chrono::duration<double>(time - now()));
  }

  std::optional<Message> poll() const {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, leaders_tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    return found != 0 ? std::optional(receive()) : std::nullopt;
  }

  Message receive() const {
    Message message{};
    MPI_Recv(&message, sizeof message, MPI_BYTE, MPI_ANY_SOURCE, leaders_tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }

  /// Leads the group until it is merged into another, and then follows.
  void lead() {
    const auto send = [this](std::int32_t to, const Message& message) {
      MPI_Send(&message, sizeof message, MPI_BYTE, to * workload_.group, leaders_tag, MPI_COMM_WORLD);
    };
    Leader leader(number_, workload_.groups(), workload_.items(number_), send);
    while (!leader.is_finished()) {
      if (balancing_.kind != Balancing::Kind::none) look(leader);
      if (leader.merge()) {
        const Merge merge = *leader.merge();
        tell({Command::What::merge, merge.left, merge.right}, leader.group());
        regroup(merge.merged());
        if (merge.right.first == number_) return follow();
        leader.complete();
      } else if (!leader.is_idle()) {
        work(leader);
      } else if (balancing_.kind == Balancing::Kind::none) {
        break;
      }
    }
    tell({Command::What::end}, leader.group());
  }

  /// Handles messages that have arrived. Waits for more if there is nothing else to do.
  void look(Leader& leader) const {
    while (!leader.merge()) {
      const auto message = poll();
      if (!message) break;
      leader.receive(*message);
    }
    if (leader.is_idle()) leader.be_idle();
    if (leader.is_idle() && !leader.merge() && !leader.is_finished()) leader.receive(receive());
  }

  void work(Leader& leader) {
    if (workload_.threads == 0) return sleep_on(leader);
    tell({Command::What::compute}, leader.group());
    compute();
    leader.set_items(leader.group().items - 1);
  }

  /// Computes this rank's part of an item. All ranks of the group need the result.
  void compute() {
    int ranks = 0;
    MPI_Comm_size(group_, &ranks);
    threads_.compute(workload_.milliseconds / 1000 / ranks, group_);
    outcome_.seconds = now();
  }

  /// Sleeps for the time of an item: to its end, or in prompt mode until a request arrives.
  void sleep_on(Leader& leader) {
    const double seconds = workload_.item_seconds(leader.group());
    const double items = std::min(1.0, leader.group().items);
    const double since = std::max(worked_until_, now() - seconds);
    worked_until_ = since + items * seconds;
    if (balancing_.kind == Balancing::Kind::prompt) {
      constexpr double nap = 0.001;
      while (now() + nap < worked_until_) {
        int asked = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, leaders_tag, MPI_COMM_WORLD, &asked, MPI_STATUS_IGNORE);
        if (asked != 0) {
          leader.set_items(leader.group().items - std::max(0.0, now() - since) / seconds);
          worked_until_ = now();
          outcome_.seconds = now();
          return;
        }
        sleep_until(now() + nap);
      }
    }
    sleep_until(worked_until_);
    leader.set_items(leader.group().items - items);
    outcome_.seconds = now();
  }

  /// Sends a command to the other members of the group.
  void tell(const Command& command, const Group& group) const {
    const int end = (group.last + 1) * workload_.group;
    for (int member = rank_ + 1; member < end; ++member)
      MPI_Send(&command, sizeof command, MPI_BYTE, member, members_tag, MPI_COMM_WORLD);
  }

  /// Does what leaders say.
  void follow() {
    for (;;) {
      Command command{Command::What::end};
      MPI_Recv(&command, sizeof command, MPI_BYTE, MPI_ANY_SOURCE, members_tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      switch (command.what) {
      case Command::What::merge:
        regroup(Merge{command.left, command.right}.merged());
        break;
      case Command::What::compute:
        compute();
        break;
      case Command::What::end:
        return;
      }
    }
  }

  /// Makes the communicator of the ranks of this group: collectively over all ranks, or by those ranks alone.
  void set_group(const Group& group, bool collectively) {
    int range[1][3] = {{group.first * workload_.group, (group.last + 1) * workload_.group - 1, 1}};
    MPI_Group all = MPI_GROUP_NULL, ranks = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &ranks);
    if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
    if (collectively)
      MPI_Comm_create(MPI_COMM_WORLD, ranks, &group_);
    else
      MPIX_Group_comm_create(MPI_COMM_WORLD, ranks, create_tag, &group_);
    for (MPI_Group* const made : {&ranks, &all}) MPI_Group_free(made);
  }

  void regroup(const Group& group) {
    set_group(group, false);
    note_regrouping();
  }

  void note_regrouping() {
    worked_until_ = now();
    ++regroupings_;
  }

  /// All ranks know all groups, and compute the same merges.
  void be_balanced_collectively() {
    std::vector<Group> groups = workload_.first_groups();
    while (groups.size() > 1) {
      for (Group& group : groups) work_on(group, balancing_.interval);
      MPI_Barrier(MPI_COMM_WORLD); // they could exchange their remaining work here; all know it already
      const auto regrouped = mcmc::regroup(groups);
      if (regrouped.size() != groups.size()) regroup_collectively(groups, regrouped);
      groups = regrouped;
    }
    work_on(groups.front(), 1 << 30);
  }

  void work_on(Group& group, int most) {
    const double items = std::min<double>(most, group.items);
    group.items -= items;
    if (items <= 0 || number_ < group.first || number_ > group.last) return;
    if (workload_.threads > 0) {
      for (int item = 0; item < items; ++item) compute();
      return;
    }
    sleep_until(now() + items * workload_.item_seconds(group));
    outcome_.seconds = now();
  }

  void regroup_collectively(const std::vector<Group>& groups, const std::vector<Group>& regrouped) {
    const auto mine = [&](const std::vector<Group>& all) {
      return *std::ranges::find_if(
          all, [&](const Group& group) { return group.first <= number_ && number_ <= group.last; });
    };
    const Group group = mine(regrouped);
    const bool is_new = group.size() != mine(groups).size();
    set_group(group, true);
    if (is_new) note_regrouping();
  }

  /// Lets all ranks reach the same state.
  void settle() {
    MPI_Barrier(MPI_COMM_WORLD);
    while (poll()) { // a rank may still withdraw a request that was accepted
    }
    MPI_Allreduce(MPI_IN_PLACE, &outcome_.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    outcome_.regroupings.assign(static_cast<std::size_t>(workload_.groups()), 0);
    if (rank_ % workload_.group == 0) outcome_.regroupings[static_cast<std::size_t>(number_)] = regroupings_;
    MPI_Allreduce(MPI_IN_PLACE, outcome_.regroupings.data(), workload_.groups(), MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
  }

  const Workload workload_;
  const Balancing balancing_;
  Threads& threads_;
  int rank_ = 0, number_ = 0;
  double begun_ = 0, worked_until_ = 0;
  MPI_Comm group_ = MPI_COMM_NULL; ///< of the present group, after regrouping
  int regroupings_ = 0;
  Outcome outcome_;
};

} // namespace

Result run(const Workload& workload, const Balancing& balancing, Threads& threads) {
  return Rank(workload, balancing, threads).run();
}

} // namespace mcmc

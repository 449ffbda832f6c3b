// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "model/simulation.hpp"
#include "workload.hpp"

#include <deque>

namespace {

using namespace mcmc;
using Kind = Balancing::Kind;

/// Returns the time of a collective step between two halves of the processes, in both directions.
double step_seconds(const model::Costs& costs) {
  return 2 * (costs.latency + costs.send_overhead + costs.receive_overhead);
}

double rounds(double processes) {
  return std::ceil(std::log2(processes));
}

struct Event {
  enum class Kind { begin, message, item, regrouped } kind;
  Message message{};
  int number = 0; ///< of the alarm at an item's end: alarms of split items do not count
};

class Asynchronous {
public:
  Asynchronous(const Workload& workload, bool prompt, const model::Costs& costs)
      : workload_(workload), prompt_(prompt), costs_(costs),
        simulation_(costs, static_cast<std::size_t>(workload.groups())) {
    outcome_.regroupings.assign(static_cast<std::size_t>(workload.groups()), 0);
    for (int number = 0; number < workload.groups(); ++number) {
      const auto send = [this, number](std::int32_t to, const Message& message) {
        simulation_.send(number, to, sizeof message, {Event::Kind::message, message, 0});
      };
      processes_.push_back({Leader(number, workload.groups(), workload.items(number), send)});
    }
  }

  Outcome run() {
    for (int number = 0; number < workload_.groups(); ++number)
      simulation_.alarm(number, 0, {Event::Kind::begin, {}, 0});
    simulation_.run([this](int number, const Event& event) { handle(number, event); });
    if (!processes_.front().leader.is_finished())
      throw std::logic_error("groups are left that have not merged");
    return outcome_;
  }

private:
  struct Process {
    Leader leader;
    std::deque<Message> inbox{};
    int item = 0;     ///< number of the current or next item
    double since = 0; ///< when that was begun
  };

  Process& at(int number) { return processes_[static_cast<std::size_t>(number)]; }

  void handle(int number, const Event& event) {
    Process& process = at(number);
    switch (event.kind) {
    case Event::Kind::begin:
      return go_on(number);
    case Event::Kind::message:
      process.inbox.push_back(event.message);
      if (process.leader.merge() || (!process.leader.is_idle() && !prompt_)) return; // until that is over
      if (!process.leader.is_idle()) stop_item(number);
      return go_on(number);
    case Event::Kind::item:
      if (event.number != process.item) return;
      ++process.item;
      process.leader.set_items(std::max(0.0, process.leader.group().items - 1));
      outcome_.seconds = std::max(outcome_.seconds, simulation_.now(number));
      return go_on(number);
    case Event::Kind::regrouped:
      process.leader.complete();
      return go_on(number);
    }
  }

  /// Stops the current item. Its rest becomes an item of its own.
  void stop_item(int number) {
    Process& process = at(number);
    const Group& group = process.leader.group();
    ++process.item;
    process.leader.set_items(std::max(1e-9, group.items - (simulation_.now(number) - process.since) /
                                                              workload_.item_seconds(group)));
  }

  void go_on(int number) {
    Process& process = at(number);
    Leader& leader = process.leader;
    while (!leader.merge() && !process.inbox.empty()) {
      const Message message = process.inbox.front();
      process.inbox.pop_front();
      leader.receive(message);
    }
    if (!leader.merge() && leader.is_idle()) leader.be_idle();
    if (leader.merge()) return merge(number);
    if (leader.is_idle()) return;
    process.since = simulation_.now(number);
    const double part = std::min(1.0, leader.group().items);
    simulation_.alarm(number, part * workload_.item_seconds(leader.group()),
                      {Event::Kind::item, {}, process.item});
  }

  /// Merges two groups. The left leader learns of it last, and continues when the communicator is ready.
  void merge(int number) {
    const Merge& merge = *at(number).leader.merge();
    if (merge.left.first != number) return;
    for (int i = merge.left.first; i <= merge.right.last; ++i)
      ++outcome_.regroupings[static_cast<std::size_t>(i)];
    const double log = rounds(merge.merged().size() * workload_.group);
    simulation_.alarm(number, log * log * step_seconds(costs_), {Event::Kind::regrouped, {}, 0});
  }

  Workload workload_;
  bool prompt_;
  model::Costs costs_;
  model::Simulation<Event> simulation_;
  std::vector<Process> processes_;
  Outcome outcome_;
};

/// All groups take each step together, so only the time of the slowest is simulated.
Outcome run_collectively(const Workload& workload, int interval, const model::Costs& costs) {
  Outcome outcome;
  std::vector<Group> groups = workload.first_groups();
  outcome.regroupings.assign(groups.size(), 0);
  const double exchange = rounds(workload.processes) * step_seconds(costs);
  double now = 0;
  while (groups.size() > 1) {
    double slowest = 0;
    for (Group& group : groups) {
      const double done = std::min<double>(interval, group.items);
      group.items -= done;
      slowest = std::max(slowest, done * workload.item_seconds(group));
    }
    if (slowest > 0) outcome.seconds = now + slowest;
    now += slowest + exchange;
    const std::vector<Group> regrouped = regroup(groups);
    if (regrouped.size() == groups.size()) continue;
    for (const Group& group : regrouped) {
      const bool is_old = std::ranges::any_of(
          groups, [&](const Group& old) { return old.first == group.first && old.last == group.last; });
      for (int i = group.first; i <= group.last && !is_old; ++i)
        ++outcome.regroupings[static_cast<std::size_t>(i)];
    }
    groups = regrouped;
    now += exchange; // MPI_Comm_create
  }
  if (groups.front().items > 0)
    outcome.seconds = now + groups.front().items * workload.item_seconds(groups.front());
  return outcome;
}

Outcome run_alone(const Workload& workload) {
  Outcome outcome;
  for (const Group& group : workload.first_groups())
    outcome.seconds = std::max(outcome.seconds, group.items * workload.item_seconds(group));
  outcome.regroupings.assign(static_cast<std::size_t>(workload.groups()), 0);
  return outcome;
}

/// Simulates the benchmark for many processes, with the same leaders as with MPI. Only leaders exchange
/// messages. Creating a communicator takes the time of its collective steps: log2 of the members for
/// MPI_Comm_create, the square of it for the paper's Algorithm 1.
Outcome simulate(const Workload& workload, const Balancing& balancing, const model::Costs& costs) {
  switch (balancing.kind) {
  case Kind::none:
    return run_alone(workload);
  case Kind::collective:
    return run_collectively(workload, balancing.interval, costs);
  default:
    return Asynchronous(workload, balancing.kind == Kind::prompt, costs).run();
  }
}

void run(int most_processes, bench::Lines& lines) {
  for (int processes = 32; processes <= most_processes; processes *= 2) {
    std::vector<Balancing> all{{Kind::none}, {Kind::asynchronous}, {Kind::prompt}};
    for (int interval = 1; interval <= 128; interval *= 2) all.push_back({Kind::collective, interval});
    for (const Balancing& balancing : all) {
      const Workload workload{.processes = processes};
      lines.add(json_of({workload, balancing, simulate(workload, balancing, model::blue_gene)}));
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  int processes = 8192;
  bench::Program program("mcmc_model",
                         "The same as mcmc on a simulated Blue Gene/P, as in Table 1 of Dinan et al.");
  program.add_range("--processes", processes, "Most processes", 32, 1 << 20);
  return program.run(argc, argv, [&](bench::Lines& lines) { run(processes, lines); });
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "creation.hpp"

#include "enrol.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

namespace model {
namespace {

constexpr std::size_t mask_bytes = 256;   ///< mask of MPICH's free context ids
constexpr std::size_t number_bytes = 4;   ///< size of an int, which is most of the traffic
constexpr std::size_t address_bytes = 8;  ///< address of a process, sent to a group that does not know it
constexpr std::size_t long_bytes = 12288; ///< at this size MPICH starts to broadcast in parts

/// A range of consecutive processes.
struct Range {
  int first, size;

  Range part(int begin, int length) const { return {first + begin, length}; }
};

/// What each process does, step by step: it sends, or waits for a message of another process. The functions
/// add the steps of the processes concerned.
class Schedule {
public:
  explicit Schedule(int processes) : programs_(static_cast<std::size_t>(processes)) {}

  void message(int from, int to, std::size_t bytes) {
    at(from).push_back({to, bytes, true});
    at(to).push_back({from, 0, false});
    ++messages_;
  }

  /// Both processes send before they wait.
  void exchange(int one, int other, std::size_t bytes) {
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)})
      at(from).push_back({to, bytes, true});
    for (const auto& [to, from] : {std::pair(one, other), std::pair(other, one)})
      at(to).push_back({from, 0, false});
    messages_ += 2;
  }

  /// By recursive doubling.
  void allreduce(Range among, std::size_t bytes) { double_up(among, bytes, false); }
  void allgather(Range among, std::size_t bytes_of_each) { double_up(among, bytes_of_each, true); }

  /// Broadcasts from the first process: along a binomial tree or, if the message is long, as scatter and
  /// allgather.
  void bcast(Range among, std::size_t bytes) {
    const bool in_parts = bytes >= long_bytes && among.size >= 8;
    for (int distance = among.size / 2; distance > 0; distance /= 2)
      for (int from = 0; from < among.size; from += 2 * distance) {
        const std::size_t part = bytes * static_cast<std::size_t>(distance);
        message(among.first + from, among.first + from + distance,
                in_parts ? part / static_cast<std::size_t>(among.size) : bytes);
      }
    if (in_parts) allgather(among, bytes / static_cast<std::size_t>(among.size));
  }

  /// Like creation::meet() of the library: each process sends to the one at distances 1, 2, 4, ….
  void meet(Range among) {
    for (int distance = 1; distance < among.size; distance *= 2) {
      for (int i = 0; i < among.size; ++i)
        at(among.first + i).push_back({among.first + (i + distance) % among.size, number_bytes, true});
      for (int i = 0; i < among.size; ++i)
        at(among.first + i).push_back({among.first + (i - distance + among.size) % among.size, 0, false});
      messages_ += static_cast<std::size_t>(among.size);
    }
  }

  std::size_t messages() const { return messages_; }

  /// Returns when the last process is done.
  double run(const Costs& costs) const {
    Simulation<int> simulation(costs, programs_.size());
    std::vector<Progress> all(programs_.size());
    const auto go_on = [&](int process) {
      auto& [next, come] = all[static_cast<std::size_t>(process)];
      for (const auto& program = programs_[static_cast<std::size_t>(process)]; next < program.size();
           ++next) {
        const auto& [other, bytes, sends] = program[next];
        if (sends) {
          simulation.send(process, other, bytes, process);
          continue;
        }
        const auto found = std::ranges::find(come, other);
        if (found == come.end()) return;
        come.erase(found);
      }
    };
    for (int process = 0; process < static_cast<int>(programs_.size()); ++process)
      simulation.alarm(process, 0, nobody);
    simulation.run([&](int process, int from) {
      if (from != nobody) all[static_cast<std::size_t>(process)].come.push_back(from);
      go_on(process);
    });
    double end = 0;
    for (std::size_t process = 0; process < programs_.size(); ++process) {
      if (all[process].next < programs_[process].size()) throw std::logic_error("a process waits for ever");
      end = std::max(end, simulation.now(static_cast<int>(process)));
    }
    return end;
  }

private:
  static constexpr int nobody = -1;

  struct Step {
    int other;
    std::size_t bytes;
    bool sends;
  };
  struct Progress {
    std::size_t next = 0;
    std::vector<int> come = {}; ///< senders of messages that the process has not waited for yet
  };

  std::vector<Step>& at(int process) { return programs_[static_cast<std::size_t>(process)]; }

  void double_up(Range among, std::size_t bytes, bool grows) {
    for (int distance = 1; distance < among.size; distance *= 2, bytes *= grows ? 2 : 1)
      for (int i = 0; i < among.size; ++i)
        if ((i & distance) == 0) exchange(among.first + i, among.first + i + distance, bytes);
  }

  std::vector<std::vector<Step>> programs_;
  std::size_t messages_ = 0;
};

void context_id(Schedule& schedule, Range among) {
  schedule.allreduce(among, mask_bytes);
}

/// MPI_Intercomm_create of two halves, followed by MPI_Intercomm_merge.
void join_halves(Schedule& schedule, Range both) {
  const Range halves[]{both.part(0, both.size / 2), both.part(both.size / 2, both.size / 2)};
  const auto lead = [&](std::size_t bytes) { schedule.exchange(halves[0].first, halves[1].first, bytes); };
  const std::size_t addresses = address_bytes * static_cast<std::size_t>(both.size / 2);
  lead(number_bytes); // sizes
  lead(addresses);
  for (const Range half : halves) context_id(schedule, half);
  lead(number_bytes); // context ids
  for (const Range half : halves) {
    schedule.bcast(half, 3 * number_bytes);
    schedule.bcast(half, addresses);
  }
  lead(number_bytes); // for deciding which half is the upper one
  for (const Range half : halves) schedule.bcast(half, number_bytes);
  context_id(schedule, both);
}

/// The paper's Algorithm 1. Calls `prepare` before each step that joins two halves.
template <class Prepare>
void merge_all(Schedule& schedule, Range group, const Prepare& prepare) {
  for (int size = 2; size <= group.size; size *= 2)
    for (int begin = 0; begin < group.size; begin += size) {
      prepare(group.part(begin, size));
      join_halves(schedule, group.part(begin, size));
    }
}

/// Like creation::create_recursively() of the library: members meet, and then merge one after the other.
void merge_all_in_turn(Schedule& schedule, Range group) {
  schedule.meet(group);
  for (int i = 1; i < group.size; ++i) schedule.message(group.first + i - 1, group.first + i, number_bytes);
  merge_all(schedule, group, [&](Range both) {
    schedule.exchange(both.first, both.first + both.size / 2, mask_bytes); // the leaders' communicator
    schedule.meet(both);
  });
}

void put(Schedule& schedule, const std::string& way, Range parent, Range group) {
  if (way == "MPI_Comm_create") {
    context_id(schedule, parent);
  } else if (way == "MPI_Comm_split") {
    schedule.allgather(parent, 2 * number_bytes); // colours and keys
    context_id(schedule, parent);
  } else if (way == "direct") {
    context_id(schedule, group);
  } else if (way == "multiway") {
    schedule.meet(group);
    context_id(schedule, group);
  } else if (way == "textbook") {
    merge_all(schedule, group, [](Range) {});
  } else {
    assert(way == "recursive");
    merge_all_in_turn(schedule, group);
  }
}

constexpr Costs one_a_message{.latency = 1};

Created enrolled(int parent, int size, const Costs& costs) {
  using helper::groups::tree::Scheme;
  const Scheme scheme{Scheme::SchemeAlgorithm::balance, Scheme::Filler::leaf, 4}; // the library's default
  std::vector<bool> participates(static_cast<std::size_t>(parent));
  std::fill_n(participates.begin(), size, true);
  const Enrolled result = enrol(costs, participates, scheme);
  return {result.seconds, result.messages,
          static_cast<std::size_t>(std::lround(enrol(one_a_message, participates, scheme).seconds))};
}

} // namespace

const std::vector<CreationWay>& creation_ways() {
  static const std::vector<CreationWay> all{
      {"MPI_Comm_create", true}, {"MPI_Comm_split", true}, {"enrolment", true}, {"direct", false},
      {"multiway", false},       {"textbook", false},      {"recursive", false}};
  return all;
}

Created create(const CreationWay& way, int parent, int size, const Costs& costs) {
  if (way.name == "enrolment") return enrolled(parent, size, costs);
  Schedule schedule(parent);
  put(schedule, way.name, {0, parent}, {0, size});
  return {schedule.run(costs), schedule.messages(),
          static_cast<std::size_t>(std::lround(schedule.run(one_a_message)))};
}

} // namespace model

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "creation.hpp"

#include "enrol.hpp"
#include "model/scheduled.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

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

/// What each process does, step by step. The functions add the steps of the processes concerned.
class Schedule {
public:
  explicit Schedule(int processes) : programs_(static_cast<std::size_t>(processes)) {}

  void message(int from, int to, std::size_t bytes) {
    send(from, to, bytes);
    receive(to, from);
  }

  /// Both processes send before they wait.
  void exchange(int one, int other, std::size_t bytes) {
    send(one, other, bytes);
    send(other, one, bytes);
    receive(other, one);
    receive(one, other);
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
        send(among.first + i, among.first + (i + distance) % among.size, number_bytes);
      for (int i = 0; i < among.size; ++i)
        receive(among.first + i, among.first + (i - distance + among.size) % among.size);
    }
  }

  ScheduledTime run(const Costs& costs) const {
    return simulate({.steps = [this](std::size_t process) { return programs_[process]; },
                     .ranks = programs_.size(),
                     .chunks = 1,
                     .lanes = 1,
                     .seconds_per_reduced = 0},
                    costs);
  }

private:
  void send(int from, int to, std::size_t bytes) {
    programs_[static_cast<std::size_t>(from)].push_back({.to = to, .sends = static_cast<double>(bytes)});
  }
  void receive(int to, int from) { programs_[static_cast<std::size_t>(to)].push_back({.from = from}); }

  void double_up(Range among, std::size_t bytes, bool grows) {
    for (int distance = 1; distance < among.size; distance *= 2, bytes *= grows ? 2 : 1)
      for (int i = 0; i < among.size; ++i)
        if ((i & distance) == 0) exchange(among.first + i, among.first + i + distance, bytes);
  }

  std::vector<Steps> programs_;
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
  const ScheduledTime time = schedule.run(costs);
  return {time.seconds, time.all_messages,
          static_cast<std::size_t>(std::lround(schedule.run(one_a_message).seconds))};
}

} // namespace model

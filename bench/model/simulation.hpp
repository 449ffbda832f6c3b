// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

/// A discrete-event simulator of processes that exchange messages. It knows nothing of their meaning.
namespace model {

/// The costs of messages: LogGP with an overhead per byte (LogGOPS). Times are in seconds, per message or
/// byte.
struct Costs {
  double latency = 0;                             ///< from the end of sending to the start of receiving
  double send_overhead = 0, receive_overhead = 0; ///< of the sender's and the receiver's processor
  double gap = 0;                               ///< the least time between two messages that leave a process
  double gap_per_byte = 0;                      ///< of the links out of a process and into it
  double overhead_per_byte = 0;                 ///< of either processor
  std::size_t on_node = 1;                      ///< consecutive processes, which share the link of their node
  double local_latency = 0, local_per_byte = 0; ///< of messages within a node
};

/// The costs of a Blue Gene/P, the machine of both papers that the simulator reproduces:
/// - A torus link carries 374 MB/s of payload (425 MB/s with packet headers).
/// - The four processes of a node share 13.6 GB/s to its memory. A list is copied twice at each end: from its
///   source into the message, and from the message to its target. Each copy reads and writes it.
/// - The gap is no longer than the overhead, so it is 0.
/// - Latency and overhead are fitted to the hash column of Table II of Langer et al., up to 32k processes:
///   the root mean square of the logarithms of the ratios to the times there is least.
constexpr Costs blue_gene{.latency = 4.34e-6,
                          .send_overhead = 3.90e-6,
                          .receive_overhead = 3.90e-6,
                          .gap_per_byte = 1 / 374e6,
                          .overhead_per_byte = 4 / (13.6e9 / 4)};

/// Processes, numbered from 0, each with its own clock. A process handles one event at a time, in order of
/// arrival: a message, or an alarm that it has set. Only messages and calls of work() take time.
template <class Event>
class Simulation {
public:
  using Process = std::int32_t;

  Simulation(const Costs& costs, std::size_t processes)
      : costs_(costs), processes_(processes), links_((processes + costs.on_node - 1) / costs.on_node) {}

  /// Returns the clock of a process: until when it has been busy.
  double now(Process process) const { return at(process).busy_until; }

  /// Returns since when the process has been busy with the current event, including the time to receive it.
  double since(Process process) const { return at(process).busy_since; }

  void work(Process process, double seconds) { at(process).busy_until += seconds; }

  /// Sends a message. The receiver gets it as an event. A message to itself costs only overheads.
  void send(Process from, Process to, std::size_t bytes, Event event) {
    const double size = static_cast<double>(bytes);
    State& sender = at(from);
    sender.busy_until += costs_.send_overhead + size * costs_.overhead_per_byte;
    const bool is_between = node(from) != node(to);
    const bool is_within = !is_between && from != to;
    if (is_within) sender.busy_until += size * costs_.local_per_byte;
    double arrival = sender.busy_until + (is_within ? costs_.local_latency : 0);
    if (is_between) {
      double& out_free = links_[node(from)].out_free;
      const double departure = std::max(sender.busy_until, out_free);
      out_free = departure + std::max(costs_.gap, size * costs_.gap_per_byte);
      arrival = departure + costs_.latency;
    }
    schedule({arrival, next_++, to, is_between ? size * costs_.gap_per_byte : 0,
              costs_.receive_overhead + size * costs_.overhead_per_byte, !is_within},
             std::move(event));
  }

  void alarm(Process process, double seconds, Event event) {
    schedule({now(process) + seconds, next_++, process, 0, 0}, std::move(event));
  }

  /// Calls `handle(process, event)` for each event, until there are no more.
  template <class Handle>
  void run(const Handle& handle) {
    while (!queue_.empty()) {
      const Entry entry = queue_.top();
      queue_.pop();
      Event event = std::move(events_[entry.slot]);
      free_slots_.push_back(entry.slot);
      State& receiver = at(entry.to);
      double& in_free = links_[node(entry.to)].in_free;
      if (entry.by_link) in_free = std::max(entry.time, in_free) + entry.transfer;
      receiver.busy_since = std::max(entry.by_link ? in_free : entry.time, receiver.busy_until);
      receiver.busy_until = receiver.busy_since + entry.overhead;
      handle(entry.to, std::move(event));
    }
  }

  std::uint64_t events() const { return next_; }

private:
  struct State {
    double busy_since = 0, busy_until = 0; ///< its processor
  };
  struct Link {
    double out_free = 0, in_free = 0;
  };
  struct Entry {
    double time; ///< when it arrives at the process
    std::uint64_t number;
    Process to;
    double transfer, overhead;
    bool by_link = true; ///< arrives through the link of the node
    std::uint32_t slot = 0;

    bool operator<(const Entry& other) const { // the earliest is on top of the queue
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  std::size_t node(Process process) const { return static_cast<std::size_t>(process) / costs_.on_node; }
  State& at(Process process) { return processes_[static_cast<std::size_t>(process)]; }
  const State& at(Process process) const { return processes_[static_cast<std::size_t>(process)]; }

  void schedule(Entry entry, Event event) {
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(events_.size()));
      events_.emplace_back();
    }
    entry.slot = free_slots_.back();
    free_slots_.pop_back();
    events_[entry.slot] = std::move(event);
    queue_.push(entry);
  }

  Costs costs_;
  std::vector<State> processes_;
  std::vector<Link> links_; ///< of the nodes
  std::priority_queue<Entry> queue_;
  std::vector<Event> events_; ///< of the entries, by slot
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t next_ = 0;
};

} // namespace model

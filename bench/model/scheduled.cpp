// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "model/scheduled.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace model {

namespace {

/// The start of a rank, or a message of a chunk from another rank.
struct Arrival {
  std::int32_t from = -1;
  std::uint32_t chunk = 0;
};

/// A chunk in flight through the steps of a rank.
struct ChunkInFlight {
  std::size_t step = 0;
  bool has_sent = false;
  std::vector<std::int32_t> arrived{}; // senders of the messages that have arrived, in order for each sender
};

class ScheduledRanks {
public:
  ScheduledRanks(const ScheduledCall& call, const Costs& costs)
      : call_(call), simulation_(costs, call.ranks) {
    for (std::size_t rank = 0; rank < call.ranks; ++rank)
      ranks_.push_back({call.steps(rank), std::vector<ChunkInFlight>(call.chunks)});
  }

  ScheduledTime run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      simulation_.alarm(static_cast<std::int32_t>(rank), 0, {});
    simulation_.run([this](std::int32_t rank, Arrival arrival) { handle(rank, arrival); });
    ScheduledTime made{};
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const State& state = ranks_[rank];
      if (!state.is_over()) throw std::logic_error("ranks do not take what they are sent");
      made.seconds = std::max(made.seconds, simulation_.now(static_cast<std::int32_t>(rank)));
      made.messages = std::max(made.messages, state.messages);
      made.bytes = std::max(made.bytes, state.bytes);
      made.all_messages += state.messages;
    }
    return made;
  }

private:
  struct State {
    Steps steps;
    std::vector<ChunkInFlight> chunks;
    std::size_t messages = 0;
    double bytes = 0;

    bool is_over() const {
      return std::ranges::all_of(chunks, [this](const ChunkInFlight& chunk) {
        return chunk.step == steps.size() && chunk.arrived.empty();
      });
    }
  };

  void handle(std::int32_t rank, Arrival arrival) {
    if (arrival.from >= 0) {
      State& state = ranks_[static_cast<std::size_t>(rank)];
      ChunkInFlight& at = state.chunks[arrival.chunk];
      at.arrived.push_back(arrival.from);
      if (at.has_sent && state.steps[at.step].from != arrival.from) return; // waits for another
      return advance(rank, arrival.chunk);
    }
    for (std::uint32_t chunk = 0; chunk < std::min(call_.lanes, call_.chunks); ++chunk) advance(rank, chunk);
  }

  void advance(std::int32_t rank, std::uint32_t chunk) {
    State& state = ranks_[static_cast<std::size_t>(rank)];
    ChunkInFlight& at = state.chunks[chunk];
    for (; at.step < state.steps.size(); ++at.step, at.has_sent = false) {
      const Step& step = state.steps[at.step];
      if (!std::exchange(at.has_sent, true)) send(rank, state, step, chunk);
      if (step.from < 0) continue;
      const auto message = std::ranges::find(at.arrived, step.from);
      if (message == at.arrived.end()) return;
      at.arrived.erase(message);
      if (step.reduces) simulation_.work(rank, step.takes * call_.seconds_per_reduced);
    }
    simulation_.work(rank, call_.seconds_per_chunk);
    const std::size_t next = chunk + call_.lanes;
    if (next < call_.chunks) advance(rank, static_cast<std::uint32_t>(next));
  }

  void send(std::int32_t rank, State& state, const Step& step, std::uint32_t chunk) {
    if (step.to < 0) return;
    simulation_.send(rank, step.to, static_cast<std::size_t>(step.sends), {rank, chunk});
    ++state.messages;
    state.bytes += step.sends;
  }

  const ScheduledCall& call_;
  Simulation<Arrival> simulation_;
  std::vector<State> ranks_;
};

} // namespace

ScheduledTime simulate(const ScheduledCall& call, const Costs& costs) {
  return ScheduledRanks(call, costs).run();
}

Costs simulator_costs(const helper::collective::NetworkCosts& costs, std::size_t on_node) {
  Costs made{costs.latency, costs.overhead / 2, costs.overhead / 2, 0, costs.per_byte, 0};
  made.on_node = on_node;
  made.local_latency = costs.local_latency;
  made.local_per_byte = costs.local_byte;
  return made;
}

} // namespace model

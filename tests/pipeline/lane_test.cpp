// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests lanes and flows. Messages and words arrive in any order.

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/seed.hpp"
#include "support/thread_ranks.hpp"

using namespace helper;
using pipeline::Chunks;
using pipeline::Stream;
using test_support::Draw;
using test_support::ThreadRanks;

namespace {

using Bytes = std::vector<unsigned char>;

struct ExchangeLane : pipeline::Lane {
  ExchangeLane(team::Member& member, const transport::Shadow& shadow, std::size_t bytes)
      : Lane(member, shadow), packed(bytes), received(bytes) {}

  std::vector<std::byte> packed;
  std::vector<std::byte> received;
};

/// Sends `bytes` to the next rank in chunks. Returns the bytes of the previous rank.
Bytes pass_on(Bytes& bytes, Chunks chunks, std::size_t lanes, const transport::Shadow& shadow,
              team::Member& member) {
  const int next = (shadow.rank() + 1) % shadow.size();
  const int before = (shadow.rank() + shadow.size() - 1) % shadow.size();
  Bytes result(bytes.size());
  const Stream from(bytes.data(), bytes.size());
  const Stream to(result.data(), result.size());
  std::vector<ExchangeLane> in_flight;
  for (std::size_t lane = 0; lane < lanes; ++lane) in_flight.emplace_back(member, shadow, chunks.bytes());
  pipeline::run(
      "test", in_flight, chunks.count(),
      [&](ExchangeLane& lane, std::size_t chunk) {
        lane.pack(from, chunks.begin(chunk), chunks.size(chunk), lane.packed.data());
      },
      [&](ExchangeLane& lane, std::size_t chunk) {
        const Chunks halves(chunks.size(chunk), (chunks.size(chunk) + 1) / 2);
        for (std::size_t half = 0; half < halves.count(); ++half) {
          const int tag = static_cast<int>(2 * chunk + half);
          lane.receive(lane.received.data() + halves.begin(half), halves.size(half), before, tag);
          lane.send(lane.packed.data() + halves.begin(half), halves.size(half), next, tag);
        }
      },
      [&](ExchangeLane& lane, std::size_t chunk) {
        lane.unpack(to, chunks.begin(chunk), chunks.size(chunk), lane.received.data());
      });
  return result;
}

/// Values that a source writes one by one. `word` counts them: a value is written before it is counted.
struct Source {
  explicit Source(std::size_t most) : values(most) {}

  std::vector<int> values;
  std::atomic<std::uint64_t> word{0};
};

} // namespace

TEST_CASE("A chunk goes on once its messages have come and gone and its job is done") {
  Draw draw(test_support::seed());
  for (int trial = 0; trial < 60; ++trial) {
    const int ranks = 1 + draw.upto(4);
    const auto chunk = static_cast<std::size_t>(1 + draw.bytes(200'000));
    const auto total = chunk * static_cast<std::size_t>(draw.upto(12)) +
                       static_cast<std::size_t>(draw.upto(static_cast<int>(chunk)));
    CAPTURE(test_support::seed(), trial, ranks, chunk, total);
    std::vector<Bytes> given(static_cast<std::size_t>(ranks), Bytes(total));
    for (Bytes& bytes : given) draw.fill(bytes);
    std::vector<std::size_t> lanes(given.size());
    for (std::size_t& of_rank : lanes) of_rank = static_cast<std::size_t>(1 + draw.upto(4));
    std::vector<Bytes> got(given.size());

    ThreadRanks all(ranks, chunk, draw);
    all.run([&](const transport::Shadow& shadow, team::Member& member) {
      const auto rank = static_cast<std::size_t>(shadow.rank());
      got[rank] = pass_on(given[rank], Chunks(total, chunk), lanes[rank], shadow, member);
    });

    for (std::size_t rank = 0; rank < given.size(); ++rank)
      CHECK((got[(rank + 1) % given.size()] == given[rank]));
    CHECK(all.are_quiet());
  }
}

TEST_CASE("A chunk goes on once the words that it awaits say so") {
  Draw draw(test_support::seed());
  struct Awaited {
    std::size_t source;
    std::size_t value;
  };
  constexpr std::size_t sources = 5;
  constexpr std::size_t values = 40;
  constexpr std::size_t chunks = 100;
  for (int trial = 0; trial < 20; ++trial) {
    CAPTURE(test_support::seed(), trial);
    std::deque<Source> all;
    std::vector<std::size_t> order; // the order in which sources write
    for (std::size_t source = 0; source < sources; ++source) {
      all.emplace_back(values);
      order.insert(order.end(), values, source);
    }
    draw.shuffle(order);
    std::vector<std::vector<Awaited>> awaited(chunks);
    for (auto& of_chunk : awaited) {
      for (int i = draw.upto(4); i != 0; --i)
        of_chunk.push_back({static_cast<std::size_t>(draw.upto(sources - 1)),
                            static_cast<std::size_t>(draw.upto(values - 1))});
    }
    const auto lanes = static_cast<std::size_t>(1 + draw.upto(4));
    int started = 0;
    int early = 0;

    std::thread writer([&] {
      for (const std::size_t each : order) {
        Source& source = all[each];
        const std::uint64_t value = source.word.load();
        source.values[value] = 1;
        source.word.store(value + 1, std::memory_order_release);
        std::this_thread::yield();
      }
    });
    ThreadRanks(1, 1, draw).run([&](const transport::Shadow& shadow, team::Member& member) {
      std::vector<pipeline::Lane> in_flight(lanes, pipeline::Lane(member, shadow));
      pipeline::run(
          "test", in_flight, chunks,
          [&](pipeline::Lane& lane, std::size_t chunk) {
            for (const auto& [source, value] : awaited[chunk]) lane.await(all[source].word, value + 1);
          },
          [&](pipeline::Lane&, std::size_t chunk) {
            ++started;
            for (const auto& [source, value] : awaited[chunk])
              early += all[source].values[value] == 0 ? 1 : 0;
          });
    });
    writer.join();

    CHECK(started == chunks);
    CHECK(early == 0);
  }
}

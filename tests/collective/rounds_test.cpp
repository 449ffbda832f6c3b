// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests reductions in rounds. Contributions and results arrive in any order.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/rounds.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/seed.hpp"
#include "support/thread_ranks.hpp"

using namespace helper;
using namespace helper::collective;
using pipeline::Stream;
using namespace test_support;

namespace {

using Numbers = std::vector<float>; // sums of floats depend on the order

Stream stream_of(Numbers& numbers, std::size_t begin, std::size_t end) {
  return {numbers.data() + begin, (end - begin) * sizeof(float)};
}

/// Which ranks get the sums: all, the root, or each rank its own share.
enum class Kind { to_all, to_root, to_owners };
struct Case {
  Kind kind;
  Shares shares;
  std::size_t root;
  bool in_place;
  std::vector<Numbers> given{}; // by rank

  std::size_t ranks() const { return shares.ranks(); }
  /// Returns the range of sums that `rank` gets: the first, and the end.
  std::pair<std::size_t, std::size_t> wanted(std::size_t rank) const {
    if (kind == Kind::to_owners) return {shares.begin(rank), shares.begin(rank) + shares.size(rank)};
    return {0, kind == Kind::to_all || rank == root ? shares.total() : 0};
  }
};

Shares draw_shares(std::size_t ranks, int most, Draw& draw) {
  const auto elements = static_cast<std::size_t>(draw.upto(most));
  switch (draw.upto(3)) {
  case 0:
    return Shares::even(elements, ranks);
  case 1:
    return Shares::all_to(static_cast<std::size_t>(draw.upto(static_cast<int>(ranks) - 1)), elements, ranks);
  default: // few elements, which may fit one round, or many
    return Shares(ranks, [&](std::size_t) {
      return static_cast<std::size_t>(draw.upto(draw.of({most / 100, most / 2})));
    });
  }
}

Case draw_case(std::size_t ranks, int most, Draw& draw) {
  const Kind kind = draw.of({Kind::to_all, Kind::to_root, Kind::to_owners, Kind::to_owners});
  Case made{kind, draw_shares(ranks, most, draw),
            static_cast<std::size_t>(draw.upto(static_cast<int>(ranks) - 1)), draw.coin()};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Numbers& numbers = made.given.emplace_back(made.shares.total());
    for (float& number : numbers) number = std::ldexp(static_cast<float>(draw.upto(1 << 24)), -draw.upto(24));
  }
  return made;
}

/// Returns all sums. Each adds the contributions in the order of ranks.
Numbers sums(const Case& of) {
  Numbers sum = of.given.front();
  for (std::size_t rank = 1; rank < of.ranks(); ++rank)
    std::ranges::transform(sum, of.given[rank], sum.begin(), std::plus());
  return sum;
}

/// Lets each rank call `reduce(reduction, from, results)` and checks the results of the rank.
template <class Reduce>
void check(Case of, std::size_t chunk, Draw& draw, const Reduce& reduce) {
  const Numbers expected = sums(of);
  std::vector<Numbers> got(of.ranks());
  ThreadRanks all(static_cast<int>(of.ranks()), chunk, draw);
  all.run([&](const transport::Shadow& shadow, team::Member& member) {
    const Reduction reduction{"test", member, *reduction::Reducer::of(MPI_SUM, MPI_FLOAT), shadow, true};
    const std::size_t rank = reduction.rank();
    const auto [begin, end] = of.wanted(rank);
    got[rank].resize(end - begin);
    Numbers& given = of.given[rank];
    const Stream from = stream_of(given, 0, given.size());
    const Stream to = stream_of(of.in_place ? given : got[rank], 0, end - begin);
    reduce(reduction, from,
           of.kind == Kind::to_all    ? Results::to_all(to)
           : of.kind == Kind::to_root ? Results::to_root(rank == of.root ? &to : nullptr)
                                      : Results::to_owners(end != begin ? &to : nullptr, of.in_place));
    if (of.in_place) std::copy_n(given.begin(), end - begin, got[rank].begin());
  });
  for (std::size_t rank = 0; rank < of.ranks(); ++rank) {
    const auto [begin, end] = of.wanted(rank);
    CHECK((got[rank] == Numbers(expected.begin() + static_cast<std::ptrdiff_t>(begin),
                                expected.begin() + static_cast<std::ptrdiff_t>(end))));
  }
  CHECK(all.are_quiet());
}

/// The memory of a rank for a lane, shared by all ranks. `word` shows how far the rank is.
struct Slot {
  explicit Slot(std::size_t bytes) : memory(bytes) {}

  std::vector<std::byte> memory;
  std::atomic<std::uint64_t> word{0}; // stored with release, after the rank has written or read memory
};

/// Rounds of ranks that share the memory of their lanes. Ranks announce the progress of different lanes in
/// random order.
class RoundsInMemory final : public Rounds {
public:
  RoundsInMemory(const Reduction& reduction, const Stream& from, const Results& results,
                 std::deque<Slot>& slots, std::uint64_t stream)
      : Rounds(reduction, from, results), slots_(slots), lanes_(slots.size() / reduction.ranks()),
        draw_(stream), unsaid_(lanes_) {
    of_this_thread = this;
  }
  ~RoundsInMemory() override {
    of_this_thread = nullptr;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      while (say_one(lane)) {
      }
    }
  }

  /// Called in waits: publishes a pending announcement of the rank of this thread, if there is one.
  static bool say_something(team::Member&) noexcept {
    if (of_this_thread != nullptr)
      of_this_thread->say_one(
          static_cast<std::size_t>(of_this_thread->draw_.upto(static_cast<int>(of_this_thread->lanes_) - 1)));
    return false;
  }

  /// Reduces all shares. A round has up to `piece` elements of each share.
  void run(const Shares& shares, std::size_t piece) {
    std::vector<RoundLane> in_flight;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      in_flight.emplace_back(reduction_.member, reduction_.shadow, lane,
                             Pieces(shares, sizeof(float), piece));
      in_flight.back().packed = slot(reduction_.rank(), lane).memory.data();
    }
    Rounds::run(in_flight, (shares.largest() + piece - 1) / piece);
  }

private:
  void begin(RoundLane& lane) override {
    if (lane.round >= lanes_) await_peers(lane, lane.round - lanes_, Step::consumed);
  }

  void exchange(RoundLane& lane) override {
    say(lane, Step::packed);
    if (lane.pieces.bytes(reduction_.rank()) == 0) return;
    await_peers(lane, lane.round, Step::packed);
    const std::size_t at = lane.pieces.begin(reduction_.rank());
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank)
      lane.operands[rank] = results(lane, rank) + at;
    lane.result = lane.packed + at;
  }

  void share(RoundLane& lane) override {
    if (results_.are_given()) say(lane, Step::reduced);
    if (results_.are_taken()) await_peers(lane, lane.round, Step::reduced);
  }

  const std::byte* results(const RoundLane& lane, std::size_t rank) const noexcept override {
    return slot(rank, lane.index).memory.data();
  }

  void end(RoundLane& lane) override { say(lane, Step::consumed); }

  enum class Step : std::uint64_t { packed = 1, reduced, consumed };
  static std::uint64_t word(std::size_t round, Step step) {
    return round * 4 + static_cast<std::uint64_t>(step);
  }

  Slot& slot(std::size_t rank, std::size_t lane) const noexcept { return slots_[rank * lanes_ + lane]; }

  void say(const RoundLane& lane, Step step) {
    unsaid_[lane.index].push_back(word(lane.round, step));
    if (draw_.coin()) return;
    say_one(lane.index);
    std::this_thread::yield(); // the ranks that wait for the announcement may run
  }

  bool say_one(std::size_t lane) noexcept {
    if (unsaid_[lane].empty()) return false;
    slot(reduction_.rank(), lane).word.store(unsaid_[lane].front(), std::memory_order_release);
    unsaid_[lane].pop_front();
    return true;
  }

  void await_peers(RoundLane& lane, std::size_t round, Step step) const {
    for (std::size_t rank = 0; rank < reduction_.ranks(); ++rank) {
      if (rank != reduction_.rank()) lane.await(slot(rank, lane.index).word, word(round, step));
    }
  }

  static inline thread_local RoundsInMemory* of_this_thread = nullptr;

  std::deque<Slot>& slots_; // the slots of all lanes of all ranks
  const std::size_t lanes_;
  Draw draw_;
  std::vector<std::deque<std::uint64_t>> unsaid_; // announcements not yet published, by lane
};

/// `of_round` is the size of each share in a round, `most` the greatest number of elements. The tests use
/// bytes or elements.
struct Size {
  std::size_t of_round;
  int most;
};

/// Draws the first size most of the time: small sizes have the most different cases.
Size draw_size(const std::array<Size, 3>& sizes, Draw& draw) {
  return sizes[static_cast<std::size_t>(std::max(0, draw.upto(5) - 3))];
}

} // namespace

TEST_CASE("Ranks reduce through memory that they share") {
  static constexpr std::array background{RoundsInMemory::say_something, test_support::ThreadRanks::yield};
  team::hooks.background = background;
  Draw draw(test_support::seed());
  for (int trial = 0; trial < 150; ++trial) {
    const auto ranks = static_cast<std::size_t>(2 + draw.upto(3));
    const Size size = draw_size({{{7, 1'000}, {1'000, 30'000}, {20'000, 200'000}}}, draw);
    const Case of = draw_case(ranks, draw.upto(size.most), draw);
    const bool on_contributions = of.kind == Kind::to_owners && of.in_place;
    const auto in_flight = static_cast<std::size_t>(on_contributions ? 1 : 1 + draw.upto(4));
    CAPTURE(test_support::seed(), trial, ranks, size.of_round, of.shares.total(), of.kind, of.in_place,
            in_flight);
    std::deque<Slot> slots;
    while (slots.size() < ranks * in_flight) slots.emplace_back(ranks * size.of_round * sizeof(float));
    const auto stream = static_cast<std::uint64_t>(draw.upto(1 << 30));
    check(of, 1, draw, [&](const Reduction& reduction, const Stream& from, const Results& results) {
      RoundsInMemory(reduction, from, results, slots, stream + reduction.rank())
          .run(of.shares, size.of_round);
    });
  }
}

TEST_CASE("Ranks reduce by messages") {
  Draw draw(test_support::seed());
  for (int trial = 0; trial < 150; ++trial) {
    const auto ranks = static_cast<std::size_t>(2 + draw.upto(3));
    const Size size = draw_size({{{100, 1'000}, {10'001, 30'000}, {300'000, 300'000}}}, draw);
    const Case of = draw_case(ranks, draw.upto(size.most), draw);
    const bool is_linear = draw.coin();
    CAPTURE(test_support::seed(), trial, ranks, size.of_round, of.shares.total(), of.kind, of.in_place,
            is_linear);
    check(of, size.of_round, draw,
          [&](const Reduction& reduction, const Stream& from, const Results& results) {
            if (of.kind == Kind::to_all)
              reduce_by_schedule(Operation::allreduce, Algorithm::reduce_scatter_allgather, reduction, from,
                                 results);
            else if (of.kind == Kind::to_root)
              reduce_by_schedule(Operation::reduce,
                                 is_linear ? Algorithm::linear : Algorithm::reduce_scatter_gather, reduction,
                                 from, results, static_cast<int>(of.root));
            else
              reduce_by_schedule(Operation::reduce_scatter, Algorithm::pairwise, reduction, from, results, 0,
                                 &of.shares);
          });
  }
}

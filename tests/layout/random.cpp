// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Packs and unpacks random types, whole and in random pieces. MPI must give the same results. Equal layouts
// must have equal forms.

#include "layout/comparison.hpp"
#include "layout/layout.hpp"
#include "support/catch.hpp"
#include "support/mpi_support.hpp"

#include <span>

namespace {

using test_support::Random;
using test_support::Type;
using Places = std::vector<MPI_Aint>;

/// Draws the places of elements of size `extent` along one dimension, without overlap. Their distances are
/// equal if `regular`.
Places dimension(Random& random, MPI_Aint extent, bool regular) {
  const MPI_Aint stride = extent + random.between(1, 20);
  Places places(random.below(5) + 2);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<MPI_Aint>(i) * stride;
  if (!regular) places.back() += random.between(1, 20);
  return places;
}

/// Returns the places of all elements if each place of `outer` has the dimension `inner`.
Places product(const Places& outer, const Places& inner) {
  Places all;
  for (const MPI_Aint origin : outer)
    for (const MPI_Aint at : inner) all.push_back(origin + at);
  return all;
}

/// Makes a type of elements of `type` at `places`, with a random constructor that can express these places.
Type placed(Random& random, const Places& places, MPI_Datatype type) {
  const auto count = static_cast<int>(places.size());
  const std::vector<int> ones(places.size(), 1);
  const bool regular = std::adjacent_find(places.begin(), places.end(), [&](MPI_Aint a, MPI_Aint b) {
                         return b - a != places[1] - places[0];
                       }) == places.end();
  switch (random.below(regular ? 5 : 3)) {
  case 0:
    return Type(PMPI_Type_create_hindexed_block, count, 1, places.data(), type);
  case 1:
    return Type(PMPI_Type_create_hindexed, count, ones.data(), places.data(), type);
  case 2: {
    const std::vector<MPI_Datatype> types(places.size(), type);
    return Type(PMPI_Type_create_struct, count, ones.data(), places.data(), types.data());
  }
  case 3:
    return Type(PMPI_Type_create_hvector, count, 1, places[1] - places[0], type);
  default: {
    const Type spaced(PMPI_Type_create_resized, type, 0, places[1] - places[0]);
    return Type(PMPI_Type_contiguous, count, spaced);
  }
  }
}

/// Makes a type of `bytes` contiguous bytes.
Type run(Random& random, int bytes) {
  if (bytes % 4 == 0 && random.one_in(2)) return Type(PMPI_Type_contiguous, bytes / 4, MPI_INT);
  if (bytes % 2 == 0 && random.one_in(2)) return Type(PMPI_Type_vector, bytes / 2, 2, 2, MPI_CHAR);
  return Type(PMPI_Type_contiguous, bytes, MPI_BYTE);
}

/// Makes a type of the elements in the first `depth` dimensions, by one constructor for one or several.
Type nested(Random& random, const std::vector<Places>& dimensions, std::size_t depth, const Type& element) {
  if (depth == 0) return Type(PMPI_Type_dup, element);
  Places places = dimensions[depth - 1];
  for (--depth; depth != 0 && random.one_in(2); --depth) places = product(places, dimensions[depth - 1]);
  return placed(random, places, nested(random, dimensions, depth, element));
}

struct Run {
  MPI_Aint at;
  int bytes;
};

/// Draws runs in a pattern that repeats, or that repeats except for its last part. Some runs are adjacent.
std::vector<Run> draw_runs(Random& random) {
  std::vector<Run> pattern;
  MPI_Aint end = 0;
  for (int i = random.between(1, 4); i != 0; --i) {
    pattern.push_back(
        {end + (random.one_in(3) ? 0 : random.between(1, 9)), random.one_in(2) ? 4 : random.between(1, 9)});
    end = pattern.back().at + pattern.back().bytes;
  }
  const MPI_Aint distance = end + random.between(0, 9);
  std::vector<Run> all;
  for (MPI_Aint i = random.between(0, 30); i >= 0; --i)
    for (const auto& [at, bytes] : pattern) all.push_back({i * distance + at, bytes});
  if (random.one_in(2)) all.resize(random.below(all.size()) + 1);
  return all;
}

/// Makes a type of the runs, nested at random places.
Type cut_anywhere(Random& random, std::span<const Run> runs) {
  std::vector<Type> parts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  while (!runs.empty()) {
    const std::size_t size = random.below(runs.size()) + 1;
    const bool cut = size > 1 && random.one_in(2);
    parts.push_back(cut ? cut_anywhere(random, runs.first(size)) : run(random, runs.front().bytes));
    places.push_back(cut ? 0 : runs.front().at);
    types.push_back(parts.back());
    runs = runs.subspan(cut ? size : 1);
  }
  const std::vector<int> ones(parts.size(), 1);
  return Type(PMPI_Type_create_struct, static_cast<int>(parts.size()), ones.data(), places.data(),
              types.data());
}

} // namespace

TEST_CASE("Random types pack and unpack as MPI does") {
  test_support::Random random(test_support::seed());
  for (int i = 0; i < 10000; ++i) {
    const std::string difference = test_support::compare_with_mpi(random);
    INFO(difference);
    REQUIRE(difference.empty());
  }
}

TEST_CASE("Equal layouts have equal forms however they were built") {
  using helper::layout::Layout;
  Random random(test_support::seed());
  for (int i = 0; i < 3000; ++i) {
    const int bytes = random.between(1, 20);
    std::vector<Places> dimensions;
    MPI_Aint extent = bytes;
    for (std::size_t depth = random.below(3) + 1; depth != 0; --depth) {
      dimensions.push_back(dimension(random, extent, !dimensions.empty() || random.one_in(2)));
      extent += dimensions.back().back();
    }
    const auto built = [&] {
      const Type type = nested(random, dimensions, dimensions.size(), run(random, bytes));
      return Layout::of(Type(PMPI_Type_create_resized, type, 0, extent + 50));
    };
    CHECK(built()->elements() == built()->elements());
  }
}

TEST_CASE("Equal runs have equal forms however they were put together") {
  using helper::layout::Layout;
  Random random(test_support::seed());
  for (int i = 0; i < 3000; ++i) {
    const std::vector<Run> all = draw_runs(random);
    const auto built = [&] {
      return Layout::of(Type(PMPI_Type_create_resized, cut_anywhere(random, all), 0, 4000));
    };
    CHECK(built()->elements() == built()->elements());
  }
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The ranks of this test are threads of one process.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "shm/posts.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/seed.hpp"

using namespace helper::shm;
using test_support::Draw;

namespace {

constexpr int ranks = 3;
constexpr std::uint64_t newest = 1000; // the number of the latest operation before the test
constexpr std::size_t items = 500;

using Items = std::vector<std::uint64_t>;

std::uint64_t item(int rank, std::uint64_t number) {
  return number * 16 + static_cast<std::uint64_t>(rank);
}

const std::byte* bytes(const Items& of) {
  return reinterpret_cast<const std::byte*>(of.data());
}

/// A rank, and its contributions that other ranks may still read.
class Poster {
public:
  Poster(int rank, std::array<PostFlags, ranks>& words) : rank_(rank) {
    std::vector<const PostFlags*> all;
    for (const PostFlags& each : words) all.push_back(&each);
    words[static_cast<std::size_t>(rank)].process = getpid();
    posts_.open(words[static_cast<std::size_t>(rank)], std::move(all), {}, rank, newest);
  }

  /// Posts a contribution. Sometimes moves it and overwrites the former place. Returns its number.
  std::uint64_t post(Draw& draw) {
    const std::uint64_t number = posts_.newest() + 1;
    Items& posted = kept_.emplace_back(items, item(rank_, number));
    is_right_ = posts_.post(bytes(posted), items * sizeof(std::uint64_t)) == number && is_right_;
    if (draw.upto(2) == 0) {
      const Items& copy = kept_.emplace_back(posted);
      posts_.move(number, bytes(copy));
      std::ranges::fill(posted, 0);
    }
    return number;
  }

  /// Waits for the contributions of the other ranks and copies them. Returns whether they are right.
  bool take(std::uint64_t number, Draw& draw) {
    bool is_right = true;
    for (int other = 0; other < ranks; ++other) {
      if (other == rank_) continue;
      while (!posts_.has_posted(other, number)) std::this_thread::yield();
      Posts::PostedContribution found;
      is_right =
          posts_.find(other, number, found) && found.bytes == items * sizeof(std::uint64_t) && is_right;
      Items got(items);
      const auto first = static_cast<std::size_t>(draw.upto(items));
      for (const auto& [begin, end] : {std::pair{std::size_t{0}, first}, std::pair{first, items}}) {
        is_right = posts_.read(other, number, found, begin * sizeof(std::uint64_t),
                               reinterpret_cast<std::byte*>(got.data() + begin),
                               (end - begin) * sizeof(std::uint64_t)) &&
                   is_right;
      }
      is_right = got == Items(items, item(other, number)) && is_right;
    }
    posts_.take(number);
    return is_right;
  }

  /// Waits until all ranks have copied the contribution of this rank, and drops it.
  void forget(std::uint64_t number) {
    for (int other = 0; other < ranks; ++other) {
      while (!posts_.has_taken(other, number)) std::this_thread::yield();
    }
    kept_.clear();
  }

  bool is_right() const { return is_right_; }

private:
  const int rank_;
  Posts posts_;
  std::deque<Items> kept_;
  bool is_right_ = true;
};

} // namespace

TEST_CASE("What a rank posts others read, wherever it is moved, and however many operations are under way") {
  std::array<PostFlags, ranks> words{};
  const std::uint64_t stream = test_support::seed();
  std::array<bool, ranks> right{};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Draw shared(stream);
      Draw own(stream + 1 + static_cast<std::uint64_t>(rank));
      Poster poster(rank, words);
      bool is_right = true;
      for (int round = 0; round < 30; ++round) {
        std::vector<std::uint64_t> numbers;
        for (int many = 1 + shared.upto(40); many > 0; --many) numbers.push_back(poster.post(own));
        for (const std::uint64_t number : numbers) is_right = poster.take(number, own) && is_right;
        if (own.coin()) poster.forget(numbers.back());
      }
      right[static_cast<std::size_t>(rank)] = is_right && poster.is_right();
      while (std::ranges::any_of(words, [&](const PostFlags& its) {
        return its.taken.load() != words[static_cast<std::size_t>(rank)].posted.load();
      }))
        std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::array<bool, ranks>{true, true, true});
}

TEST_CASE("A rank that has closed its posts has what it posted before read") {
  std::array<PostFlags, ranks> words{};
  Poster giving(0, words);
  Draw draw(test_support::seed());
  const std::uint64_t number = giving.post(draw);
  std::vector<const PostFlags*> all;
  for (const PostFlags& each : words) all.push_back(&each);
  Posts closing;
  words[1].process = getpid();
  closing.open(words[1], all, {}, 1, newest);
  const Items posted(items, 7);
  CHECK(closing.post(bytes(posted), 8) == number);
  CHECK(!closing.has_left(1, number + 1));
  closing.close();
  CHECK(closing.has_left(1, number + 1));
  CHECK(!closing.has_left(1, number));
  CHECK(!closing.has_left(0, number + 1));
  CHECK(closing.has_posted(1, number));
  CHECK(!closing.has_posted(1, number + 1));
  Posts::PostedContribution found;
  CHECK(closing.find(1, number, found));
  CHECK(found.bytes == 8);
}

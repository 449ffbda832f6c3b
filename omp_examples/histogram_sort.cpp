// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Sorts keys that are distributed over all processes, using histograms. The processes guess the boundaries
// between their shares, count their keys below each guess, and sum the counts over a system-ranked group,
// until every process gets its share. Threads sort and count; then each key is sent to its process. Argument:
// keys of each process.

#include "communication.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace example;
using Keys = std::vector<std::uint32_t>;

/// Returns the keys of a process. Half of them are small, so that the first guesses are wrong, and some are
/// equal.
Keys make_keys(int count, int rank) {
  std::mt19937 random(static_cast<unsigned>(rank) + 1);
  Keys keys;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t key = static_cast<std::uint32_t>(random());
    keys.push_back(i % 2 == 0 ? key % 1000 : key);
  }
  return keys;
}

/// All threads of a region call it. Each sorts a piece, and then the pieces are merged.
void sort(Keys& keys) {
  const int pieces = omp_get_num_threads(), all = static_cast<int>(keys.size());
#pragma omp for
  for (int piece = 0; piece < pieces; ++piece) {
    const Share part = share(all, pieces, piece);
    std::sort(keys.begin() + part.first, keys.begin() + part.first + part.count);
  }
#pragma omp single
  for (int piece = 1; piece < pieces; ++piece) {
    const Share part = share(all, pieces, piece);
    std::inplace_merge(keys.begin(), keys.begin() + part.first, keys.begin() + part.first + part.count);
  }
}

/// A boundary between two shares: the smallest key such that at least `wanted` keys are not larger. It lies
/// in this range.
struct Cut {
  std::uint32_t low, high;
  std::int64_t wanted;

  std::uint32_t guess() const { return low + (high - low) / 2; }
};

/// Gives each process its share of the keys, in ascending order of ranks. Collective over `group`.
class HistogramSort {
public:
  HistogramSort(Keys& keys, MPIX_Sysgroup group, bool helped) : keys_(keys), group_(group), helped_(helped) {
    int size = 0, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < size; ++i)
      cuts_.push_back({0, UINT32_MAX, static_cast<std::int64_t>(keys.size()) * i});
    counts_.resize(cuts_.size());
  }

  /// Returns the process's keys.
  Keys run(double& seconds) {
    double total = 0;
    Keys sorted;
#pragma omp parallel reduction(+ : total)
    {
      Communication communication(helped_);
      sort(keys_);
      for (int bit = 0; bit < 32; ++bit) count(communication);
      communication([&] { sorted = deal(); });
      sort(sorted);
      total += communication.seconds();
    }
    seconds += total;
    return sorted;
  }

private:
  int cuts() const {
    return static_cast<int>(cuts_.size());
  }

  /// Halves the range of each cut with a histogram of all keys.
  void count(Communication& communication) {
#pragma omp for
    for (int i = 0; i < cuts(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      counts_[at] = std::upper_bound(keys_.begin(), keys_.end(), cuts_[at].guess()) - keys_.begin();
    }
    communication([&] {
      MPIX_Sysgroup_allreduce(MPI_IN_PLACE, counts_.data(), cuts(), MPI_INT64_T, MPI_SUM, group_);
      for (std::size_t at = 0; at < cuts_.size(); ++at)
        (counts_[at] >= cuts_[at].wanted ? cuts_[at].high : cuts_[at].low) =
            cuts_[at].guess() + (counts_[at] >= cuts_[at].wanted ? 0 : 1);
    });
  }

  /// Sends each key to its process.
  Keys deal() const {
    std::vector<int> sent, received(cuts_.size() + 1), from{0}, to{0};
    for (const Cut& cut : cuts_)
      from.push_back(
          static_cast<int>(std::upper_bound(keys_.begin(), keys_.end(), cut.high) - keys_.begin()));
    from.push_back(static_cast<int>(keys_.size()));
    std::adjacent_difference(from.begin() + 1, from.end(), std::back_inserter(sent));
    MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::partial_sum(received.begin(), received.end(), std::back_inserter(to));
    Keys dealt(static_cast<std::size_t>(to.back()));
    MPI_Alltoallv(keys_.data(), sent.data(), from.data(), MPI_UINT32_T, dealt.data(), received.data(),
                  to.data(), MPI_UINT32_T, MPI_COMM_WORLD);
    return dealt;
  }

  Keys& keys_;
  MPIX_Sysgroup group_;
  bool helped_;
  std::vector<Cut> cuts_;
  std::vector<std::int64_t> counts_;
};

/// Returns whether the concatenated keys of the processes equal `all`, and whether each process has its
/// share, apart from equal keys.
bool is_right(const Keys& sorted, const Keys& all, std::int64_t each) {
  std::int64_t before = 0, count = static_cast<std::int64_t>(sorted.size());
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) before = 0;
  if (!std::equal(sorted.begin(), sorted.end(), all.begin() + before, all.begin() + before + count))
    return false;
  const auto end =
      std::upper_bound(all.begin(), all.end(), all[static_cast<std::size_t>(each * (rank + 1) - 1)]);
  return before + count == end - all.begin();
}

} // namespace

int main(int argc, char** argv) {
  const World world = start(argc, argv);
  const int size = world.size, rank = world.rank;
  const auto [each] = read(argc, argv, {{"KEYS_OF_A_PROCESS", 20000, 1, 1 << 24}});

  Keys all;
  for (int process = 0; process < size; ++process) {
    const Keys keys = make_keys(each, process);
    all.insert(all.end(), keys.begin(), keys.end());
  }
  std::sort(all.begin(), all.end());
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &group);
  double seconds[2] = {};
  bool right = true;
  for (const bool helped : {false, true}) {
    Keys keys = make_keys(each, rank);
    const Keys sorted = HistogramSort(keys, group, helped).run(seconds[helped]);
    right = is_right(sorted, all, each) && right;
  }
  MPIX_Sysgroup_free(&group);
  show("Sysgroup_allreduce, Alltoallv", seconds[false], seconds[true]);
  const int result = status(right ? 0 : 1, 0);
  MPI_Finalize();
  return result;
}

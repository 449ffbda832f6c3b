// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/crew.hpp"
#include "common/ranks.hpp"
#include "common/shared_memory.hpp"

#include "pipeline/stores.hpp"
#include "pipeline/stream.hpp"

namespace {

using namespace bench;
using helper::pipeline::Stores;

constexpr auto description =
    R"(What bounds MPI_Allreduce of doubles by two ranks of a node, and how close the library comes.

Each rank owns half of the result. Without help of the kernel it copies the other half of its contribution to memory
that both see (pack), adds what the other rank has packed to its own half and stores the sum in its result and for the
other rank (reduce), and copies the other half of the result (fetch). If ranks can read one another's buffers, as in
memory of MPI_Alloc_mem, a rank adds and fetches there and packs nothing.

The limit is the time of these steps on both cores at once, chunk by chunk, without the time in which a rank waits for
the other: of several sizes of chunks, and of plain and streaming stores, the way with the least median. Results of less
than 8 MiB are stored plainly, since a program then finds them in its caches. All ways and the library, with a team of
one, take turns. Both ranks write their contributions before each of them.

Run it alone on the machine, with mpiexec -n 2.)";

/// Seconds of the steps, and of all together.
struct Times {
  double pack = 0, reduce = 0, fetch = 0, all = 0;
};

struct Way {
  bool in_place;
  std::size_t chunk;  ///< doubles of a half
  Stores shown;       ///< to memory that only carries data to the other rank
  Stores result = {}; ///< to the result
};

struct Shown {
  double *packed, *sums, *contribution, *result;
};

/// Adds `count` doubles and stores the sums twice, unless `shown` is null.
void add(const double* own, const double* other, double* result, double* shown, std::size_t count,
         const Way& way) {
  if (way.result == Stores::plain && (shown == nullptr || way.shown == Stores::plain)) {
    if (shown == nullptr) {
      for (std::size_t i = 0; i < count; ++i) result[i] = own[i] + other[i];
    } else {
      for (std::size_t i = 0; i < count; ++i) shown[i] = result[i] = own[i] + other[i];
    }
    return;
  }
  std::array<double, 512> sums; // in the first-level cache
  const auto copy = [&](double* to, std::size_t n, Stores stores) {
    helper::pipeline::copy_unordered(reinterpret_cast<std::byte*>(to),
                                     reinterpret_cast<const std::byte*>(sums.data()), n * sizeof(double),
                                     stores);
  };
  for (std::size_t at = 0; at < count; at += sums.size()) {
    const std::size_t n = std::min(sums.size(), count - at);
    for (std::size_t i = 0; i < n; ++i) sums[i] = own[at + i] + other[at + i];
    copy(result + at, n, way.result);
    if (shown != nullptr) copy(shown + at, n, way.shown);
  }
  helper::layout::order_past_caches();
}

class Work {
public:
  Work(std::size_t bytes, int rank)
      : count_(bytes / sizeof(double)), half_(count_ / 2), rank_(rank), memory_(2 * 3 * bytes), in_(count_),
        out_(count_) {
    auto* next = static_cast<double*>(memory_.data());
    for (Shown& shown : shown_) {
      shown = {next, next + half_, next + count_, next + 2 * count_};
      next += 3 * count_;
    }
    for (double*& buffer : allocated_)
      MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, static_cast<void*>(&buffer));
  }
  ~Work() {
    for (double* const buffer : allocated_) MPI_Free_mem(buffer);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  std::vector<Way> ways(bool in_place) const {
    std::vector<Way> all;
    for (const std::size_t chunk : {4 * KiB, 16 * KiB, 64 * KiB, half_}) { // doubles
      if (chunk > half_ || (!all.empty() && all.back().chunk == chunk)) continue;
      for (const Stores result : {Stores::plain, Stores::streaming}) {
        if (result == Stores::streaming && count_ * sizeof(double) < helper::pipeline::past_caches_least)
          continue;
        all.push_back({in_place, chunk, Stores::plain, result});
        if (!in_place) all.push_back({in_place, chunk, Stores::streaming, result});
      }
    }
    return all;
  }

  Times perform(const Way& way) {
    const auto self = static_cast<std::size_t>(rank_);
    const Shown &own = shown_[self], &other = shown_[1 - self];
    double* const in = way.in_place ? own.contribution : in_.data();
    double* const out = way.in_place ? own.result : out_.data();
    const std::size_t mine = self * half_, others = half_ - mine;
    prepare(in);
    Times times{};
    for (std::size_t at = 0; at < half_; at += way.chunk) {
      const std::size_t n = std::min(way.chunk, half_ - at);
      if (!way.in_place) timed(times.pack, [&] { copy(own.packed, in + others + at, n, way.shown); });
      timed(times.reduce, [&] {
        add(in + mine + at, way.in_place ? other.contribution + mine + at : other.packed, out + mine + at,
            way.in_place ? nullptr : own.sums, n, way);
      });
      timed(times.fetch, [&] {
        copy(out + others + at, way.in_place ? other.result + others + at : other.sums, n, way.result);
      });
    }
    times.all = times.pack + times.reduce + times.fetch;
    meeting_.meet(rank_); // the other rank reads no more of this one
    check(out);
    return times;
  }

  double call(bool in_place) {
    double* const in = in_place ? allocated_[0] : in_.data();
    double* const out = in_place ? allocated_[1] : out_.data();
    prepare(in);
    double seconds = 0;
    timed(seconds,
          [&] { MPI_Allreduce(in, out, static_cast<int>(count_), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    check(out);
    return seconds;
  }

private:
  static void copy(double* to, const double* from, std::size_t count, Stores stores) {
    helper::pipeline::copy(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from),
                           count * sizeof(double), stores);
  }

  template <class Act>
  void timed(double& seconds, const Act& act) {
    meeting_.meet(rank_);
    const double begin = MPI_Wtime();
    act();
    seconds += MPI_Wtime() - begin;
  }

  void prepare(double* in) {
    ++round_;
    for (std::size_t i = 0; i < count_; ++i) in[i] = static_cast<double>(i % 1000 + round_) + rank_;
  }

  void check(const double* out) const {
    for (std::size_t i = 0; i < count_; i += 61)
      if (out[i] != static_cast<double>(2 * (i % 1000 + round_) + 1)) throw std::runtime_error("wrong sums");
  }

  const std::size_t count_, half_; // doubles
  const int rank_;
  const SharedMemory memory_;
  std::array<Shown, 2> shown_; // by rank
  std::vector<double> in_, out_;
  std::array<double*, 2> allocated_; // by MPI_Alloc_mem
  Meeting meeting_;
  std::size_t round_ = 0;
};

/// Adds a line for each kind of memory. Times are of the slower rank.
void measure(std::size_t bytes, int rank, int repetitions, Lines& lines) {
  Work work(bytes, rank);
  for (const bool in_place : {false, true}) {
    const std::vector<Way> ways = work.ways(in_place);
    const auto sample = [&](std::size_t i) -> Times {
      // The first time brings the memory that this way uses, and no other, into the caches.
      if (i == ways.size()) {
        work.call(in_place);
        return {.all = of_all_ranks(work.call(in_place))};
      }
      work.perform(ways[i]);
      const auto [pack, reduce, fetch, all] = work.perform(ways[i]);
      return {of_all_ranks(pack), of_all_ranks(reduce), of_all_ranks(fetch), of_all_ranks(all)};
    };
    const auto times = take_warm(ways.size() + 1, repetitions, sample);
    const auto limit = [](const std::vector<Times>& of) { return median(of, &Times::all); };
    const auto& best = *std::ranges::min_element(times.begin(), times.end() - 1, {}, limit);
    const Way& way = ways[static_cast<std::size_t>(&best - times.data())];
    const auto text = [](Stores stores) { return stores == Stores::plain ? "plain" : "streaming"; };
    lines.add({{"bytes", bytes},
               {"memory", in_place ? "MPI_Alloc_mem" : "malloc"},
               {"crossing_bytes", 2 * bytes},
               {"chunk_bytes", way.chunk * sizeof(double)},
               {"stores", (in_place ? "" : std::string(text(way.shown)) + ", ") + text(way.result)},
               {"seconds pack", quantiles(best, &Times::pack)},
               {"seconds reduce", quantiles(best, &Times::reduce)},
               {"seconds fetch", quantiles(best, &Times::fetch)},
               {"seconds limit", quantiles(best, &Times::all)},
               {"seconds library", quantiles(times.back(), &Times::all)},
               {"ratio", limit(times.back()) / limit(best)}});
  }
}

} // namespace

int main(int argc, char** argv) {
  int repetitions = 50;
  std::vector<std::size_t> sizes{256 * KiB, MiB, 4 * MiB, 16 * MiB};
  Program program("limits", description);
  program.add_bytes("--sizes", sizes, "Sizes of the contribution of a rank", 64 * KiB);
  program.add_repetitions(repetitions);
  return program.run_ranks(argc, argv, [&](int rank, Lines& lines) {
    if (rank_count() != 2) throw std::runtime_error("there must be two ranks");
    const Membership membership(0, 1);
    for (const std::size_t bytes : sizes) measure(bytes / 1024 * 1024, rank, repetitions, lines);
  });
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// An MPI program that does not call the library. Arguments: allreduce, bcast or halo, the bytes of a message
// of doubles, the number of calls, and optionally "touched" or "written".
//
// halo exchanges the faces normal to x of 128³ doubles with a ring of ranks, with MPI_Isend, MPI_Irecv and
// MPI_Waitall. For each call rank 0 prints the microseconds until the last rank returned. The program writes
// its send buffers before each call. It writes its receive buffers never, before the first call (touched), or
// before each call (written).

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <span>
#include <string_view>
#include <vector>

namespace {

int rank = 0, ranks = 0;

class Collective {
public:
  Collective(bool is_bcast, std::size_t bytes, std::string_view receive)
      : is_bcast_(is_bcast), is_written_(receive == "written"), count_(bytes / sizeof(double)) {
    if (!receive.empty()) std::ranges::fill(received(), -1);
  }

  void write(int call) {
    if (is_written_) std::ranges::fill(received(), -1);
    if (!is_bcast_ || rank == 0) std::ranges::fill(std::span(in_.get(), count_), call);
  }
  void communicate() {
    const int count = static_cast<int>(count_);
    if (is_bcast_)
      MPI_Bcast(received().data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
      MPI_Allreduce(in_.get(), out_.get(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  bool is_right(int call) const {
    return std::ranges::all_of(received(),
                               [&](double each) { return each == call * (is_bcast_ ? 1 : ranks); });
  }

private:
  std::span<double> received() const { return {(is_bcast_ && rank == 0 ? in_ : out_).get(), count_}; }

  bool is_bcast_, is_written_;
  std::size_t count_;
  std::unique_ptr<double[]> in_{new double[count_]}, out_{new double[count_]}; // not touched
};

class Halo {
public:
  Halo() : grid_(std::size_t{full} * full * full) {
    constexpr std::array starts{depth, side, 0, depth + side}; // sent down, up, received from down, up
    for (std::size_t face = 0; face < faces_.size(); ++face) {
      constexpr std::array<int, 3> sizes{full, full, full}, part{side, side, depth};
      const std::array<int, 3> start{depth, depth, starts[face]};
      MPI_Type_create_subarray(3, sizes.data(), part.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE,
                               &faces_[face]);
      MPI_Type_commit(&faces_[face]);
    }
  }

  void write(int call) { std::ranges::fill(grid_, 100.0 * call + rank); }
  void communicate() {
    const int down = (rank + ranks - 1) % ranks, up = (rank + 1) % ranks;
    std::array<MPI_Request, 4> requests{};
    MPI_Irecv(grid_.data(), 1, faces_[2], down, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(grid_.data(), 1, faces_[3], up, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(grid_.data(), 1, faces_[0], down, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(grid_.data(), 1, faces_[1], up, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }
  bool is_right(int call) const {
    const std::size_t row = (std::size_t{depth} * full + depth) * full;
    return grid_[row] == 100.0 * call + (rank + ranks - 1) % ranks &&
           grid_[row + full - 1] == 100.0 * call + (rank + 1) % ranks;
  }

private:
  static constexpr int side = 128, depth = 2, full = side + 2 * depth;

  std::vector<double> grid_;
  std::array<MPI_Datatype, 4> faces_{};
};

template <class Exchange>
void measure(Exchange exchange, int calls) {
  std::vector<double> own(static_cast<std::size_t>(calls)), last(own.size());
  for (int call = 0; double& each : own) {
    exchange.write(++call);
    PMPI_Barrier(MPI_COMM_WORLD); // a preloaded library does not see it
    const double begun = MPI_Wtime();
    exchange.communicate();
    each = (MPI_Wtime() - begun) * 1e6;
  }
  if (!exchange.is_right(calls)) {
    std::fprintf(stderr, "rank %d has received wrong data\n", rank);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  PMPI_Reduce(own.data(), last.data(), calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (const double each : last) std::printf("%.3f\n", each);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string_view what = argv[1];
  const int calls = std::atoi(argv[3]);
  if (what == "halo")
    measure(Halo(), calls);
  else
    measure(Collective(what == "bcast", std::strtoul(argv[2], nullptr, 10), argc > 4 ? argv[4] : ""), calls);
  MPI_Finalize();
}

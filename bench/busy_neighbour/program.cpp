// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// An MPI program that knows nothing of helper teams. Its argument is a number of bytes for MPI_Allreduce of
// doubles, or "halo": the exchange of the faces normal to x of 128³ doubles with a ring of ranks, by
// MPI_Isend, MPI_Irecv and MPI_Waitall. The program writes all data before each call. Rank 0 prints the
// median over the calls of the time until the last rank had returned, in microseconds.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string_view>
#include <vector>

namespace {

int rank = 0, ranks = 0;

class Sum {
public:
  explicit Sum(std::size_t bytes) : sent_(bytes / sizeof(double)), received_(sent_.size()) {}

  void write(int call) {
    std::ranges::fill(sent_, call);
    std::ranges::fill(received_, -1);
  }
  void communicate() {
    MPI_Allreduce(sent_.data(), received_.data(), static_cast<int>(sent_.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
  }
  bool is_right(int call) const {
    return std::ranges::count(received_, call * ranks) == static_cast<std::ptrdiff_t>(received_.size());
  }

private:
  std::vector<double> sent_, received_;
};

class Halo {
public:
  Halo() : grid_(std::size_t{full} * full * full) {
    constexpr std::array starts{depth, side, 0, depth + side}; // of what is sent down, up, received there
    for (std::size_t face = 0; face < faces_.size(); ++face) {
      constexpr std::array<int, 3> sizes{full, full, full}, part{side, side, depth};
      const std::array<int, 3> start{depth, depth, starts[face]};
      MPI_Type_create_subarray(3, sizes.data(), part.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE,
                               &faces_[face]);
      MPI_Type_commit(&faces_[face]);
    }
  }
  ~Halo() {
    for (MPI_Datatype& face : faces_) MPI_Type_free(&face);
  }
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

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
void measure(Exchange exchange, std::size_t calls) {
  std::vector<double> seconds(calls), last(calls);
  for (int call = 0; double& each : seconds) {
    exchange.write(++call);
    PMPI_Barrier(MPI_COMM_WORLD); // which the library, if it is preloaded, does not see
    const double begun = MPI_Wtime();
    exchange.communicate();
    each = MPI_Wtime() - begun;
    if (exchange.is_right(call)) continue;
    std::fprintf(stderr, "rank %d has received something else than was sent\n", rank);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  PMPI_Reduce(seconds.data(), last.data(), static_cast<int>(calls), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const auto middle = last.begin() + static_cast<std::ptrdiff_t>(calls / 2);
  std::ranges::nth_element(last, middle);
  if (rank == 0) std::printf("%.3f\n", *middle * 1e6);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr std::size_t kib = 1024;
  if (std::string_view(argv[1]) == "halo") {
    measure(Halo(), 60);
  } else {
    const std::size_t bytes = std::strtoul(argv[1], nullptr, 10);
    measure(Sum(bytes), bytes <= 4 * kib ? 401 : bytes <= kib * kib ? 101 : 11);
  }
  MPI_Finalize();
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Heat in a cube that a grid of processes shares out. After every step each process exchanges the six faces
// of its part with its neighbours, in one of two ways: all at once, by MPI_Irecv, MPI_Isend and MPI_Waitall,
// or one direction after the other, by MPI_Sendrecv. Faces are subarrays, of single cells in the worst case,
// so that packing them is most of the work, which the team shares. Arguments: cells of an edge, steps.

#include "communication.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace {

using namespace example;

using Triple = std::array<int, 3>;

/// Cells (1 … extent) in three dimensions, and a halo of one cell around them.
struct Box {
  explicit Box(Triple cells)
      : extent(cells), cells_(index(extent[0] + 1, extent[1] + 1, extent[2] + 1) + 1) {}

  double& operator()(int x, int y, int z) { return cells_[index(x, y, z)]; }
  double* data() { return cells_.data(); }

  Triple extent;

private:
  std::size_t index(int x, int y, int z) const {
    const auto of = [](int value) { return static_cast<std::size_t>(value); };
    return (of(x) * of(extent[1] + 2) + of(y)) * of(extent[2] + 2) + of(z);
  }

  std::vector<double> cells_;
};

/// What a process has to do with its neighbours below and above in each dimension: their ranks, the outermost
/// layer of cells, which goes there, and the halo, which comes from there.
class Neighbours {
public:
  Neighbours(const Box& box, MPI_Comm processes) : processes_(processes) {
    for (int dimension = 0; dimension < 3; ++dimension) {
      const auto d = static_cast<std::size_t>(dimension);
      MPI_Cart_shift(processes, dimension, 1, &ranks_[d][0], &ranks_[d][1]);
      layers_[d] = {layer(box, d, 1), layer(box, d, box.extent[d])};
      halos_[d] = {layer(box, d, 0), layer(box, d, box.extent[d] + 1)};
    }
  }
  ~Neighbours() {
    for (auto* types : {&layers_, &halos_})
      for (auto& of_dimension : *types)
        for (MPI_Datatype& type : of_dimension) MPI_Type_free(&type);
  }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  void exchange_at_once(Box& box) const {
    std::array<MPI_Request, 12> requests;
    std::size_t started = 0;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t side = 0; side < 2; ++side)
        MPI_Irecv(box.data(), 1, halos_[d][side], ranks_[d][side], static_cast<int>(side), processes_,
                  &requests[started++]);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t side = 0; side < 2; ++side) // what goes down comes from above
        MPI_Isend(box.data(), 1, layers_[d][side], ranks_[d][side], static_cast<int>(1 - side), processes_,
                  &requests[started++]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  void exchange_in_turn(Box& box) const {
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t side = 0; side < 2; ++side)
        MPI_Sendrecv(box.data(), 1, layers_[d][side], ranks_[d][side], 0, box.data(), 1, halos_[d][1 - side],
                     ranks_[d][1 - side], 0, processes_, MPI_STATUS_IGNORE);
  }

private:
  /// The cells of one layer, across a dimension.
  static MPI_Datatype layer(const Box& box, std::size_t dimension, int place) {
    Triple sizes, extent = box.extent, first{1, 1, 1};
    std::ranges::transform(box.extent, sizes.begin(), [](int cells) { return cells + 2; });
    extent[dimension] = 1;
    first[dimension] = place;
    MPI_Datatype type;
    MPI_Type_create_subarray(3, sizes.data(), extent.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
  }

  MPI_Comm processes_;
  std::array<std::array<int, 2>, 3> ranks_{};
  std::array<std::array<MPI_Datatype, 2>, 3> layers_{}, halos_{};
};

using Exchange = void (Neighbours::*)(Box&) const;

/// One step of Jacobi's method in a plane of cells.
void relax(Box& from, Box& to, int x) {
  for (int y = 1; y <= from.extent[1]; ++y)
    for (int z = 1; z <= from.extent[2]; ++z)
      to(x, y, z) = (from(x - 1, y, z) + from(x + 1, y, z) + from(x, y - 1, z) + from(x, y + 1, z) +
                     from(x, y, z - 1) + from(x, y, z + 1)) /
                    6;
}

/// A part of the cube, whose temperature at first depends on the place.
Box part_of_cube(Triple first, Triple extent) {
  Box box(extent);
  for (int x = 1; x <= extent[0]; ++x)
    for (int y = 1; y <= extent[1]; ++y)
      for (int z = 1; z <= extent[2]; ++z)
        box(x, y, z) = (first[0] + x) * 0.5 + (first[1] + y) % 7 + (first[2] + z) % 5;
  return box;
}

/// Some steps; returns the seconds of communication.
double run(Box& box, int steps, Exchange exchange, const Neighbours& neighbours, bool helped) {
  Box next = box;
  double seconds = 0;
#pragma omp parallel reduction(+ : seconds)
  {
    Communication communication(helped);
    for (int step = 0; step < steps; ++step) {
      communication([&] { (neighbours.*exchange)(box); });
#pragma omp for
      for (int x = 1; x <= box.extent[0]; ++x) relax(box, next, x);
#pragma omp single
      std::swap(box, next);
    }
    seconds += communication.seconds();
  }
  return seconds;
}

Box run_serially(int edge, int steps) {
  Box cube = part_of_cube({}, {edge, edge, edge}), next = cube;
  for (int step = 0; step < steps; ++step) {
    for (int x = 1; x <= edge; ++x) relax(cube, next, x);
    std::swap(cube, next);
  }
  return cube;
}

double difference(Box& part, Triple first, Box& cube) {
  double most = 0;
  for (int x = 1; x <= part.extent[0]; ++x)
    for (int y = 1; y <= part.extent[1]; ++y)
      for (int z = 1; z <= part.extent[2]; ++z)
        most = std::max(most, std::abs(part(x, y, z) - cube(first[0] + x, first[1] + y, first[2] + z)));
  return most;
}

/// Runs both exchanges without and with a team; returns the largest error.
double compare(int edge, int steps, MPI_Comm processes) {
  Triple dimensions, periods, place, first, extent;
  MPI_Cart_get(processes, 3, dimensions.data(), periods.data(), place.data());
  for (std::size_t d = 0; d < 3; ++d) {
    const Share mine = share(edge, dimensions[d], place[d]);
    first[d] = mine.first;
    extent[d] = mine.count;
  }
  const Box begin = part_of_cube(first, extent);
  const Neighbours neighbours(begin, processes);
  Box cube = run_serially(edge, steps);
  const std::pair<const char*, Exchange> exchanges[] = {
      {"Irecv, Isend, Waitall", &Neighbours::exchange_at_once}, {"Sendrecv", &Neighbours::exchange_in_turn}};
  double error = 0;
  for (const auto& [name, exchange] : exchanges) {
    double seconds[2];
    for (const bool helped : {false, true}) {
      Box box = begin;
      seconds[helped] = run(box, steps, exchange, neighbours, helped);
      error = std::max(error, difference(box, first, cube));
    }
    show(name, seconds[false], seconds[true]);
  }
  return error;
}

} // namespace

int main(int argc, char** argv) {
  int provided, size;
  Triple dimensions{}, open{};
  MPI_Comm processes;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, dimensions.data());
  std::ranges::reverse(dimensions); // the most parts in the direction whose faces are single cells
  MPI_Cart_create(MPI_COMM_WORLD, 3, dimensions.data(), open.data(), 1, &processes);
  const auto [edge, steps] =
      read(argc, argv, {{"CELLS_OF_AN_EDGE", std::max(24, size), size, 1000}, {"STEPS", 5, 1, 1000000}});
  const double error = compare(edge, steps, processes);
  const int result = status(error, 1e-12);
  MPI_Comm_free(&processes);
  MPI_Finalize();
  return result;
}

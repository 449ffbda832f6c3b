// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A stencil: each point of a periodic grid becomes the mean of the points one and two steps away along the
// three axes. One MPI_Neighbor_alltoallw of subarrays moves all faces, two points deep, while the OpenMP
// threads wait.

#include "common.hpp"

#include <numbers>

namespace {

constexpr int deep = 2, n = 128; ///< points of a face in depth, and of an edge of the cube of a rank
constexpr int edge = n + 2 * deep;
constexpr std::ptrdiff_t strides[] = {edge * edge, edge, 1};

std::size_t at(int x, int y, int z) {
  return static_cast<std::size_t>(((x + deep) * edge + y + deep) * edge + z + deep);
}

void step(const std::vector<double>& from, std::vector<double>& to) {
#pragma omp parallel for schedule(static)
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y) {
      const double* const row = &from[at(x, y, 0)];
      double* const result = &to[at(x, y, 0)];
      for (int z = 0; z < n; ++z) {
        double sum = 0;
        for (const std::ptrdiff_t stride : strides)
          sum += row[z - 2 * stride] + row[z - stride] + row[z + stride] + row[z + 2 * stride];
        result[z] = sum / 12;
      }
    }
}

template <class Visit>
void each(Visit visit) {
  for (int i = 0; i < n * n * n; ++i) visit(i / (n * n), i / n % n, i % n);
}

} // namespace

// Usage: faces [STEPS]
int main(int argc, char** argv) {
  Job job(argc, argv, 100);
  int dims[3] = {}, own[3] = {};
  const int periods[3] = {1, 1, 1};
  MPI_Dims_create(job.ranks, 3, dims);
  MPI_Comm cube = MPI_COMM_NULL, grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cube);
  MPI_Cart_coords(cube, job.rank, 3, own);

  // Upper faces go up to lower ghost cells. In this order it is so as well if both neighbours are the same
  // rank.
  std::vector<int> sources, targets;
  std::vector<MPI_Datatype> ghosts, faces;
  for (int dimension = 0; dimension < 3; ++dimension) {
    int below = 0, above = 0;
    MPI_Cart_shift(cube, dimension, 1, &below, &above);
    sources.insert(sources.end(), {below, above});
    targets.insert(targets.end(), {above, below});
    const auto face = [&](int first) {
      std::vector<int> part{n, n, n}, start{deep, deep, deep};
      part[static_cast<std::size_t>(dimension)] = deep;
      start[static_cast<std::size_t>(dimension)] = first;
      return job.part_of({edge, edge, edge}, part, start, MPI_DOUBLE);
    };
    ghosts.insert(ghosts.end(), {face(0), face(n + deep)});
    faces.insert(faces.end(), {face(n), face(deep)});
  }
  const std::vector<int> ones(6, 1);
  const std::vector<MPI_Aint> zeros(6, 0);
  MPI_Dist_graph_create_adjacent(cube, 6, sources.data(), MPI_UNWEIGHTED, 6, targets.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &grid);

  // A wave along all axes keeps its form. Each step makes it smaller by the same factor.
  double factor = 0;
  for (const int along : dims)
    for (const int steps : {1, 2}) factor += std::cos(2 * std::numbers::pi * steps / (n * along)) / 6;
  const auto wave = [&](int x, int y, int z) {
    const double turns = double(own[0] * n + x) / dims[0] + double(own[1] * n + y) / dims[1] +
                         double(own[2] * n + z) / dims[2];
    return std::cos(2 * std::numbers::pi * turns / n);
  };
  std::vector<double> field(static_cast<std::size_t>(edge) * edge * edge), next(field.size());
  each([&](int x, int y, int z) { field[at(x, y, z)] = 1 + wave(x, y, z); });
  for (int i = 0; i < job.steps; ++i) {
    MPI_Neighbor_alltoallw(field.data(), ones.data(), zeros.data(), faces.data(), field.data(), ones.data(),
                           zeros.data(), ghosts.data(), grid);
    step(field, next);
    field.swap(next);
  }
  double sum = 0, error = 0;
  each([&](int x, int y, int z) {
    sum += field[at(x, y, z)];
    error = std::max(error, std::abs(field[at(x, y, z)] - 1 - wave(x, y, z) * std::pow(factor, job.steps)));
  });
  for (MPI_Comm* const comm : {&grid, &cube}) MPI_Comm_free(comm);
  return job.finish(sum, double(n) * n * n * job.ranks, error, 1e-9);
}

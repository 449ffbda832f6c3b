// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Heat in a plate: Jacobi's method on a two-dimensional grid that a grid of processes shares out. In every
// step all threads compute; then one thread exchanges the halos, whose columns are an MPI vector type, and
// agrees with the other processes on whether to go on, while the rest of the team helps to pack, move, unpack
// and reduce.

#include "communication.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <omp.h>
#include <utility>
#include <vector>

namespace {

using example::Share, example::share;

constexpr int plate_rows = 40, plate_columns = 32;
constexpr double tolerance = 2e-3;

/// The cells (1 … rows, 1 … columns) and around them the halo: neighbours' cells or the edge of the plate.
struct Grid {
  int rows, columns;
  std::vector<double> cells = std::vector<double>(static_cast<std::size_t>((rows + 2) * (columns + 2)));

  double& operator()(int row, int column) {
    return cells[static_cast<std::size_t>(row * (columns + 2) + column)];
  }
};

/// A grid of cold cells, its upper edge hot if that is the edge of the plate.
Grid cold_grid(int rows, int columns, bool at_upper_edge) {
  Grid grid{rows, columns};
  if (at_upper_edge) std::fill_n(&grid(0, 1), columns, 1.0);
  return grid;
}

/// One step of Jacobi's method on one row of cells; returns the largest change of a cell.
double relax(Grid& from, Grid& to, int row) {
  double largest = 0;
  for (int column = 1; column <= from.columns; ++column) {
    to(row, column) =
        (from(row - 1, column) + from(row + 1, column) + from(row, column - 1) + from(row, column + 1)) / 4;
    largest = std::max(largest, std::abs(to(row, column) - from(row, column)));
  }
  return largest;
}

Grid solve_serially() {
  Grid plate = cold_grid(plate_rows, plate_columns, true), next = plate;
  for (double change = tolerance; change >= tolerance;) {
    change = 0;
    for (int row = 1; row <= plate.rows; ++row) change = std::max(change, relax(plate, next, row));
    std::swap(plate, next);
  }
  return plate;
}

/// Fills the halo of `grid` with the outermost cells of the neighbours. At the edge of the plate the
/// neighbour is MPI_PROC_NULL, and the halo remains as it is.
void exchange_halos(Grid& grid, MPI_Datatype column, MPI_Comm processes) {
  int above, below, left, right;
  MPI_Cart_shift(processes, 0, 1, &above, &below);
  MPI_Cart_shift(processes, 1, 1, &left, &right);

  const auto exchange = [&](double& send, int to, double& receive, int from, int count, MPI_Datatype type) {
    MPI_Sendrecv(&send, count, type, to, 0, &receive, count, type, from, 0, processes, MPI_STATUS_IGNORE);
  };
  exchange(grid(1, 1), above, grid(grid.rows + 1, 1), below, grid.columns, MPI_DOUBLE);
  exchange(grid(grid.rows, 1), below, grid(0, 1), above, grid.columns, MPI_DOUBLE);
  exchange(grid(1, 1), left, grid(1, grid.columns + 1), right, 1, column);
  exchange(grid(1, grid.columns), right, grid(1, 0), left, 1, column);
}

Grid solve(Share rows, Share columns, MPI_Comm processes) {
  Grid grid = cold_grid(rows.count, columns.count, rows.first == 0), next = grid;
  MPI_Datatype column;
  MPI_Type_vector(grid.rows, 1, grid.columns + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);

  double change_here = 0, change = std::numeric_limits<double>::infinity();
#pragma omp parallel
  {
    MPI_Helper_team team;
    MPI_Helper_team_create(0, omp_get_num_threads(), &team);
    while (change >= tolerance) {
#pragma omp for reduction(max : change_here)
      for (int row = 1; row <= grid.rows; ++row) change_here = std::max(change_here, relax(grid, next, row));

      MPI_Helper_join(team);
      if (omp_get_thread_num() == 0) {
        std::swap(grid, next);
        exchange_halos(grid, column, processes);
        MPI_Allreduce(&change_here, &change, 1, MPI_DOUBLE, MPI_MAX, processes);
        change_here = 0;
      }
      MPI_Helper_leave(team); // returns when all have come: every thread sees the new halo and `change`
    }
    MPI_Helper_team_free(&team);
  }
  MPI_Type_free(&column);
  return grid;
}

} // namespace

int main(int argc, char** argv) {
  int provided, size, rank, dimensions[2] = {}, position[2];
  const int open_edges[2] = {};
  MPI_Comm processes;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  read_arguments(argc, argv, 0, nullptr, nullptr, nullptr);
  MPI_Dims_create(size, 2, dimensions);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, open_edges, 1, &processes);
  MPI_Comm_rank(processes, &rank);
  MPI_Cart_coords(processes, rank, 2, position);

  const Share rows = share(plate_rows, dimensions[0], position[0]);
  const Share columns = share(plate_columns, dimensions[1], position[1]);
  Grid mine = solve(rows, columns, processes), plate = solve_serially();

  double error = 0;
  for (int row = 1; row <= rows.count; ++row)
    for (int column = 1; column <= columns.count; ++column)
      error = std::max(error, std::abs(mine(row, column) - plate(rows.first + row, columns.first + column)));
  const bool right = error < 1e-12;
  if (right && rank == 0) std::printf("The plate is right: %d x %d points\n", plate_rows, plate_columns);
  if (!right) std::fprintf(stderr, "rank %d: off by up to %g\n", rank, error);

  MPI_Comm_free(&processes);
  MPI_Finalize();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

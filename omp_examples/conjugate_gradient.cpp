// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The method of conjugate gradients for Poisson's equation on a square. Its columns are divided among the
// processes. In every iteration each process sends its outermost columns, an MPI vector type, to its
// neighbours, and MPI_Allreduce sums two dot products over the processes. Arguments: cells of an edge,
// iterations.

#include "communication.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace example;

/// A vector: a value for every cell (1 … rows, 1 … columns), and around them a halo.
struct Field {
  int rows, columns;
  std::vector<double> cells = std::vector<double>(static_cast<std::size_t>((rows + 2) * (columns + 2)));

  double& operator()(int row, int column) {
    return cells[static_cast<std::size_t>(row * (columns + 2) + column)];
  }
};

/// The processes that a solver works with; none for a serial solver.
class Neighbours {
public:
  Neighbours(const Field& field, MPI_Comm comm) : comm_(comm) {
    if (comm == MPI_COMM_NULL) return;
    int size, rank;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    left_ = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right_ = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Type_vector(field.rows, 1, field.columns + 2, MPI_DOUBLE, &column_);
    MPI_Type_commit(&column_);
  }
  ~Neighbours() {
    if (comm_ != MPI_COMM_NULL) MPI_Type_free(&column_);
  }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// Fills the columns of the halo with the outermost columns of the neighbours.
  void exchange(Field& field) const {
    if (comm_ == MPI_COMM_NULL) return;
    MPI_Sendrecv(&field(1, 1), 1, column_, left_, 0, &field(1, field.columns + 1), 1, column_, right_, 0,
                 comm_, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&field(1, field.columns), 1, column_, right_, 0, &field(1, 0), 1, column_, left_, 0, comm_,
                 MPI_STATUS_IGNORE);
  }

  /// Replaces the value by the sum over all processes.
  void add_up(double& value) const {
    if (comm_ != MPI_COMM_NULL) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm_);
  }

private:
  MPI_Comm comm_;
  int left_ = MPI_PROC_NULL, right_ = MPI_PROC_NULL;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
};

/// Solves A x = b, where b is 1 everywhere, with a fixed number of iterations. Adds the seconds of
/// communication to `seconds`.
Field solve(int rows, int columns, int iterations, MPI_Comm comm, bool helped, double& seconds) {
  Field x{rows, columns}, residual = x, direction = x, image = x;
  for (int row = 1; row <= rows; ++row)
    for (int column = 1; column <= columns; ++column) residual(row, column) = direction(row, column) = 1;
  const Neighbours neighbours(x, comm);
  double norm = rows * columns, next_norm = 0, product = 0;
  neighbours.add_up(norm);

#pragma omp parallel reduction(+ : seconds)
  {
    Communication communication(helped);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      communication([&] {
        neighbours.exchange(direction);
        product = 0;
      });
#pragma omp for reduction(+ : product)
      for (int row = 1; row <= rows; ++row)
        for (int column = 1; column <= columns; ++column) {
          image(row, column) = 4 * direction(row, column) - direction(row - 1, column) -
                               direction(row + 1, column) - direction(row, column - 1) -
                               direction(row, column + 1);
          product += image(row, column) * direction(row, column);
        }
      communication([&] {
        neighbours.add_up(product);
        next_norm = 0;
      });
      const double step = norm / product;
#pragma omp for reduction(+ : next_norm)
      for (int row = 1; row <= rows; ++row)
        for (int column = 1; column <= columns; ++column) {
          x(row, column) += step * direction(row, column);
          residual(row, column) -= step * image(row, column);
          next_norm += residual(row, column) * residual(row, column);
        }
      communication([&] { neighbours.add_up(next_norm); });
      const double growth = next_norm / norm;
#pragma omp for
      for (int row = 1; row <= rows; ++row)
        for (int column = 1; column <= columns; ++column)
          direction(row, column) = residual(row, column) + growth * direction(row, column);
#pragma omp single
      norm = next_norm;
    }
    seconds += communication.seconds();
  }
  return x;
}

double difference(Field& part, Share columns, Field& whole) {
  double most = 0;
  for (int row = 1; row <= part.rows; ++row)
    for (int column = 1; column <= part.columns; ++column)
      most = std::max(most, std::abs(part(row, column) - whole(row, columns.first + column)));
  return most;
}

} // namespace

int main(int argc, char** argv) {
  const World world = start(argc, argv);
  const int size = world.size, rank = world.rank;
  const auto [edge, iterations] = read(
      argc, argv, {{"CELLS_OF_AN_EDGE", std::max(64, size), size, 10000}, {"ITERATIONS", 20, 1, 1000000}});
  const Share columns = share(edge, size, rank);

  double seconds[2] = {}, serial = 0, error = 0;
  Field whole = solve(edge, edge, iterations, MPI_COMM_NULL, false, serial);
  for (const bool helped : {false, true}) {
    Field part = solve(edge, columns.count, iterations, MPI_COMM_WORLD, helped, seconds[helped]);
    error = std::max(error, difference(part, columns, whole));
  }
  show("Sendrecv, Allreduce", seconds[false], seconds[true]);
  const int result = status(error, 1e-8); // dot products are summed in different orders
  MPI_Finalize();
  return result;
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Transposes a matrix, whose rows are distributed over the processes, with one MPI_Alltoallw. Datatypes
// select blocks of rows and store them transposed. Nothing is copied before or after the call, and the team
// shares work that MPI would do on one thread. Arguments: rows of the matrix, repetitions.

#include "communication.hpp"

#include <vector>

namespace {

using namespace example;

double element(int row, int column) {
  return row * 1e5 + column;
}

/// The arguments of one MPI_Alltoallw: a block for each process, in rows on the sending side, transposed on
/// the receiving side.
class Transposition {
public:
  explicit Transposition(int edge) : edge_(edge) {
    int size, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine_ = share(edge, size, rank);
    for (int other = 0; other < size; ++other) {
      const Share theirs = share(edge, size, other);
      counts_.push_back(1);
      displacements_.push_back(theirs.first * static_cast<int>(sizeof(double)));
      from_.push_back(block(theirs.count));
      to_.push_back(turned(theirs.count));
    }
  }
  ~Transposition() {
    for (auto* types : {&from_, &to_})
      for (MPI_Datatype& type : *types) MPI_Type_free(&type);
  }
  Transposition(const Transposition&) = delete;
  Transposition& operator=(const Transposition&) = delete;

  Share mine() const { return mine_; }

  /// Collective over MPI_COMM_WORLD.
  void operator()(const std::vector<double>& matrix, std::vector<double>& transposed) const {
    MPI_Alltoallw(matrix.data(), counts_.data(), displacements_.data(), from_.data(), transposed.data(),
                  counts_.data(), displacements_.data(), to_.data(), MPI_COMM_WORLD);
  }

private:
  /// Returns the datatype of `columns` columns of the local rows, in the order of rows.
  MPI_Datatype block(int columns) const {
    MPI_Datatype type;
    MPI_Type_vector(mine_.count, columns, edge_, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
  }

  /// Returns the datatype of `columns` columns of the local rows, in the order of columns: the others send
  /// them as rows.
  MPI_Datatype turned(int columns) const {
    MPI_Datatype column, type;
    MPI_Type_vector(mine_.count, 1, edge_, MPI_DOUBLE, &column);
    MPI_Type_create_hvector(columns, 1, sizeof(double), column, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&column);
    return type;
  }

  int edge_;
  Share mine_{};
  std::vector<int> counts_, displacements_; ///< in bytes
  std::vector<MPI_Datatype> from_, to_;
};

/// Transposes `repetitions` times. Returns the seconds, and adds the number of wrong elements to `wrong`.
double run(int edge, int repetitions, bool helped, int& wrong) {
  const Transposition transpose(edge);
  const Share mine = transpose.mine();
  std::vector<double> matrix(static_cast<std::size_t>(mine.count) * static_cast<std::size_t>(edge));
  std::vector<double> transposed(matrix.size());
  const auto at = [edge](int row, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(edge) + static_cast<std::size_t>(column);
  };
  double seconds = 0;
#pragma omp parallel reduction(+ : seconds, wrong)
  {
    Communication communication(helped);
#pragma omp for
    for (int row = 0; row < mine.count; ++row)
      for (int column = 0; column < edge; ++column)
        matrix[at(row, column)] = element(mine.first + row, column);
    for (int repetition = 0; repetition < repetitions; ++repetition)
      communication([&] { transpose(matrix, transposed); });
#pragma omp for
    for (int row = 0; row < mine.count; ++row)
      for (int column = 0; column < edge; ++column)
        wrong += transposed[at(row, column)] != element(column, mine.first + row);
    seconds += communication.seconds();
  }
  return seconds;
}

} // namespace

int main(int argc, char** argv) {
  int provided, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto [edge, repetitions] =
      read(argc, argv, {{"ROWS", std::max(200, size), size, 30000}, {"REPETITIONS", 3, 1, 1000000}});
  const double without = run(edge, repetitions, false, wrong);
  const double with = run(edge, repetitions, true, wrong);
  show("Alltoallw", without, with);
  const int result = status(wrong, 0);
  MPI_Finalize();
  return result;
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// LU factorisation with partial pivoting. The matrix is distributed over a grid of processes, cyclically in
// both dimensions. Each row and each column of the grid is a system-ranked group: columns agree on pivots and
// pass on rows of the factor, rows pass on multipliers. None of these operations depends on ranks; at the
// start the processes find out which rank of a group is at which place. Argument: rows.

#include "communication.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace example;

/// The cyclic distribution of a dimension over `places` places; this process is at `place`.
struct Deal {
  int places, place;

  /// Returns the number of the first local index at or after `index`.
  int local(int index) const { return (index - place + places - 1) / places; }
  int global(int local) const { return local * places + place; }
  bool has(int index) const { return index % places == place; }
};

/// A row or a column of the grid; none for a serial factorisation.
class Line {
public:
  Line() = default;
  /// Makes the line of the processes of `all` that pass the same `number`. This process is at the place of
  /// `deal`.
  Line(MPIX_Sysgroup all, int number, const Deal& deal) : ranks_(static_cast<std::size_t>(deal.places), -1) {
    MPIX_Sysgroup_split(all, number, MPI_INFO_NULL, &group_);
    MPIX_Sysgroup_rank(group_, &ranks_[static_cast<std::size_t>(deal.place)]);
    MPIX_Sysgroup_allreduce(MPI_IN_PLACE, ranks_.data(), deal.places, MPI_INT, MPI_MAX, group_);
  }
  ~Line() {
    if (group_ != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&group_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void bcast(void* data, int count, MPI_Datatype type, int from) const {
    if (group_ != MPIX_SYSGROUP_NULL)
      MPIX_Sysgroup_bcast(data, count, type, ranks_[static_cast<std::size_t>(from)], group_);
  }
  void find_greatest(void* data, MPI_Datatype pair) const {
    if (group_ != MPIX_SYSGROUP_NULL)
      MPIX_Sysgroup_allreduce(MPI_IN_PLACE, data, 1, pair, MPI_MAXLOC, group_);
  }

private:
  MPIX_Sysgroup group_ = MPIX_SYSGROUP_NULL;
  std::vector<int> ranks_;
};

/// A process's part of the matrix, row by row.
struct Part {
  int size; ///< of the whole matrix
  Deal rows, columns;
  std::vector<double> elements = {};

  int height() const { return rows.local(size); }
  int width() const { return columns.local(size); }
  double* row(int local) { return elements.data() + local * width(); }
};

/// Returns this process's part of the matrix. The matrix is the same for each distribution.
Part make_part(int size, const Deal& rows, const Deal& columns) {
  Part part{size, rows, columns};
  std::mt19937 random(1);
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column) {
      const double element = std::uniform_real_distribution(-1.0, 1.0)(random);
      if (rows.has(row) && columns.has(column)) part.elements.push_back(element);
    }
  return part;
}

struct Pivot {
  double value;
  int row;
};

/// Returns the pivot of the column `step`, from the row `step` on. This process has a part of the column.
Pivot find_pivot(Part& part, int step, const Line& column) {
  Pivot pivot{-1, part.size};
  const int local = part.columns.local(step);
  for (int row = part.rows.local(step); row < part.height(); ++row)
    if (std::abs(part.row(row)[local]) > pivot.value)
      pivot = {std::abs(part.row(row)[local]), part.rows.global(row)};
  column.find_greatest(&pivot, MPI_DOUBLE_INT);
  return pivot;
}

void exchange_rows(Part& part, int one, int other) {
  const bool has_one = part.rows.has(one), has_other = part.rows.has(other);
  if (one == other || (!has_one && !has_other)) return;
  double* const mine = part.row(part.rows.local(has_one ? one : other));
  if (has_one && has_other) {
    std::swap_ranges(mine, mine + part.width(), part.row(part.rows.local(other)));
    return;
  }
  const int place = (has_one ? other : one) % part.rows.places;
  const int peer = place * part.columns.places + part.columns.place;
  MPI_Sendrecv_replace(mine, part.width(), MPI_DOUBLE, peer, 0, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Factorises in place. Returns the permutation of the rows. Adds the seconds of communication to `seconds`.
std::vector<int> factorise(Part& part, const Line& row, const Line& column, bool helped, double& seconds) {
  std::vector<int> order(static_cast<std::size_t>(part.size));
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> top(static_cast<std::size_t>(part.width())),
      left(static_cast<std::size_t>(part.height()));

#pragma omp parallel reduction(+ : seconds)
  {
    Communication communication(helped);
    for (int step = 0; step < part.size; ++step) {
      const int first_row = part.rows.local(step + 1), first_column = part.columns.local(step + 1);
      const bool has_column = part.columns.has(step);
      communication([&] {
        Pivot pivot{};
        if (has_column) pivot = find_pivot(part, step, column);
        row.bcast(&pivot, 1, MPI_DOUBLE_INT, step % part.columns.places);
        exchange_rows(part, step, pivot.row);
        std::swap(order[static_cast<std::size_t>(step)], order[static_cast<std::size_t>(pivot.row)]);
        if (part.rows.has(step)) std::copy_n(part.row(part.rows.local(step)), part.width(), top.begin());
        column.bcast(top.data(), part.width(), MPI_DOUBLE, step % part.rows.places);
        if (has_column) {
          const int local = part.columns.local(step);
          for (int i = first_row; i < part.height(); ++i)
            left[static_cast<std::size_t>(i)] = part.row(i)[local] /= top[static_cast<std::size_t>(local)];
        }
        row.bcast(left.data() + first_row, part.height() - first_row, MPI_DOUBLE, step % part.columns.places);
      });
#pragma omp for
      for (int i = first_row; i < part.height(); ++i)
        for (int j = first_column; j < part.width(); ++j)
          part.row(i)[j] -= left[static_cast<std::size_t>(i)] * top[static_cast<std::size_t>(j)];
    }
    seconds += communication.seconds();
  }
  return order;
}

double difference(Part& part, Part& whole) {
  double most = 0;
  for (int i = 0; i < part.height(); ++i)
    for (int j = 0; j < part.width(); ++j)
      most =
          std::max(most, std::abs(part.row(i)[j] - whole.row(part.rows.global(i))[part.columns.global(j)]));
  return most;
}

} // namespace

int main(int argc, char** argv) {
  const World world = start(argc, argv);
  const int size = world.size, rank = world.rank;
  const auto [edge] = read(argc, argv, {{"ROWS", std::max(48, size), size, 10000}});
  int height = 1; // of the grid, which is as square as possible
  for (int divisor = 1; divisor * divisor <= size; ++divisor)
    if (size % divisor == 0) height = divisor;
  const Deal rows{height, rank / (size / height)}, columns{size / height, rank % (size / height)};

  double seconds[2] = {}, serial = 0, error = 0;
  Part whole = make_part(edge, {1, 0}, {1, 0});
  const std::vector<int> whole_order = factorise(whole, Line(), Line(), false, serial);
  {
    MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
    MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, MPI_INFO_NULL, &all);
    const Line row(all, rows.place, columns), column(all, columns.place, rows);
    MPIX_Sysgroup_free(&all);
    for (const bool helped : {false, true}) {
      Part part = make_part(edge, rows, columns);
      const std::vector<int> order = factorise(part, row, column, helped, seconds[helped]);
      error = std::max({error, difference(part, whole), order == whole_order ? 0.0 : 1.0});
    }
  }
  show("Sysgroup_bcast, _allreduce", seconds[false], seconds[true]);
  const int result = status(error, 1e-9);
  MPI_Finalize();
  return result;
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "observe/numbering.hpp"

#include <mpi.h>

#include <algorithm>

#include "observe/performance.hpp"
#include "settings/settings.hpp"

namespace helper::observe {

int Numbering::first_own(int native) noexcept {
  int first = -1;
  // If another thread was faster, `first` is the value that it wrote.
  return first_own_.compare_exchange_strong(first, native, std::memory_order_relaxed) ? native : first;
}

int Numbering::count(int* number) noexcept {
  int native = 0;
  const int code = count_native_(&native);
  // MPI may have fewer variables than before, if it was initialised again.
  if (code == MPI_SUCCESS && number != nullptr) *number = std::max(native, first_own(native)) + own_;
  return code;
}

std::pair<bool, int> Numbering::find(int index) noexcept {
  int native = 0;
  if (count_native_(&native) != MPI_SUCCESS) return {false, index};
  const int first = first_own(native);
  if (index < first) return {false, index};
  if (index < first + own_) return {true, index - first};
  return {false, index - own_};
}

int Numbering::index_of_native(int index) noexcept {
  int native = 0;
  static_cast<void>(count_native_(&native));
  return index < first_own(native) ? index : index + own_;
}

int Numbering::index_of_own(int index) noexcept {
  int native = 0;
  static_cast<void>(count_native_(&native));
  return first_own(native) + index;
}

Numbering& control_variables() {
  static Numbering all(PMPI_T_cvar_get_num, static_cast<int>(settings::variables().size()));
  return all;
}

Numbering& performance_variables() {
  static Numbering all(PMPI_T_pvar_get_num, static_cast<int>(statistics().size()));
  return all;
}

Numbering& categories() {
  static constinit Numbering all(PMPI_T_category_get_num, 1);
  return all;
}

bool is_initialised() noexcept {
  int number = 0;
  return PMPI_T_category_changed(&number) == MPI_SUCCESS; // it has no other effect
}

} // namespace helper::observe

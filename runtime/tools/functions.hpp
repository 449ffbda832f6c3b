// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// The shared library stands as follows among tools that intercept MPI_X and call PMPI_X. For them it is MPI:
/// PMPI_X does the work, in a phase or natively, and MPI_X is that or the tool's own. So tools before it and
/// behind it see the calls that they would see without it, and none of those that it makes itself.
namespace helper::tools {

/// This is one intercepted function X, as entries.S lays it out. Its pointers are relaxed: what they lead to
/// is there from the beginning, and a thread that still reads their first values calls bind().
struct Function {
  const char* const pmpi_name;  ///< "PMPI_X"
  std::atomic<void*> to;        ///< where MPI_X, which programs call, continues
  std::atomic<void*> to_own;    ///< where PMPI_X continues, which tools call
  std::atomic<void*> to_native; ///< where the library's own calls of MPI continue
  void* const own;              ///< the library's function

  const char* name() const noexcept { return pmpi_name + 1; }
};
static_assert(sizeof(Function) == 5 * sizeof(void*) && std::atomic<void*>::is_always_lock_free);

/// Returns all intercepted functions.
std::span<Function> functions() noexcept;

/// Returns the function of this name.
Function& function(std::string_view name) noexcept;

/// Says where the code and data of a shared object lie in memory, from first to last.
struct Extent {
  std::uintptr_t begin = 0;
  std::size_t size = 0;

  bool has(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - begin < size;
  }
};

/// Returns the extent of the object that has `address`; empty if none does.
Extent object_of(const void* address) noexcept;

/// Returns the extent of MPI, once the functions are bound.
Extent mpi() noexcept;

/// No tool has reason to define this function of MPI's.
inline constexpr const char* untouched = "PMPI_Get_library_version";

/// Takes the library out of all calls: from now on tools and MPI alone see them.
void stand_aside() noexcept;

/// Has MPI_Init and MPI_Init_thread find out what keeps the library from its work, and say it. It is called
/// when all functions are bound; `is_built_for` says whether the library was built for this MPI.
void watch_initialisation(bool is_built_for) noexcept;

} // namespace helper::tools

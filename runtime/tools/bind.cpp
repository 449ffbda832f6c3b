// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What the intercepted functions lead to is found here, once in a process.

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <array>

#include "interpose/direct.hpp"
#include "tools/functions.hpp"

// These are what entries.S has, and what it uses.
extern "C" {

extern helper::tools::Function mpi_helper_tools_functions[];
extern helper::tools::Function mpi_helper_tools_functions_end[];

// Each PMPI_X reads it. It is written before any pointer of a function is, and then no more.
constinit helper::tools::Extent mpi_helper_tools_mpi;

void mpi_helper_tools_bind() noexcept;

} // extern "C"

namespace helper::tools {

std::span<Function> functions() noexcept {
  return {mpi_helper_tools_functions, mpi_helper_tools_functions_end};
}

Function& function(std::string_view name) noexcept {
  return *std::ranges::find(functions(), name, &Function::name);
}

Extent mpi() noexcept {
  return mpi_helper_tools_mpi;
}

Extent object_of(const void* address) noexcept {
  struct Search {
    const void* address;
    Extent found;
  } search{address, {}};
  const auto look = [](dl_phdr_info* object, std::size_t, void* searching) {
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;
    for (const ElfW(Phdr) & part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
      if (part.p_type != PT_LOAD) continue;
      begin = std::min(begin, object->dlpi_addr + part.p_vaddr);
      end = std::max(end, object->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    const Extent extent{begin, end - begin};
    auto& wanted = *static_cast<Search*>(searching);
    if (end == 0 || !extent.has(wanted.address)) return 0;
    wanted.found = extent;
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

void stand_aside() noexcept {
  for (Function& each : functions()) {
    void* const native = each.to_native.load(std::memory_order_relaxed);
    each.to_own.store(native, std::memory_order_relaxed);
    if (each.to.load(std::memory_order_relaxed) == each.own) each.to.store(native, std::memory_order_relaxed);
  }
}

namespace {

/// Stands in place of a function that this MPI does not have, though the one did that the library was built
/// with.
int absent() {
  return MPI_ERR_INTERN;
}

/// Returns MPI's function of this name, a PMPI_X. A program that was linked to MPI first has it before the
/// library, which then intercepts nothing, but has functions of its own that need MPI.
void* find_native(const char* name) noexcept {
  if (void* const behind = dlsym(RTLD_NEXT, name); behind != nullptr) return behind;
  void* const first = dlsym(RTLD_DEFAULT, name);
  const bool is_own = object_of(functions().data()).has(first);
  return first != nullptr && !is_own ? first : reinterpret_cast<void*>(absent);
}

void bind(Function& function) noexcept {
  void* const native = find_native(function.pmpi_name);
  void* const next = dlsym(RTLD_NEXT, function.name());
  const bool is_tool = next != nullptr && next != native && !mpi().has(next);
  function.to_native.store(native, std::memory_order_relaxed);
  function.to_own.store(function.own, std::memory_order_relaxed);
  function.to.store(is_tool ? next : function.own, std::memory_order_relaxed);
}

/// Returns the version of MPI's standard ABI whose handles this MPI has; 0 if it has others.
int abi_version() noexcept {
  const auto get = reinterpret_cast<int (*)(int*, int*)>(find_native("PMPI_Abi_get_version"));
  int version = 0;
  int subversion = 0;
  return get != reinterpret_cast<int (*)(int*, int*)>(absent) && get(&version, &subversion) == MPI_SUCCESS
             ? std::max(version, 0)
             : 0;
}

/// Tells whether MPI understands the handles and has the functions of the mpi.h that the library was built
/// with. Of MPICH there are descendants under other names. It may be asked before MPI is initialised.
bool is_built_for_this_mpi() noexcept {
#if !defined(MPICH_NUMVERSION) && !defined(OPEN_MPI)
  return abi_version() == MPI_ABI_VERSION;
#else
  if (abi_version() != 0) return false;
  std::array<char, 1 << 14> text{}; // the longest that any MPI allows is half of it
  int length = 0;
  int version = 0;
  int subversion = 0;
  PMPI_Get_library_version(text.data(), &length);
  PMPI_Get_version(&version, &subversion);
#ifdef OPEN_MPI
  constexpr bool expected = true;
#else
  constexpr bool expected = false;
#endif
  return std::string_view(text.data()).starts_with("Open MPI") == expected && version >= MPI_VERSION;
#endif
}

void bind_all() noexcept {
  mpi_helper_tools_mpi = object_of(find_native(untouched));
  for (Function& each : functions()) bind(each);
  for (const auto* each = interpose::DirectPointer::first; each != nullptr; each = each->next)
    each->set(function(each->name).to_native.load(std::memory_order_relaxed));
  const bool is_built_for = is_built_for_this_mpi();
  if (!is_built_for) stand_aside();
  watch_initialisation(is_built_for);
}

} // namespace

} // namespace helper::tools

void mpi_helper_tools_bind() noexcept {
  static const bool done = (helper::tools::bind_all(), true);
  static_cast<void>(done);
}

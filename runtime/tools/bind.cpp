// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Finds the functions to which intercepted calls go next, in a tool or in MPI, once per process. When MPI is
// initialised, looks for tools that call MPI past the library, and for an MPI that the library was not built
// for. If there is one, reports it and leaves all calls to MPI.

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "interpose/direct.hpp"
#include "process/notices.hpp"
#include "process/process.hpp"

/// How the shared library behaves among tools that intercept MPI_X and call PMPI_X. To the tools the library
/// is MPI. The library's PMPI_X does the work, in a phase or natively. Its MPI_X is a tool's MPI_X or,
/// without a tool, its PMPI_X. So tools see the same calls as without the library, and none of its own.
namespace helper::tools {

/// An intercepted function X, in the layout of entries.S. Relaxed order suffices for its pointers, here and
/// in entries.S: the functions exist from the start, and an initial pointer leads to bind(). A function that
/// needs other data has a fence of its own (Initialisation::call).
struct Function {
  const char* const pmpi_name;  ///< "PMPI_X"
  std::atomic<void*> to;        ///< the target of MPI_X, which programs call
  std::atomic<void*> to_own;    ///< the target of PMPI_X, which tools call
  std::atomic<void*> to_native; ///< the target of the library's own calls of MPI
  void* own;                    ///< the library's function

  const char* name() const noexcept { return pmpi_name + 1; }
};
static_assert(sizeof(Function) == 5 * sizeof(void*) && std::atomic<void*>::is_always_lock_free);

/// The addresses of the code and data of a shared object.
struct Extent {
  std::uintptr_t begin = 0;
  std::size_t size = 0;

  bool has(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - begin < size;
  }
};

} // namespace helper::tools

// Symbols that entries.S defines or uses.
extern "C" {

extern helper::tools::Function mpi_helper_tools_functions[];
extern helper::tools::Function mpi_helper_tools_functions_end[];

// Where MPI is in memory: with it, each PMPI_X recognises calls that MPI itself makes. Written once, before
// any pointer of a function. A thread in MPI sees the value, since the thread has initialised MPI through the
// library, or has synchronised with the thread that did.
constinit helper::tools::Extent mpi_helper_tools_mpi;

void mpi_helper_tools_bind() noexcept;

} // extern "C"

namespace helper::tools {

namespace {

/// No tool has a reason to define this MPI function.
constexpr const char* untouched = "PMPI_Get_library_version";

std::span<Function> functions() noexcept {
  return {mpi_helper_tools_functions, mpi_helper_tools_functions_end};
}

Function& function(std::string_view name) noexcept {
  return *std::ranges::find(functions(), name, &Function::name);
}

/// Returns the extent of the object that contains `address`; empty if none does.
Extent object_of(const void* address) noexcept {
  std::pair<const void*, Extent> search(address, {});
  const auto look = [](dl_phdr_info* object, std::size_t, void* searching) {
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;
    for (const ElfW(Phdr) & part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
      if (part.p_type != PT_LOAD) continue;
      begin = std::min(begin, object->dlpi_addr + part.p_vaddr);
      end = std::max(end, object->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    const Extent extent{begin, end - begin};
    auto& [wanted, found] = *static_cast<std::pair<const void*, Extent>*>(searching);
    if (end == 0 || !extent.has(wanted)) return 0;
    found = extent;
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.second;
}

/// Replaces a function that this MPI lacks, although the MPI that the library was built with had it. The
/// function's name is not known here; say_what_is_absent() has printed it.
int absent() {
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_UNSUPPORTED_OPERATION);
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

bool is_absent(const Function& function) noexcept {
  return function.to_native.load(std::memory_order_relaxed) == reinterpret_cast<void*>(absent);
}

/// Removes the library from all calls: from now on only tools and MPI see them.
void stand_aside() noexcept {
  for (Function& each : functions()) {
    void* const native = each.to_native.load(std::memory_order_relaxed);
    each.to_own.store(native, std::memory_order_relaxed);
    if (each.to.load(std::memory_order_relaxed) == each.own) each.to.store(native, std::memory_order_relaxed);
  }
}

// own_abi_version: the version of the standard MPI ABI that the library is built for; 0 if built for one MPI.
#if defined(OPEN_MPI)
#define MPI_BUILT_FOR "Open MPI"
constexpr int own_abi_version = 0;
#elif defined(MPICH_NUMVERSION)
#define MPI_BUILT_FOR "MPICH " MPICH_VERSION
constexpr int own_abi_version = 0;
#else
#define MPI_BUILT_FOR "any with the standard ABI of MPI 5"
constexpr int own_abi_version = MPI_ABI_VERSION;
#endif

/// Calls `report()` at rank 0, if a setting asks the library to act. Other ranks would usually report the
/// same. Without memory there is no report.
template <class Report>
void if_asked(const Report& report) noexcept {
  try {
    if (process::is_asked_at_rank_0()) report();
  } catch (const std::bad_alloc&) {
  }
}

/// Reports that the library is not engaged because of the object that contains `address`.
void say(const void* address, const char* why, const char* what_to_do) noexcept {
  if_asked([&] {
    Dl_info object{};
    const bool is_known = dladdr(address, &object) != 0 && object.dli_fname != nullptr;
    process::say_not_engaged(std::string(is_known ? object.dli_fname : "an unknown object") + why,
                             what_to_do);
  });
}

void say_what_is_absent() noexcept {
  if_asked([] {
    std::string names;
    for (const Function& each : functions())
      if (is_absent(each)) names.append(names.empty() ? "" : ", ").append(each.name());
    if (!names.empty()) process::print("this MPI has no " + names + "; calls of them are errors");
  });
}

void say_that_another_mpi(const void* address) noexcept {
  say(address, " is another MPI than the library was built for, which is " MPI_BUILT_FOR,
      "Use a library that is built for it");
}

/// Returns a function of the MPI that the object containing `address` is linked to, if that is another MPI
/// than the library's; otherwise nullptr. The MPI of the executable is always the library's.
const void* other_mpi_of(const void* address) {
  Dl_info caller{};
  if (dladdr(address, &caller) == 0 || caller.dli_fname == nullptr) return nullptr;
  void* const object = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  const void* const found = dlsym(object, untouched); // in the libraries that it is linked to
  dlclose(object);
  return mpi_helper_tools_mpi.has(found) ? nullptr : found;
}

/// Returns MPI's function of this name, a PMPI_X. If the program was linked to MPI first, MPI comes before
/// the library. Then the library intercepts nothing, but its own functions still need MPI.
void* find_native(const char* name) noexcept {
  if (void* const behind = dlsym(RTLD_NEXT, name); behind != nullptr) return behind;
  void* const first = dlsym(RTLD_DEFAULT, name);
  const bool is_own = object_of(functions().data()).has(first);
  return first != nullptr && !is_own ? first : reinterpret_cast<void*>(absent);
}

/// Returns the version of the standard MPI ABI that this MPI implements; 0 if it implements none.
int abi_version() noexcept {
  void* const get = find_native("PMPI_Abi_get_version");
  if (get == reinterpret_cast<void*>(absent)) return 0;
  int version = 0; // negative if the MPI does not implement it
  int subversion = 0;
  reinterpret_cast<int (*)(int*, int*)>(get)(&version, &subversion);
  return std::max(version, 0);
}

/// Returns whether MPI uses the handles and has the functions of the mpi.h that the library was built with.
/// Only Open MPI is known by name, since MPICH has derivatives. May be called before MPI is initialised.
bool is_built_for_this_mpi() noexcept {
  if (abi_version() != own_abi_version) return false;
  if (own_abi_version != 0) return true;
  std::array<char, 1 << 14> text{}; // twice the longest that any MPI allows
  int length = 0;
  int version = 0;
  int subversion = 0;
  PMPI_Get_library_version(text.data(), &length);
  PMPI_Get_version(&version, &subversion);
  constexpr std::string_view open_mpi = "Open MPI";
  return std::string_view(text.data()).starts_with(open_mpi) ==
             std::string_view(MPI_BUILT_FOR).starts_with(open_mpi) &&
         version >= MPI_VERSION;
}

/// Watches one function that initialises MPI.
template <class... Arguments>
class Initialisation {
public:
  static void watch(const char* name, bool is_built_for) noexcept {
    Function& watched = function(name);
    std::atomic<void*>& first = is_built_for ? watched.to : watched.to_own;
    next_ = as_function(first.load(std::memory_order_relaxed));
    take_place_in(first);
    if (!is_built_for && as_function(watched.to.load(std::memory_order_relaxed)) == next_)
      take_place_in(watched.to); // no tool comes before
  }

private:
  using Pointer = int (*)(Arguments...);
  static Pointer as_function(void* address) noexcept { return reinterpret_cast<Pointer>(address); }

  // The release pairs with the fence in call(): a thread that reads the pointer and calls call() sees next_.
  static void take_place_in(std::atomic<void*>& pointer) noexcept {
    pointer.store(reinterpret_cast<void*>(call), std::memory_order_release);
  }

  /// Replaces MPI_X.
  static int call(Arguments... arguments) {
    std::atomic_thread_fence(
        std::memory_order_acquire); // orders the load of the pointer that led here: see take_place_in()
    if (const void* const other = other_mpi_of(__builtin_return_address(0))) {
      say_that_another_mpi(other);
      return MPI_ERR_OTHER;
    }
    const int code = next_(arguments...);
    if (code != MPI_SUCCESS) return code;
    if (process::entered()) {
      say_what_is_absent();
      return code;
    }
    if (is_built_for_this_mpi()) {
      say(reinterpret_cast<void*>(next_), " stands behind the library and calls MPI past it",
          "Preload it before the library");
    } else {
      say_that_another_mpi(reinterpret_cast<void*>(next_));
    }
    stand_aside();
    return code;
  }

  static inline constinit Pointer next_ = nullptr;
};

/// Called when all functions are bound. Makes functions that initialise MPI look for obstacles to the library
/// and report them. `is_built_for`: the library was built for this MPI.
void watch_initialisation(bool is_built_for) noexcept {
  Initialisation<int*, char***>::watch("MPI_Init", is_built_for);
  Initialisation<int*, char***, int, int*>::watch("MPI_Init_thread", is_built_for);
#if MPI_VERSION >= 4
  Initialisation<MPI_Info, MPI_Errhandler, MPI_Session*>::watch("MPI_Session_init", is_built_for);
#endif
}

void bind(Function& function) noexcept {
  void* native = find_native(function.pmpi_name);
  void* const next = dlsym(RTLD_NEXT, function.name());
  // MPICH 5.0.2's ABI library has MPI_File_close, but no PMPI_File_close.
  if (native == reinterpret_cast<void*>(absent) && mpi_helper_tools_mpi.has(next)) native = next;
  const bool is_tool = next != nullptr && next != native && !mpi_helper_tools_mpi.has(next);
  function.to_native.store(native, std::memory_order_relaxed);
  function.to_own.store(function.own, std::memory_order_relaxed);
  function.to.store(is_tool ? next : function.own, std::memory_order_relaxed);
}

void bind_all() noexcept {
  mpi_helper_tools_mpi = object_of(find_native(untouched));
  interpose::measure_if_wanted([](const char* name, void* measured) { function(name).own = measured; });
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

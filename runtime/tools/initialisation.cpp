// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What keeps the library from its work is found out when MPI is initialised: tools that call MPI past it, and
// other MPIs. Then the library is out of all calls, and says so.

#include <dlfcn.h>
#include <mpi.h>

#include <new>
#include <string>

#include "process/idle.hpp"
#include "process/process.hpp"
#include "tools/functions.hpp"

namespace helper::tools {

namespace {

#ifdef OPEN_MPI
#define MPI_BUILT_FOR "Open MPI"
#elif !defined(MPICH_NUMVERSION)
#define MPI_BUILT_FOR "any with the standard ABI of MPI 5"
#else
#define MPI_BUILT_FOR "MPICH " MPICH_VERSION
#endif

/// Says that the library is not engaged, if it was asked for something: because of the object that has
/// `address`. All processes find the same, as a rule, so one says it.
void say(const void* address, const char* why, const char* what_to_do) noexcept {
  try {
    if (!process::is_asked() || process::rank_by_launcher() != 0) return;
    Dl_info object{};
    const bool is_known = dladdr(address, &object) != 0 && object.dli_fname != nullptr;
    process::say_not_engaged(std::string(is_known ? object.dli_fname : "an unknown object") + why,
                             what_to_do);
  } catch (const std::bad_alloc&) {
    // Then it is not said.
  }
}

void say_that_another_mpi(const void* address) noexcept {
  say(address, " is another MPI than the library was built for, which is " MPI_BUILT_FOR,
      "Use a library that is built for it");
}

/// Returns a function of the MPI that the object that has `address` is linked to, if that is another than the
/// one behind the library: its handles are not that one's. Returns nullptr otherwise, and if `address` is in
/// the executable, whose MPI always is the one behind the library.
const void* other_mpi_of(const void* address) {
  Dl_info caller{};
  if (dladdr(address, &caller) == 0 || caller.dli_fname == nullptr) return nullptr;
  void* const object = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  const void* const found = dlsym(object, untouched); // in what it is linked to
  dlclose(object);
  return mpi().has(found) ? nullptr : found;
}

/// Watches a function that initialises MPI.
template <class... Arguments>
class Initialisation {
public:
  static void watch(const char* name, bool is_built_for) noexcept {
    Function& watched = function(name);
    is_built_for_ = is_built_for;
    std::atomic<void*>& first = is_built_for ? watched.to : watched.to_own;
    next_ = as_function(first.load(std::memory_order_relaxed));
    take_place_in(first);
    if (!is_built_for && as_function(watched.to.load(std::memory_order_relaxed)) == next_)
      take_place_in(watched.to); // no tool's
  }

private:
  using Pointer = int (*)(Arguments...);
  static Pointer as_function(void* address) noexcept { return reinterpret_cast<Pointer>(address); }

  // The store is release: a thread that calls by way of it needs next_.
  static void take_place_in(std::atomic<void*>& pointer) noexcept {
    pointer.store(reinterpret_cast<void*>(call), std::memory_order_release);
  }

  /// Takes the place of MPI_X.
  static int call(Arguments... arguments) {
    if (const void* const other = other_mpi_of(__builtin_return_address(0))) {
      say_that_another_mpi(other);
      return MPI_ERR_OTHER;
    }
    const int code = next_(arguments...);
    if (code != MPI_SUCCESS || process::entered()) return code;
    if (is_built_for_) {
      say(reinterpret_cast<void*>(next_), " stands behind the library and calls MPI past it",
          "Preload it before the library");
    } else {
      say_that_another_mpi(reinterpret_cast<void*>(next_));
    }
    stand_aside();
    return code;
  }

  static inline constinit Pointer next_ = nullptr;
  static inline constinit bool is_built_for_ = true;
};

} // namespace

void watch_initialisation(bool is_built_for) noexcept {
  Initialisation<int*, char***>::watch("MPI_Init", is_built_for);
  Initialisation<int*, char***, int, int*>::watch("MPI_Init_thread", is_built_for);
#if MPI_VERSION >= 4
  Initialisation<MPI_Info, MPI_Errhandler, MPI_Session*>::watch("MPI_Session_init", is_built_for);
#endif
}

} // namespace helper::tools

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The calls with which a program opens parallel regions pass through here, so that team::OpenmpPool knows of
// them if MPI_HELPER_THREADS=openmp.

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "team/openmp_pool.hpp"
#include "tools/openmp.hpp"

namespace helper::tools {

/// What a call of an OpenMP runtime means for regions.
enum class Says : std::int32_t {
  opens,              ///< the thread is about to open a region
  asks_for_threads,   ///< the next region shall have as many threads as the third argument
  asks_for_binding,   ///< the next region's threads shall be bound in a certain way
  ends_threads,       ///< the runtime ends the threads of the pool
  may_open_elsewhere, ///< regions outside the thread's pool may follow, as when the host acts as a device
  opens_none          ///< the next region shall have one thread, whatever was asked for
};

/// A function of OpenMP runtimes, in the layout of regions.S.
struct RegionFunction {
  const char* const name;
  const char* const version; ///< of the symbol
  const Says says;
  const std::int32_t flags; ///< the index of the argument with the flags; -1 if there is none
  // `next`: the runtime's function, if it is the same for all callers; otherwise nullptr. `runtime`: the
  // runtime of that function. Release and acquire: a thread that sees `next` also sees `runtime`.
  std::atomic<void*> next;
  std::atomic<const team::OpenmpRuntime*> runtime;
};
static_assert(sizeof(RegionFunction) == 5 * sizeof(void*) && std::atomic<void*>::is_always_lock_free);

namespace {

/// Returns an argument of a call. regions.S has saved the arguments that were in registers.
std::uint64_t argument(const std::uint64_t* saved, int index) noexcept {
#ifdef __x86_64__
  constexpr int in_registers = 6;
  constexpr int between = 2; // words between the saved registers and the arguments on the stack
  if (index >= in_registers) index += between;
#endif
  return saved[index];
}

/// What LLVM's functions have set for the thread's next region.
thread_local constinit struct {
  unsigned threads = 0;
  bool is_bound = false;
} asked{};

void note(const RegionFunction& region, const team::OpenmpRuntime& runtime,
          const std::uint64_t* saved) noexcept {
  constexpr int third = 2;
  const auto number = static_cast<unsigned>(argument(saved, third));
  switch (region.says) {
  case Says::opens: {
    const auto pushed = std::exchange(asked, {});
    const bool is_gcc = std::string_view(region.name).starts_with("GOMP_");
    std::optional<unsigned> flags;
    if (region.flags >= 0) flags = static_cast<unsigned>(argument(saved, region.flags));
    if (region.flags < 0 && !pushed.is_bound) flags = 0; // bound by OpenMP's variables
    return team::OpenmpPool::own().opens(runtime, is_gcc ? number : pushed.threads, flags);
  }
  case Says::asks_for_threads:
    asked.threads = number;
    return;
  case Says::asks_for_binding:
    asked.is_bound = true;
    return;
  case Says::ends_threads:
    return team::OpenmpPool::own().forget();
  case Says::may_open_elsewhere:
    return team::OpenmpPool::own().abandon();
  case Says::opens_none:
    asked = {};
    return;
  }
}

/// Keeps the object with this function loaded until the process ends. Returns the function.
void* kept(void* function) noexcept {
  Dl_info owner{};
  if (function == nullptr || dladdr(function, &owner) == 0) return function;
  void* const object = dlopen(owner.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (object != nullptr) dlclose(object);
  return function;
}

/// Looks for a function in an object and in the libraries that the object is linked to.
void* find_in(const char* path, const RegionFunction& region) noexcept {
  void* const object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  void* const found = kept(dlvsym(object, region.name, region.version));
  dlclose(object);
  return found;
}

/// Returns the function of a runtime loaded with RTLD_LOCAL: the runtime that the caller's object is linked
/// to, or any runtime if a tail call hides the caller.
void* find_local(const void* caller, const RegionFunction& region) noexcept {
  Dl_info object{};
  void* found = dladdr(caller, &object) != 0 ? find_in(object.dli_fname, region) : nullptr;
  if (found != nullptr) return found;
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        static_cast<std::vector<std::string>*>(to)->emplace_back(info->dlpi_name);
        return 0;
      },
      &paths);
  for (auto path = paths.begin(); path != paths.end() && found == nullptr; ++path)
    if (!path->empty()) found = find_in(path->c_str(), region);
  return found;
}

/// Returns the function that `caller` would call without the library. Stores it if all callers would call it.
void* find(const void* caller, RegionFunction& region) noexcept {
  static thread_local constinit struct {
    const RegionFunction* region;
    const void* caller;
    void* function;
  } last{};
  if (last.region == &region && last.caller == caller) return last.function;
  void* const global = kept(dlvsym(RTLD_NEXT, region.name, region.version));
  if (global == nullptr) {
    last = {&region, caller, find_local(caller, region)};
    return last.function;
  }
  if (is_openmp_wanted()) region.runtime.store(team::OpenmpRuntime::of(global), std::memory_order_relaxed);
  region.next.store(global, std::memory_order_release);
  return global;
}

} // namespace

} // namespace helper::tools

extern "C" void* mpi_helper_tools_region(helper::tools::RegionFunction& region, const std::uint64_t* saved,
                                         const void* caller) noexcept;

/// Records a call of a runtime's function, with the arguments `saved`, by code at `caller`. Returns the
/// function that the dynamic linker would have found without the library.
void* mpi_helper_tools_region(helper::tools::RegionFunction& region, const std::uint64_t* saved,
                              const void* caller) noexcept {
  using namespace helper;
  void* next = region.next.load(std::memory_order_acquire);
  if (next == nullptr) next = tools::find(caller, region);
  if (tools::is_openmp_wanted()) [[unlikely]] {
    const team::OpenmpRuntime* const runtime = region.runtime.load(std::memory_order_relaxed);
    if (runtime != nullptr) tools::note(region, *runtime, saved);
  }
  return next;
}

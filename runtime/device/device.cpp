// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "device/device.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

namespace helper::device {

namespace {

using Symbol = void*;

/// Returns whether CUDA's driver knows the address as memory of a GPU. Programs with any CUDA runtime load
/// the driver, even if they link the runtime statically. The query makes no context and leaves no error
/// state. The driver returns "invalid" for unknown addresses.
bool cuda_holds(Symbol query, const void* address) noexcept {
  using Query = int (*)(void* value, int attribute, std::uintptr_t address);
  constexpr int memory_type = 2, is_managed = 8; // attributes of pointers
  constexpr unsigned device = 2;                 // a type of memory
  const auto ask = reinterpret_cast<Query>(query);
  const auto pointer = reinterpret_cast<std::uintptr_t>(address);
  unsigned type = 0;
  if (ask(&type, memory_type, pointer) != 0 || type != device) return false;
  unsigned managed = 0;
  return ask(&managed, is_managed, pointer) != 0 || managed == 0;
}

/// Returns whether HIP knows the address as memory of a GPU. The numbers of memory types differ between
/// versions of HIP. In all versions, memory that the host can read has a host address.
bool hip_holds(Symbol query, const void* address) noexcept {
  struct HipAttributes {
    int type;
    int device;
    void* on_device;
    void* on_host;
    int is_managed;
    unsigned flags;
    std::array<std::byte, 64> of_later_versions;
  };
  using Query = int (*)(HipAttributes * attributes, const void* address);
  HipAttributes found{};
  return reinterpret_cast<Query>(query)(&found, address) == 0 && found.on_device != nullptr &&
         found.on_host == nullptr && found.is_managed == 0;
}

/// A library that knows whether an address is in memory of a GPU.
struct Runtime {
  std::string_view file; ///< the beginning of its file name
  const char* function;
  bool (*holds)(Symbol query, const void* address) noexcept;
  /// Set when the library is found. The release pairs with the acquire of a thread that calls the function:
  /// what dlsym() has stored is visible there.
  std::atomic<Symbol> query{nullptr};

  bool is_loaded() const noexcept { return query.load(std::memory_order_relaxed) != nullptr; }
};

constinit std::array<Runtime, 2> runtimes{{
    {"libcuda.so", "cuPointerGetAttribute", cuda_holds},
    {"libamdhip64.so", "hipPointerGetAttributes", hip_holds},
}};

/// Returns a number that grows whenever the process loads a library.
std::uint64_t loads() noexcept {
  std::uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* found) {
        *static_cast<std::uint64_t*>(found) = first->dlpi_adds;
        return 1; // that ends the iteration
      },
      &count);
  return count;
}

using Path = std::array<char, 4096>;

/// Finds the first loaded library whose file name begins with `file`. Copies its path: the loader must not be
/// called while it iterates.
bool find_loaded(std::string_view file, Path& path) noexcept {
  auto take = [&](std::string_view found) {
    if (!found.substr(found.find_last_of('/') + 1).starts_with(file) || found.size() >= path.size()) return 0;
    *std::ranges::copy(found, path.begin()).out = '\0';
    return 1;
  };
  return dl_iterate_phdr(
             [](dl_phdr_info* object, std::size_t, void* taking) {
               return (*static_cast<decltype(take)*>(taking))(object->dlpi_name);
             },
             &take) != 0;
}

void find_runtimes() noexcept {
  for (Runtime& runtime : runtimes) {
    if (runtime.is_loaded()) continue;
    Path path;
    void* const library =
        find_loaded(runtime.file, path) ? dlopen(path.data(), RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    if (library != nullptr)
      runtime.query.store(dlsym(library, runtime.function), std::memory_order_release); // see Runtime
  }
}

/// Returns whether MPI declares support for GPU memory; nothing if MPI does not declare anything.
std::optional<bool> mpi_says() noexcept {
  std::optional<bool> takes;
  for (const char* const name :
       {"MPIX_Query_cuda_support", "MPIX_Query_hip_support", "MPIX_Query_rocm_support"}) {
    if (const Symbol query = dlsym(RTLD_DEFAULT, name))
      takes = takes.value_or(false) || reinterpret_cast<int (*)()>(query)() != 0;
  }
  return takes;
}

/// Returns whether MPI may support GPU memory: it has loaded a library for that in its initialisation,
/// declares support, or declares nothing. For AMD's GPUs, UCX loads the layer below HIP.
bool mpi_may_know() noexcept {
  Path path;
  return std::ranges::any_of(runtimes, &Runtime::is_loaded) || find_loaded("libhsa-runtime64.so", path) ||
         mpi_says().value_or(true);
}

/// Looks for newly loaded runtimes, once per tick of a coarse clock. A tick is some milliseconds, in which a
/// new runtime cannot have set up a GPU.
void keep_looking() noexcept {
  static constinit struct {
    // Stored with release after the queries that the thread has found; pairs with the acquire below.
    std::atomic<std::int64_t> tick{-1};
    // Relaxed: a thread that stores an older number only causes one more look.
    std::atomic<std::uint64_t> loads{0};
  } last;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  const std::int64_t tick = now.tv_sec * nanoseconds + now.tv_nsec;
  if (last.tick.load(std::memory_order_acquire) == tick) return;
  const std::uint64_t before = last.loads.load(std::memory_order_relaxed);
  const std::uint64_t loaded = loads();
  if (loaded != before) find_runtimes();
  if (before == 0 && !mpi_may_know()) detail::possible.store(false, std::memory_order_relaxed);
  last.loads.store(loaded, std::memory_order_relaxed);
  last.tick.store(tick, std::memory_order_release);
}

} // namespace

bool has_runtime() noexcept {
  keep_looking();
  return std::ranges::any_of(runtimes, &Runtime::is_loaded);
}

bool detail::asked(const void* address) noexcept {
  keep_looking();
  return std::ranges::any_of(runtimes, [address](const Runtime& runtime) {
    const Symbol query = runtime.query.load(std::memory_order_acquire);
    return query != nullptr && runtime.holds(query, address);
  });
}

} // namespace helper::device

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <ctime>
#include <stdexcept>
#include <utility>

namespace test_support {

/// Loads an imitated GPU runtime while the test runs, and allocates 4096 bytes of its memory.
class Loaded {
public:
  explicit Loaded(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    memory_ = static_cast<std::byte*>(function<void*(std::size_t)>("stand_in_allocate")(4096));
  }

  std::byte* on_gpu() const { return memory_; }
  std::byte* on_host() const {
    return memory_ + function<std::ptrdiff_t(const void*)>("stand_in_distance")(memory_);
  }

private:
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  void* library_;
  std::byte* memory_ = nullptr;
};

/// Waits until the coarse clock has advanced: the library looks for runtimes once per tick.
inline void pass_a_tick() {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::pair(time.tv_sec, time.tv_nsec);
  };
  for (const auto before = now(); now() == before;) {
  }
}

} // namespace test_support

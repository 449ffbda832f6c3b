// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "reduction/user_function.hpp"

#include <map>
#include <mutex>
#include <new>

#include "lifetime/never_destroyed.hpp"

namespace helper::reduction {

namespace {

/// The functions that keep() stores. Threads may create, use and free operations at once.
struct KeptFunctions {
  std::mutex mutex; ///< guards the other members
  bool is_on = false;
  std::map<MPI_Op, UserFunction> functions;
};

constexpr auto& kept = lifetime::sole<KeptFunctions>;

} // namespace

void UserFunction::keep_all() {
  const std::lock_guard lock(kept().mutex);
  kept().is_on = true;
}

void UserFunction::keep(MPI_Op op, UserFunction function) noexcept {
  const std::lock_guard lock(kept().mutex);
  if (!kept().is_on) return;
  kept().functions.erase(op);
  try {
    kept().functions.emplace(op, function);
  } catch (const std::bad_alloc&) {
    // Without a stored function, only the thread that called MPI reduces.
  }
}

void UserFunction::forget(MPI_Op op) noexcept {
  const std::lock_guard lock(kept().mutex);
  kept().functions.erase(op);
}

void UserFunction::forget_all() noexcept {
  const std::lock_guard lock(kept().mutex);
  kept().functions.clear();
}

std::optional<UserFunction> UserFunction::of(MPI_Op op) {
  const std::lock_guard lock(kept().mutex);
  const auto found = kept().functions.find(op);
  return found != kept().functions.end() ? std::optional(found->second) : std::nullopt;
}

} // namespace helper::reduction

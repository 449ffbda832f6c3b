// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace helper::layout {

/// A value that is kept with each datatype, until that is freed. For threads that may call MPI; who looks a
/// value up sees to it that nobody replaces it meanwhile.
///
/// MPI drops attributes when nothing uses the type any more. That may be in the middle of MPICH's progress,
/// where MPICH lets other threads in while it calls what drops one. So MPI_Type_free calls forget() before.
template <class Value>
class TypeAttribute {
public:
  /// How many values have been dropped. What is remembered of a handle is good as long as there are no more:
  /// then it still names the same type.
  static std::uint64_t dropped() noexcept {
    return dropped_.load(std::memory_order_acquire); // pairs with drop()
  }

  /// nullptr if there is none.
  static Value* find(MPI_Datatype type) {
    Value* value = nullptr;
    int is_set = 0;
    if (PMPI_Type_get_attr(type, keyval(), static_cast<void*>(&value), &is_set) != MPI_SUCCESS)
      return nullptr;
    return is_set != 0 ? value : nullptr;
  }

  /// Whether it is kept. Not for predefined types, which are never freed.
  static bool keep(MPI_Datatype type, const Value& value) {
    auto copy = std::make_unique<Value>(value);
    types().insert(type);
    if (PMPI_Type_set_attr(type, keyval(), copy.get()) != MPI_SUCCESS) {
      types().erase(type);
      return false;
    }
    static_cast<void>(copy.release());
    return true;
  }

  /// Drops the value of a type that is about to be freed. Any handle, valid or not.
  static void forget(MPI_Datatype type) {
    if (types().contains(type)) PMPI_Type_delete_attr(type, keyval());
  }

private:
  /// The types that have a value. Never locked across calls of MPI, which may hold locks when it drops one.
  class Types {
  public:
    void insert(MPI_Datatype type) {
      const std::lock_guard lock(mutex_);
      all_.insert(type);
    }
    void erase(MPI_Datatype type) {
      const std::lock_guard lock(mutex_);
      all_.erase(type);
    }
    bool contains(MPI_Datatype type) {
      const std::lock_guard lock(mutex_);
      return all_.contains(type);
    }

  private:
    std::mutex mutex_;
    std::unordered_set<MPI_Datatype> all_;
  };

  static Types& types() {
    static auto* const all = new Types; // never destroyed: types may be freed until the process ends
    return *all;
  }

  static int drop(MPI_Datatype type, int, void* value, void*) {
    delete static_cast<Value*>(value);
    types().erase(type);
    dropped_.fetch_add(1, std::memory_order_release);
    return MPI_SUCCESS;
  }

  /// Not copied by MPI_Type_dup: what is known of the duplicate is found out when it is used.
  static int keyval() {
    static const int value = [] {
      int created = MPI_KEYVAL_INVALID;
      PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop, &created, nullptr);
      return created;
    }();
    return value;
  }

  // How many values have been dropped; see dropped().
  static inline constinit std::atomic<std::uint64_t> dropped_{0};
};

} // namespace helper::layout

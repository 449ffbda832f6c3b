// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "native/predefined.hpp"

namespace helper::native {

/// MPI's functions for attributes of communicators, and the communicators that no program frees.
struct Communicators {
  using Handle = MPI_Comm;
  static constexpr auto* make_key = PMPI_Comm_create_keyval;
  static constexpr auto* free_key = PMPI_Comm_free_keyval;
  static constexpr auto* get = PMPI_Comm_get_attr;
  static constexpr auto* set = PMPI_Comm_set_attr;
  static constexpr auto* remove = PMPI_Comm_delete_attr;
  static MPI_Comm_copy_attr_function* never_copied() { return MPI_COMM_NULL_COPY_FN; }
  static std::array<MPI_Comm, 2> predefined() { return {MPI_COMM_WORLD, MPI_COMM_SELF}; }
};

/// MPI's functions for attributes of datatypes. Predefined datatypes must get no attributes: quirk
/// attributes_of_predefined_leak.
struct Datatypes {
  using Handle = MPI_Datatype;
  static constexpr auto* make_key = PMPI_Type_create_keyval;
  static constexpr auto* free_key = PMPI_Type_free_keyval;
  static constexpr auto* get = PMPI_Type_get_attr;
  static constexpr auto* set = PMPI_Type_set_attr;
  static constexpr auto* remove = PMPI_Type_delete_attr;
  static MPI_Type_copy_attr_function* never_copied() { return MPI_TYPE_NULL_COPY_FN; }
  static std::array<MPI_Datatype, 0> predefined() { return {}; }
};

/// A list of all kinds of attributes whose key has been made.
class Attributes {
public:
  /// Destroys the values of handles that no program frees. Call it before MPI_Finalize.
  static void reset_predefined() {
    if (!are_predefined()) return;
    for (Attributes* each = first.load(std::memory_order_acquire); each != nullptr; each = each->next_)
      each->reset_own_predefined();
  }

  /// Calls reset_predefined(), frees the keys, and invalidates cached answers. Call it before MPI ends.
  static void free() {
    reset_predefined();
    for (Attributes* each = first.load(std::memory_order_acquire); each != nullptr; each = each->next_)
      each->free_key();
  }

protected:
  constexpr Attributes() noexcept = default;
  ~Attributes() = default;

  /// Adds this object to the list; call it once for each object.
  void enlist() noexcept {
    next_ = first.load(std::memory_order_relaxed);
    while (!first.compare_exchange_weak(next_, this, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

private:
  virtual void reset_own_predefined() = 0;
  virtual void free_key() = 0;

  // The head of the list, which only grows at its front. Release in enlist() pairs with the acquire of
  // readers, so that an object in the list is complete.
  static inline constinit std::atomic<Attributes*> first{nullptr};
  Attributes* next_ = nullptr;
};

/// Keeps a Value with each handle that set() was called for. MPI destroys the Value with the object of the
/// handle; duplicates get none. The destructor of Value runs in an MPI callback, on any thread that frees an
/// object, and must not throw.
///
/// Use it for static variables that are never destroyed. The key is made at first use, and again after
/// Attributes::free(), since MPI may be initialised again. Any thread that may call MPI may call any
/// function. If two threads set() a value for one handle, the first value is destroyed: lock around get() and
/// set().
template <class Value, class Of = Communicators>
class Attribute : Attributes {
public:
  using Handle = typename Of::Handle;

  /// Finds the value of `handle`; nullptr if it has none. Returns MPI's code.
  int get(Handle handle, Value*& value) {
    void* found = nullptr;
    int is_set = 0;
    const int code = Of::get(handle, key(), static_cast<void*>(&found), &is_set);
    value = code == MPI_SUCCESS && is_set != 0 ? static_cast<Value*>(found) : nullptr;
    return code;
  }

  /// Takes ownership of `value` and keeps it with `handle`, unless MPI fails. Returns MPI's code.
  int set(Handle handle, std::unique_ptr<Value>& value) {
    const int code = Of::set(handle, key(), value.get());
    if (code == MPI_SUCCESS) static_cast<void>(value.release());
    return code;
  }

  /// Destroys the value of `handle`, if it has one.
  void reset(Handle handle) {
    if (made_key() == MPI_KEYVAL_INVALID) return;
    Value* value = nullptr;
    if (get(handle, value) == MPI_SUCCESS && value != nullptr) // quirk cannot_remove_absent
      Of::remove(handle, made_key());
  }

  /// A thread's last answer about a handle, to be cached in a thread_local.
  template <class What>
  struct Last {
    Handle handle{};
    std::uint64_t epoch = 0; ///< epoch() before the query
    What what{};
  };

  /// Returns whether `last` is about `handle` and still valid. It is valid until any Value is destroyed:
  /// before that, the handle cannot name another object.
  template <class What>
  bool holds(const Last<What>& last, Handle handle) const noexcept {
    return last.handle == handle && last.epoch == epoch();
  }

  /// Returns a number that changes whenever cached answers may have become invalid.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_acquire); }

  /// Invalidates the cached answers of all threads.
  void forget() noexcept { epoch_.fetch_add(1, std::memory_order_release); }

private:
  static int drop(Handle, int, void* value, void* attribute) {
    delete static_cast<Value*>(value);
    static_cast<Attribute*>(attribute)->forget();
    return MPI_SUCCESS;
  }

  void reset_own_predefined() override {
    for (const Handle handle : Of::predefined()) reset(handle);
  }

  void free_key() override {
    {
      const std::lock_guard lock(mutex_);
      if (key_ != MPI_KEYVAL_INVALID) Of::free_key(&key_);
    }
    forget();
  }

  int key() {
    const std::lock_guard lock(mutex_);
    if (key_ == MPI_KEYVAL_INVALID) Of::make_key(Of::never_copied(), drop, &key_, this);
    if (!std::exchange(is_listed_, true)) enlist();
    return key_;
  }

  int made_key() {
    const std::lock_guard lock(mutex_);
    return key_;
  }

  std::mutex mutex_; // guards the next two; not locked while MPI calls drop()
  int key_ = MPI_KEYVAL_INVALID;
  bool is_listed_ = false;
  // The epoch only grows, and starts after the epoch of an empty cache. The release in forget() pairs with
  // the acquire in epoch(). A thread that uses a reused handle has synchronised with the thread that freed
  // the old object, so it sees the new epoch. A thread that sees a new epoch also sees that the old Value has
  // been destroyed.
  std::atomic<std::uint64_t> epoch_{1};
};

} // namespace helper::native

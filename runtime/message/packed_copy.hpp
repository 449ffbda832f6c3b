// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "layout/copy.hpp"
#include "layout/packed_data.hpp"
#include "message/deferred_sends.hpp"
#include "message/operation.hpp"
#include "message/requests.hpp"
#include "team/team.hpp"

/// Contiguous copies of elements, for operations on files and windows. The team packs or unpacks a copy.
namespace helper::message {

/// A contiguous copy of elements for MPI. All copies share the memory limit of deferred::Reservation.
class PackedCopy {
public:
  /// Makes the copy for `count` elements at `base`. MPI gets their basic type, or `otherwise` if they have
  /// several. Returns nullptr, and MPI must get the elements themselves, in these cases: fewer than `least`
  /// bytes; long runs or pack functions; memory of a GPU; arguments that MPI must check; overlapping elements
  /// into which MPI reads; several basic types without an `otherwise`; too little memory.
  static std::shared_ptr<PackedCopy> of(layout::Direction direction, std::size_t least, const void* base,
                                        MPI_Count count, MPI_Datatype type, MPI_Datatype otherwise);

  /// These are the arguments for MPI. The memory limit keeps the count below INT_MAX.
  std::byte* data() const noexcept { return memory_.get(); }
  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

  std::size_t size() const noexcept { return elements_.size(); } ///< in bytes
  bool is_read() const noexcept { return direction_ == layout::Direction::unpack; }

  /// If not is_read(), packs the elements. Otherwise packs them only if MPI `may_read_less` than it reports.
  void load(team::Member& member, bool may_read_less = false) const noexcept;

  /// If is_read(), unpacks the first `bytes` bytes, which MPI has written. Only the first call does this.
  void store(team::Member& member, MPI_Count bytes) noexcept;
  void store(team::Member& member) noexcept { store(member, static_cast<MPI_Count>(size())); }

private:
  PackedCopy(layout::PackedData elements, layout::Direction direction) noexcept
      : elements_(std::move(elements)), direction_(direction) {}
  bool find_type(MPI_Datatype otherwise);

  layout::PackedData elements_;
  deferred::Reservation reservation_;
  std::unique_ptr<std::byte[]> memory_;
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
  const layout::Direction direction_;
  std::mutex storing_; // guards is_stored_: a flush and a request may complete the same MPI_Rget
  bool is_stored_ = false;
};

/// Copies that MPI still uses when the call that has started the operation returns.
namespace copies {

/// Returns a number for a window or file.
template <class Handle>
std::uint64_t owner_of(Handle handle) noexcept {
  std::uint64_t owner = 0;
  static_assert(sizeof handle <= sizeof owner);
  std::memcpy(&owner, &handle, sizeof handle);
  return std::is_same_v<Handle, MPI_File> ? ~owner : owner; // windows and files may have equal handles
}

struct InUse {
  std::uint64_t owner;
  int target; ///< rank in the window
  std::shared_ptr<PackedCopy> copy;
  std::uint64_t number = 0; ///< in the order of keep()
};

inline constinit std::atomic<std::size_t> in_use{0}; // the number of copies in use; see any()

/// Returns whether a copy is in use. Relaxed: a thread that needs a copy has synchronised with its keep().
inline bool any() noexcept {
  return in_use.load(std::memory_order_relaxed) != 0;
}

/// Moves the only element of `one` to the copies in use, and numbers it. It allocates nothing.
void keep(std::list<InUse>& one) noexcept;

/// Removes and returns the copies of `owner`; if `only` is given, only this copy.
std::list<InUse> take(std::uint64_t owner, const PackedCopy* only = nullptr) noexcept;

/// Returns the number of the copy that was kept last.
std::uint64_t newest() noexcept;

/// Removes the copies of `owner` with numbers up to `last`, which MPI no longer uses. If `target` is given,
/// removes only its copies. First unpacks copies with is_read(), or waits for threads that do so.
void complete(team::Member& member, std::uint64_t owner, std::optional<int> target,
              std::uint64_t last) noexcept;

} // namespace copies

/// A non-blocking operation on a copy. MPI alone communicates.
class CopyOperation final : public NonblockingOperation {
public:
  /// Stores the data that arrived with this status. Returns a result code.
  using Store = std::function<int(team::Member& member, const MPI_Status& status)>;

  /// When MPI has succeeded, the operation calls `store`, which stores `bytes` bytes.
  CopyOperation(Store store, std::size_t bytes) : store_(std::move(store)), bytes_(bytes) {}

  /// Starts the operation with `begin(native_request)`, which calls MPI, and tracks the operation. `request`
  /// becomes a generalised request: quirk requests_are_shared. Returns MPI's code.
  template <class Begin>
  static int start(Store store, std::size_t bytes, const Begin& begin, MPI_Request* request) {
    const auto made = std::make_shared<CopyOperation>(std::move(store), bytes);
    const int code = made->stand_in_.start_for([&] { return begin(&made->native_); });
    if (code != MPI_SUCCESS) return code;
    *request = made->stand_in_.request();
    requests::track(*request, made);
    return code;
  }

  /// Starts a persistent native request, which becomes the request of the operation. Returns MPI's code.
  static int start(Store store, std::size_t bytes, MPI_Request& request);

  Code result(MPI_Status& status) override;
  Code finish(MPI_Request& request, MPI_Status& status) override;
  bool under_way() noexcept override { return false; } // MPI alone carries it
  std::size_t left() noexcept override { return complete() ? 0 : bytes_; }

private:
  bool step(team::Member& member) noexcept override;

  const Store store_;
  const std::size_t bytes_;
  GeneralisedRequest stand_in_;
  MPI_Request native_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
  Code code_{MPI_SUCCESS};
};

} // namespace helper::message

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "message/message.hpp"

#ifdef MPI_HELPER_PARTITIONED

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "message/receive_buffer.hpp"
#include "message/requests.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/world.hpp"

/// What the library does, instead of MPI, for a partitioned request that has been started: it cuts the
/// message into units, each of which is a message on the private communicator.
namespace helper::message::partitioned {

/// How the sender cuts the message into units. It tells the receiver in a note: see partitioned.cpp.
struct PartitionedAgreement {
  MPI_Count bytes; ///< of the message
  MPI_Count unit;  ///< bytes of each unit but the last; 0 if MPI sends the message
  int tag;         ///< of the first unit; the others have the next tags

  int units() const noexcept { return static_cast<int>((bytes + unit - 1) / unit); }
};

/// What a request sends or receives. It keeps the datatype, which the user may free.
struct Partitions {
  static constexpr int most_units = 8;

  const void* const buffer;
  const int number;
  const MPI_Count count; ///< elements of each partition
  const std::shared_ptr<const MPI_Datatype> type;
  const int peer; ///< rank in MPI_COMM_WORLD
  const int rank; ///< the rank argument of the user's call
  const int tag;
  MPI_Count element = 0; ///< bytes
  MPI_Count extent = 0;
  int first_tag = 0; ///< of the sender's units, leased for this request alone; 0: none is leased

  // Whether the receive of a unit could not be posted, or is still in MPI after an error. A unit of the
  // sender's next message would be taken for this unit. Set permanently by the thread that finds this.
  // Relaxed: the thread that starts the request again has synchronised with the thread that completed it.
  mutable std::atomic<bool> is_broken{false};

  Partitions(const Arguments& call, int world_peer)
      : buffer(call.buffer), number(call.partitions), count(call.count), type(duplicate(call.type)),
        peer(world_peer), rank(call.peer), tag(call.tag) {
    MPI_Count lower = 0;
    PMPI_Type_size_x(*type, &element);
    PMPI_Type_get_extent_x(*type, &lower, &extent);
  }

  ~Partitions();

  /// Leases most_units tags. Tags that were given back are leased again after all others, since their last
  /// messages may be received late. Returns false if no tags are left. Throws std::bad_alloc.
  bool lease_tags();

  MPI_Count bytes() const noexcept { return number * count * element; }

  /// Returns the message of `elements` elements, from index `first` on.
  PointToPoint message(MPI_Count first, MPI_Count elements, int with_tag) const noexcept {
    const auto address =
        reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(first * extent);
    return {reinterpret_cast<const void*>(address), elements, *type, peer, with_tag, ranks::world::comm()};
  }
};

/// A part of the message that is sent as a message of its own.
struct Unit {
  enum class UnitState { waiting, started, over };

  // The number of the unit's partitions that are not ready. A thread that makes one ready decreases the
  // number, with release and acquire. The thread that makes it 0 sends the unit, and so sees what all other
  // threads have stored in the buffer.
  std::atomic<int> not_ready{0};
  // The state only grows. The thread that starts the unit stores `started` with release. Then only a thread
  // that holds the operation's mutex uses the unit. This thread stores `over` with release. A thread that
  // loads `over` with acquire may read the user's buffer and `failed`.
  std::atomic<UnitState> state{UnitState::waiting};
  MPI_Request request = MPI_REQUEST_NULL;
  int failed = MPI_SUCCESS; ///< MPI's first error
};

/// A partitioned operation that has been started. Its native request, which is persistent, stays inactive.
class PartitionedOperation : public NonblockingOperation {
public:
  PartitionedOperation(std::shared_ptr<const Partitions> what, const PartitionedAgreement& agreed)
      : what_(std::move(what)), agreed_(agreed), units_(static_cast<std::size_t>(agreed.units())) {}

  Code finish(MPI_Request&, MPI_Status& status) override { return result(status); }
  bool under_way() noexcept override { return false; } // the operations of the units answer for themselves

  /// Nothing is cancelled: quirk cannot_cancel_partitioned.
  int cancel() override { throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_INTERN); }

  /// Throws MpiError if there is no such partition.
  void require(int partition) const {
    if (partition < 0 || partition >= what_->number)
      throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_OTHER);
  }

protected:
  bool step(team::Member& member) noexcept override;

  /// Called when a unit has finished, before other threads can see that.
  virtual void arrived(team::Member&, Unit&, std::size_t) noexcept {}

  /// Keeps the first error. The operation continues, since MPI may still use the buffer for other units.
  void note(Code code) noexcept {
    if (error_.code == MPI_SUCCESS) error_ = code;
  }

  MPI_Count begin(std::size_t unit) const noexcept { return static_cast<MPI_Count>(unit) * agreed_.unit; }
  MPI_Count end(std::size_t unit) const noexcept { return std::min(begin(unit + 1), agreed_.bytes); }
  int tag(std::size_t unit) const noexcept { return agreed_.tag + static_cast<int>(unit); }

  const std::shared_ptr<const Partitions> what_;
  const PartitionedAgreement agreed_;
  std::vector<Unit> units_;
  // Set by the thread that starts the operation, before other threads know the operation, and by threads that
  // hold the mutex. Read by threads that hold the mutex, and when the operation is complete.
  Code error_{MPI_SUCCESS};

private:
  bool is_over(team::Member& member, Unit& unit, bool is_unheard) noexcept;
};

/// The sender's side. Any thread makes partitions ready.
class PartitionedSend final : public PartitionedOperation {
public:
  PartitionedSend(std::shared_ptr<const Partitions> what, const PartitionedAgreement& agreed)
      : PartitionedOperation(std::move(what), agreed),
        group_(static_cast<int>(agreed.unit / (what_->count * what_->element))),
        are_ready_(static_cast<std::size_t>(what_->number)) {
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      units_[unit].not_ready = static_cast<int>(last(unit) - first(unit));
  }

  /// Makes an existing partition ready. Throws MpiError if its unit cannot be sent; then it is not ready.
  void set_ready(team::Member& member, int partition);

  Code result(MPI_Status& status) override {
    make_empty(status);
    return error_;
  }

private:
  /// The partitions of a unit are [first, last).
  std::ptrdiff_t first(std::size_t unit) const noexcept { return static_cast<std::ptrdiff_t>(unit) * group_; }
  std::ptrdiff_t last(std::size_t unit) const noexcept {
    return std::min<std::ptrdiff_t>(first(unit + 1), what_->number);
  }

  int send(team::Member& member, std::size_t index);

  const int group_; // partitions of a unit
  // Whether each partition is ready. Set by the thread that makes it ready, and cleared by it if the unit
  // cannot be sent. Relaxed: Unit::not_ready orders the data.
  std::vector<std::atomic<bool>> are_ready_;
};

/// The receiver's side.
class PartitionedReceive final : public PartitionedOperation {
public:
  PartitionedReceive(std::shared_ptr<const Partitions> what, const PartitionedAgreement& agreed);

  /// Posts the receives of all units, once, before other threads see the operation. Keeps the first error.
  void post() noexcept;

  /// Returns whether a partition has arrived, without an error.
  bool has_arrived(int partition) const noexcept;

  Code result(MPI_Status& status) override;

private:
  bool is_unpacked_at_end() const noexcept { return data_ && data_->is_by_mpi(); }

  void arrived(team::Member& member, Unit& unit, std::size_t index) noexcept override;

  const bool fits_; // the message has the size of the receive buffer
  // `staging_`: memory for the packed message, if a unit ends within an element or the message does not fit.
  // `data_`: where a message in `staging_` is unpacked, if it fits.
  std::unique_ptr<std::byte[]> staging_;
  std::optional<ReceiveBuffer> data_;
  std::size_t have_arrived_ = 0;
};

} // namespace helper::message::partitioned

#endif

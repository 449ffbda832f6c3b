// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "message/operation.hpp"
#include "message/receive_buffer.hpp"
#include "transport/mpi_error.hpp"
#include "transport/world.hpp"

/// Here is what is done for a partitioned request when it has been started, other than by MPI: the message is
/// cut into units, each of which is a message of its own, on the private communicator.
namespace helper::message::partitioned {

/// What the sender says in its note.
struct Agreement {
  MPI_Count bytes; ///< of the message
  MPI_Count unit;  ///< bytes of each unit but the last; 0 if MPI is to carry the message
  int tag;         ///< of the first unit; the others have the next ones

  int units() const noexcept { return static_cast<int>((bytes + unit - 1) / unit); }
};

/// The arguments of a request. It keeps the datatype, which the user may free.
struct Partitions {
  const void* buffer;
  int number;
  MPI_Count count; ///< elements of each partition
  std::shared_ptr<const MPI_Datatype> type;
  MPI_Count element; ///< bytes
  MPI_Count extent;
  int peer; ///< rank in MPI_COMM_WORLD
  int rank; ///< what the user calls that
  int tag;

  MPI_Count bytes() const noexcept { return number * count * element; }

  /// The message of `elements` elements from the one of index `first` on.
  PointToPoint message(MPI_Count first, MPI_Count elements, int with_tag) const noexcept {
    const auto address =
        reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(first * extent);
    return {
        reinterpret_cast<const void*>(address), elements, *type, peer, with_tag, transport::world::comm()};
  }
};

/// A part of the message that goes by itself.
struct Unit {
  enum class State { waiting, started, over };

  // How many of its partitions are not ready. Decreased by the threads that make them ready, with release and
  // acquire: the one that makes it 0, and so sends the unit, sees what the others have stored in the buffer.
  std::atomic<int> not_ready{0};
  // It grows. The thread that starts the unit says so with release, after which the request belongs to
  // whoever holds the operation's mutex; that one says that it is over with release, for those who then read
  // the user's buffer, and look with acquire.
  std::atomic<State> state{State::waiting};
  MPI_Request request = MPI_REQUEST_NULL;
};

/// A partitioned operation that has been started. Its native request, which is persistent, stays inactive.
class PartitionedOperation : public NonblockingOperation {
public:
  PartitionedOperation(const Partitions& what, const Agreement& agreed)
      : what_(what), agreed_(agreed), units_(static_cast<std::size_t>(agreed.units())) {}

  Code finish(MPI_Request&, MPI_Status& status) override { return result(status); }
  bool under_way() noexcept override { return false; } // the units are operations, too

protected:
  bool step(team::Member& member) noexcept override;

  /// Is called when a unit is over, before others hear of it.
  virtual void arrived(team::Member&, std::size_t) noexcept {}

  /// Starts a unit: `start` does that, and returns MPI's code.
  template <class Start>
  void start(Unit& unit, const Start& start) {
    try {
      note({start(), true});
    } catch (const transport::MpiError& error) {
      note({error.code(), true});
    }
    unit.state.store(Unit::State::started, std::memory_order_release);
  }

  /// Keeps the first error, which ends nothing: MPI may still use the buffer for other units.
  void note(Code code) noexcept {
    int none = MPI_SUCCESS;
    if (code.code != MPI_SUCCESS &&
        error_.compare_exchange_strong(none, code.code, std::memory_order_relaxed))
      is_heard_.store(!code.is_own, std::memory_order_relaxed);
  }

  MPI_Count begin(std::size_t unit) const noexcept { return static_cast<MPI_Count>(unit) * agreed_.unit; }
  MPI_Count end(std::size_t unit) const noexcept { return std::min(begin(unit + 1), agreed_.bytes); }
  int tag(std::size_t unit) const noexcept { return agreed_.tag + static_cast<int>(unit); }

  Code error() const noexcept {
    return {error_.load(std::memory_order_relaxed), !is_heard_.load(std::memory_order_relaxed)};
  }

  const Partitions what_;
  const Agreement agreed_;
  std::vector<Unit> units_;

private:
  bool is_over(team::Member& member, MPI_Request& request) noexcept;

  // The first thread that has an error sets these. They are read when the operation is complete, by its
  // set_complete(), or by the state of the unit that was not started, ordered after them; relaxed.
  std::atomic<int> error_{MPI_SUCCESS};
  std::atomic<bool> is_heard_{false};
};

/// The sender's side. Any thread makes partitions ready.
class PartitionedSend final : public PartitionedOperation {
public:
  PartitionedSend(const Partitions& what, const Agreement& agreed)
      : PartitionedOperation(what, agreed),
        group_(static_cast<int>(agreed.unit / (what.count * what.element))),
        are_ready_(static_cast<std::size_t>(what.number)) {
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      units_[unit].not_ready = static_cast<int>(last(unit) - first(unit));
  }

  /// Does what MPI_Pready_range does. Throws MpiError, having done nothing.
  void set_ready(team::Member& member, int low, int high);

  Code result(MPI_Status& status) override {
    make_empty(status);
    return error();
  }

private:
  /// The partitions of a unit are [first, last).
  std::ptrdiff_t first(std::size_t unit) const noexcept { return static_cast<std::ptrdiff_t>(unit) * group_; }
  std::ptrdiff_t last(std::size_t unit) const noexcept {
    return std::min<std::ptrdiff_t>(first(unit + 1), what_.number);
  }

  void set_ready(team::Member& member, std::size_t partition);

  void send(team::Member& member, std::size_t index);

  const int group_; // partitions of a unit
  // By partition: set once, by a thread that makes it ready. Relaxed: the count of its unit orders the data.
  std::vector<std::atomic<bool>> are_ready_;
};

/// The receiver's side.
class PartitionedReceive final : public PartitionedOperation {
public:
  PartitionedReceive(const Partitions& what, const Agreement& agreed);

  /// Posts the receives of all units. Is called once.
  void post();

  /// Whether a partition has arrived. Throws MpiError where there is no such partition.
  bool has_arrived(int partition) const;

  Code result(MPI_Status& status) override;

private:
  bool is_unpacked_at_end() const noexcept { return data_ && data_->is_by_mpi(); }

  void arrived(team::Member& member, std::size_t index) noexcept override;

  const bool fits_; // the message is as large as is expected
  // The whole message in packed order, and where it is unpacked to: if a unit ends within an element. What
  // does not fit is not unpacked.
  std::unique_ptr<std::byte[]> staging_;
  std::optional<ReceiveBuffer> data_;
  std::size_t have_arrived_ = 0;
};

} // namespace helper::message::partitioned

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/track.hpp"

/// `mpi_helper advise` measures the calls of a program that runs natively. This is the record of one process.
namespace helper::advice {

using trace::Clock;

/// The purposes by which time in MPI is reported.
enum class Purpose : std::uint8_t { collective, message, packing, reducing, files, one_sided, other };
inline constexpr std::size_t purposes = 7;

/// The call that a replay makes for a function. The calls from `pack` on do not communicate.
enum class Repetition : std::uint8_t {
  none,
  send,
  isend,
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  alltoallv,
  reduce_scatter,
  scan,
  pack,
  unpack,
  reduce_local
};

/// Returns whether the operation reduces.
constexpr bool reduces(Repetition operation) noexcept {
  return operation == Repetition::reduce || operation == Repetition::allreduce ||
         operation == Repetition::reduce_scatter || operation == Repetition::scan;
}

/// Returns whether a buffer of the operation has a block for each rank.
constexpr bool has_blocks(Repetition operation) noexcept {
  return operation >= Repetition::gather && operation <= Repetition::reduce_scatter;
}

/// The calls of one function at one call site, with data of one kind. Cells are sent to rank 0 as bytes.
struct Cell {
  std::array<char, 28> function{};
  Repetition repetition = Repetition::none;
  Purpose purpose = Purpose::other;
  std::uint8_t size_class = 0;   ///< std::bit_width of the bytes of one call
  std::uint8_t basic = 0;        ///< of a reduction: the index of its datatype in basic_types
  std::uint8_t op = 0;           ///< of a reduction: the index of its operation in basic_ops
  std::int32_t ranks = 0;        ///< of the communicator
  std::uint32_t run = 0;         ///< contiguous bytes, on average; 0 if all are contiguous
  std::uint64_t site = 0;        ///< the return address of the calls
  std::uint64_t calls = 0;       ///< including calls that were not timed
  std::uint64_t bytes = 0;       ///< of all calls
  double seconds = 0;            ///< of all calls
  std::uint64_t unit = 1;        ///< bytes of an element of the datatype
  MPI_Datatype type = MPI_BYTE;  ///< a copy of the first datatype used here; valid in this process
  std::array<char, 64> caller{}; ///< set before the cell is sent
  double weight = 0; ///< set by rank 0: the seconds that its calls take, also in the calls that complete them

  /// Returns whether one replay serves both cells.
  bool is_like(const Cell& other) const noexcept {
    return function == other.function && size_class == other.size_class && basic == other.basic &&
           op == other.op && ranks == other.ranks && run == other.run;
  }
};

/// When this process was in one call, and in which collective operation. Stays are sent to rank 0 as bytes.
struct Stay {
  std::uint64_t group = 0;  ///< a number for the processes that take part
  std::uint64_t number = 0; ///< of the operation among the operations of the group
  std::int64_t ranks = 0;   ///< 0 if the call is not collective, or on an inter-communicator
  std::int64_t enter = 0;   ///< nanoseconds
  std::int64_t exit = 0;
};

struct CallData {
  const void* buffer = nullptr;
  std::uint64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

/// Records the calls of one thread. If calls are short, timing each would cost too much, so it times one in
/// two, four, eight … calls. Which call of a loop is timed varies. A timed call represents the untimed ones.
class Recorder {
public:
  /// Returns whether the next call of this thread is certainly not timed. It calls no function, so that the
  /// arguments of the call stay in their registers.
  static bool skips_next() noexcept {
    Recorder* const own = own_;
    return own != nullptr && own->skips(++own->calls_);
  }

  /// Like skips_next(), for a collective operation. All processes of `comm` time the same operations.
  static bool skips_next(MPI_Comm comm) noexcept {
    Recorder* const own = own_;
    if (own == nullptr || own->has_lost(comm)) [[unlikely]]
      return false;
    ++own->calls_;
    if (own->skips(++own->last_->number)) return true;
    own->is_counted_ = true;
    return false;
  }

  /// Returns the calling thread's recorder.
  static Recorder& own();

  /// Looks up `comm` and returns true if skips_next() did not know it: then call skips_next() again.
  bool find(MPI_Comm comm);

  static std::int64_t now() noexcept; ///< in nanoseconds

  /// Starts to time a call. For a collective call, skips_next() must have been given its communicator.
  Stay enter(bool is_collective) noexcept;

  /// Records a timed call, which ended at stay.exit.
  void add(std::string_view function, Purpose purpose, Repetition repetition, const void* site,
           const CallData& data, const Stay& stay);

  /// Makes all threads look up communicators again, because the program frees one.
  static void forget_communicators();

  double seconds(Purpose purpose) const noexcept { return seconds_[static_cast<std::size_t>(purpose)]; }

  const std::vector<Cell>& cells() const noexcept { return cells_; }
  const std::vector<Stay>& visits() const noexcept { return visits_; }

private:
  bool has_lost(MPI_Comm comm) const noexcept {
    return comm != last_comm_ || is_stale_.load(std::memory_order_relaxed);
  }
  Cell& cell_of(std::string_view function, const Cell& wanted, MPI_Datatype type);
  bool skips(std::uint64_t number) const noexcept { return (number * 0x9E3779B97F4A7C15 & skipped_) != 0; }
  void visit(const Stay& stay);
  void adapt(std::int64_t now);

  static inline constinit thread_local Recorder* own_ = nullptr;

  std::uint64_t calls_ = 0;
  std::uint64_t skipped_ = 0; // a call is timed if its number times a constant has none of these bits
  std::uint64_t weight_ = 1;  // how many calls a timed call represents
  std::uint64_t kept_ = 0;    // the number of a kept stay has none of these bits
  std::uint64_t calls_then_ = 0;
  std::int64_t then_ = now();
  double interval_ = 0; // seconds between calls
  MPI_Comm last_comm_ = MPI_COMM_NULL;
  Stay* last_ = nullptr; // of the group of last_comm_: the last operation
  // Whether by_comm_ may be wrong, since a communicator has been freed. The thread that frees it sets this.
  // Relaxed: a thread that uses the handle of a new communicator has synchronised with that thread.
  std::atomic<bool> is_stale_{true};
  // Whether skips_next() has counted the operation that enter() will time. Then find() returns false, even if
  // another thread has set is_stale_ meanwhile, so that the operation is not counted twice.
  bool is_counted_ = false;
  std::unordered_map<MPI_Comm, Stay*> by_comm_;
  std::unordered_map<std::uint64_t, Stay> groups_; // the last operation of each
  std::array<double, purposes> seconds_{};
  std::unordered_map<std::uint64_t, std::size_t> places_; // index of a cell, by a hash of its attributes
  std::vector<Cell> cells_;
  std::vector<Stay> visits_;
};

/// Returns the recorders of all threads. Call it only while no other thread calls MPI.
const std::vector<Recorder*>& recorders();

/// Returns whether the user wants advice. Then all calls of the program are native and measured.
bool is_on() noexcept;

/// The datatypes and operations that reductions are replayed with. Others are replayed as the first one.
inline const std::array<MPI_Datatype, 6> basic_types{MPI_DOUBLE, MPI_FLOAT,   MPI_INT,
                                                     MPI_LONG,   MPI_INT64_T, MPI_DOUBLE_INT};
inline const std::array<MPI_Op, 5> basic_ops{MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_MAXLOC};

} // namespace helper::advice

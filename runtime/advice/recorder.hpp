// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/track.hpp"

/// `mpi_helper advise` measures the calls of a program that runs natively. What one process records is here.
namespace helper::advice {

using trace::Clock;

/// The purpose of the time in a function.
enum class Purpose : std::uint8_t { collective, message, packing, reducing, files, one_sided, other };
inline constexpr std::size_t purposes = 7;

/// The call that a replay makes in place of a function. Alltoall also stands for Alltoallv. The calls from
/// `pack` on do not communicate.
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
  reduce_scatter,
  scan,
  pack,
  unpack,
  reduce_local
};

/// Returns whether ranks reduce by it.
constexpr bool reduces(Repetition operation) noexcept {
  return operation == Repetition::reduce || operation == Repetition::allreduce ||
         operation == Repetition::reduce_scatter || operation == Repetition::scan;
}

/// Calls that are alike: of one function at one place in the program, with data of one kind. It is sent to
/// rank 0 as it is.
struct Cell {
  std::array<char, 28> function{};
  Repetition repetition = Repetition::none;
  Purpose purpose = Purpose::other;
  std::uint8_t size_class = 0; ///< of the bytes: their logarithm
  std::uint8_t basic = 0;      ///< of a reduction: the index of its datatype and of its operation
  std::uint8_t op = 0;
  std::int32_t ranks = 0;       ///< of the communicator
  std::uint32_t run = 0;        ///< bytes that lie together, on average; 0 if all do
  std::uint64_t site = 0;       ///< the address to which the calls return
  std::uint64_t calls = 0;      ///< with those that were not timed
  std::uint64_t bytes = 0;      ///< of all calls
  double seconds = 0;           ///< of all calls
  std::uint64_t unit = 1;       ///< bytes of an element of the datatype
  MPI_Datatype type = MPI_BYTE; ///< a copy of the first datatype that was seen here; of this process

  /// Returns whether a replay of one is a replay of the other.
  bool is_like(const Cell& other) const noexcept {
    return function == other.function && size_class == other.size_class && basic == other.basic &&
           op == other.op && ranks == other.ranks && run == other.run;
  }
};

/// When this process was in one collective operation. It is sent to rank 0 as it is.
struct Stay {
  std::uint64_t group;  ///< a number for the processes that take part
  std::uint64_t number; ///< of the operation among those of the group
  std::int64_t ranks;
  std::int64_t enter; ///< nanoseconds
  std::int64_t exit;
};

/// What a call has said of itself.
struct CallData {
  const void* buffer = nullptr;
  std::uint64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

/// Records the calls of one thread. To time a call takes a few hundredths of a microsecond; where calls
/// follow one another so fast that this would be felt, only every 2nd, 4th, 8th … is timed and stands for the
/// others.
class Recorder {
public:
  /// Returns whether the next call is timed.
  bool times_next() noexcept { return (calls_++ & skipped_) == 0; }

  /// Does the same for a collective operation: all processes of the communicator time the same ones.
  bool times_next(MPI_Comm comm) noexcept {
    if (comm != last_comm_ || last_ == nullptr) [[unlikely]]
      find(comm);
    ++calls_;
    return (++last_->operations & skipped_) == 0;
  }

  /// Records a call that was timed. If it is collective, times_next() was given its communicator.
  void add(std::string_view function, Purpose purpose, Repetition repetition, const void* site,
           const CallData& data, Clock::time_point begin, Clock::time_point end);

  /// Forgets a communicator, which the program frees.
  void forget(MPI_Comm comm) {
    by_comm_.erase(comm);
    last_ = nullptr;
  }

  double seconds(Purpose purpose) const noexcept { return seconds_[static_cast<std::size_t>(purpose)]; }

  const std::vector<Cell>& cells() const noexcept { return cells_; }
  const std::vector<Stay>& visits() const noexcept { return visits_; }

private:
  struct Processes {
    std::uint64_t number = 0;
    std::int64_t ranks = 0;
    std::uint64_t operations = 0;
  };

  void find(MPI_Comm comm);
  Cell& cell_of(std::string_view function, const Cell& wanted, MPI_Datatype type);
  void visit(Clock::time_point begin, Clock::time_point end);
  void adapt(Clock::time_point now);

  std::uint64_t calls_ = 0;
  std::uint64_t skipped_ =
      0;                   // a mask: the calls of which none of these bits is set in their number are timed
  std::uint64_t kept_ = 0; // the same for visits, as far as there is room
  std::uint64_t calls_then_ = 0;
  Clock::time_point then_ = Clock::now();
  MPI_Comm last_comm_ = MPI_COMM_NULL;
  Processes* last_ = nullptr;
  std::unordered_map<MPI_Comm, Processes*> by_comm_;
  std::unordered_map<std::uint64_t, Processes> groups_; // by their numbers
  std::array<double, purposes> seconds_{};
  std::unordered_map<std::uint64_t, std::size_t> places_; // of cells, by a number of what makes them alike
  std::vector<Cell> cells_;
  std::vector<Stay> visits_;
};

/// Returns the calling thread's recorder.
Recorder& recorder();

/// Returns the recorders of all threads. It is called when no other thread calls MPI.
const std::vector<Recorder*>& recorders();

/// Returns whether the user wants advice: then all calls of the program are native, and measured.
bool is_on() noexcept;

/// The datatypes and operations of reductions that are replayed; others are replayed as the first.
MPI_Datatype basic_type(std::size_t index) noexcept;
MPI_Op basic_op(std::size_t index) noexcept;

} // namespace helper::advice

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "pipeline/stream.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"
#include "team/team.hpp"

/// Collective operations in which all members of a team take part, each with its own buffers.
///
/// The members meet. Then one of them, the leader, performs the operation for all: within the process by jobs
/// of the team, over the ranks by the MPI function of the same name, which it calls like any member in a
/// phase. So this layer decides nothing about messages.
namespace helper::hybrid {

struct HybridOperation;

/// A member's arguments and result: one cache line for the leader to fetch, two if handles are pointers.
struct alignas(64) MemberCall {
  const HybridOperation& operation;
  MPI_Comm comm;
  const void* send = nullptr;
  void* receive = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;

  bool may_communicate = false; ///< whether the thread level lets this member's thread call MPI
  bool led = false;             ///< whether this member has led the operation
  std::exception_ptr failure{}; ///< the leader writes it
};
static_assert(sizeof(MemberCall) == 64 || sizeof(MPI_Comm) > sizeof(int)); // pointers as handles: two lines

/// The calls of all members, by index.
class MemberCalls {
public:
  explicit MemberCalls(std::span<void* const> parts) noexcept : parts_(parts) {}

  std::size_t size() const noexcept { return parts_.size(); }
  MemberCall& operator[](std::size_t member) const noexcept {
    return *static_cast<MemberCall*>(parts_[member]);
  }
  MemberCall& first() const noexcept { return (*this)[0]; }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (void* const part : parts_) visit(*static_cast<MemberCall*>(part));
  }

private:
  std::span<void* const> parts_;
};

struct HybridOperation {
  const char* name; ///< of the public function
  /// Does the leader's part; `own` is the leader's own call. Throws Rejected, MpiError and std::bad_alloc.
  void (*carry_out)(team::Member& leader, const MemberCall& own, MemberCalls calls);
};

extern const HybridOperation allreduce;
extern const HybridOperation reduce_scatter_block;
extern const HybridOperation allgather;
extern const HybridOperation bcast;
extern const HybridOperation barrier;

/// Takes part in an operation for the calling thread's `member`. Blocks, working for the team. Throws, alike
/// at all members, what the operation throws, and Misuse if members cannot meet or no member may call MPI.
void take_part(team::Member& member, MemberCall& call);

using ranks::check;
using ranks::Rejected;

/// Returns the text of an MPI handle, which is an integer or a pointer.
template <class Handle>
std::string handle_text(Handle handle) {
  std::ostringstream text;
  text << handle;
  return text.str();
}

/// Returns the first member whose `value(call)` differs from member 0's, or the number of members.
template <class Value>
std::size_t first_other(MemberCalls calls, const Value& value) {
  const auto expected = std::invoke(value, calls.first());
  std::size_t member = 1;
  while (member < calls.size() && std::invoke(value, calls[member]) == expected) ++member;
  return member;
}

/// Returns whether all members have passed the same datatype handle, so that types need not be compared.
inline bool have_one_type(MemberCalls calls) {
  return first_other(calls, &MemberCall::type) == calls.size();
}

/// Throws Rejected unless `value(call)` is equal for all calls. `text(call)` is the value in words.
template <class Value, class Text>
void agree(MemberCalls calls, const Value& value, const Text& text) {
  const MemberCall& first = calls.first();
  if (const std::size_t member = first_other(calls, value); member < calls.size()) {
    throw Rejected(MPI_ERR_ARG, "member " + std::to_string(member) + " passed " + text(calls[member]) +
                                    ", but member 0 " + text(first));
  }
}

/// Throws Rejected unless all calls are of one operation on one intra-communicator.
void agree_on_operation(MemberCalls calls);

/// Returns `native` if `comm` has one rank, where MPI waits for nobody; otherwise returns `carried`.
template <class Function>
Function* function_for(MPI_Comm comm, Function* carried, Function* native) {
  return ranks::size_of(comm) == 1 ? native : carried;
}

std::string type_name(MPI_Datatype type);

/// Returns the bytes of data in an element; 0 if the call has no datatype. Throws MpiError.
MPI_Count element_bytes(const MemberCall& call);

/// Returns the data of `count` elements at `base`, one of the call's buffers, without loading the data. The
/// leader calls it. Throws Rejected if there is no buffer or no datatype, and std::bad_alloc.
pipeline::Stream data(const MemberCall& call, const void* base, MPI_Count count);

/// Throws Rejected unless the count is equal for all calls.
void agree_on_count(MemberCalls calls);

/// Throws Rejected if the count of a call is negative.
void reject_negative_count(const MemberCall& call);

/// Throws Rejected if the two buffers of a call are the same.
void reject_aliases(const MemberCall& call);

/// Throws Rejected if a buffer that the call needs is a null pointer.
void reject_null(const void* buffer);

/// Returns the chunk size in bytes for a job on `bytes` bytes of each member. There are about as many chunks
/// as members; more if chunks would exceed 2 MiB; one if so few bytes are faster with the leader alone.
std::size_t grain_for_all(std::size_t bytes, std::size_t members);

/// Copies the data in the receive buffer of a call to the receive buffers of the other calls, as a job of the
/// team. The constructor does all that may fail, before anything is communicated.
class ResultCopies {
public:
  /// The leader makes it. A buffer has `blocks` times source.count elements. Throws Rejected, std::bad_alloc.
  ResultCopies(const MemberCall& source, MemberCalls calls, MPI_Count blocks = 1);

  /// Throws MpiError if MPI fails to copy data that only MPI can copy.
  void run(team::Member& leader) const;

private:
  std::optional<pipeline::Stream> from_; // if there are targets
  std::vector<pipeline::Stream> targets_;
  std::vector<std::byte*> dense_targets_; // used instead of targets_ if all bytes are contiguous
};

} // namespace helper::hybrid

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

/// Here are the collective operations in which all members of a team take part, each with buffers of its own.
///
/// The members meet. Then one of them, the leader, carries the operation out for all: within the process by
/// jobs of the team, over the ranks by the MPI function of that name, which it calls as any member may in a
/// phase. So nothing is decided here about what goes on the wire.
namespace helper::hybrid {

struct HybridOperation;

/// What a member passes, and what becomes of it. All lies on one line of the cache, since the leader fetches
/// it.
struct alignas(64) MemberCall {
  const HybridOperation& operation;
  MPI_Comm comm;
  const void* send = nullptr;
  void* receive = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;

  bool may_communicate = false;
  bool led = false;             ///< this member has led the operation
  std::exception_ptr failure{}; ///< the leader writes it
};
static_assert(sizeof(MemberCall) == 64 || sizeof(MPI_Comm) > sizeof(int)); // where handles are pointers, two

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

/// A hybrid collective operation.
struct HybridOperation {
  const char* name; ///< of the public function
  /// Does what the leader has to, whose own call is `own`. Throws Rejected, MpiError and std::bad_alloc.
  void (*carry_out)(team::Member& leader, const MemberCall& own, MemberCalls calls);
};

extern const HybridOperation allreduce;
extern const HybridOperation reduce_scatter_block;
extern const HybridOperation allgather;
extern const HybridOperation bcast;
extern const HybridOperation barrier;

/// Takes part in an operation for `member`, of the calling thread: blocks, working for the team, until it has
/// finished. Throws, at all members alike, what the operation throws, or Misuse if the members cannot come
/// together or none of them may call MPI.
void take_part(team::Member& member, MemberCall& call);

using ranks::check;
using ranks::Rejected;

/// The text of a handle of MPI, which is an integer or a pointer.
template <class Handle>
std::string handle_text(Handle handle) {
  std::ostringstream text;
  text << handle;
  return text.str();
}

/// Returns the first member for which `value(call)` is not what it is for member 0; their number if there is
/// none.
template <class Value>
std::size_t first_other(MemberCalls calls, const Value& value) {
  const auto expected = std::invoke(value, calls.first());
  std::size_t member = 1;
  while (member < calls.size() && std::invoke(value, calls[member]) == expected) ++member;
  return member;
}

/// Returns whether all members have passed the same handle, so that nothing depends on what MPI says of it.
inline bool have_one_type(MemberCalls calls) {
  return first_other(calls, &MemberCall::type) == calls.size();
}

/// Throws Rejected unless `value(call)` is the same for all calls. `text(call)` says it in words.
template <class Value, class Text>
void agree(MemberCalls calls, const Value& value, const Text& text) {
  const MemberCall& first = calls.first();
  if (const std::size_t member = first_other(calls, value); member < calls.size()) {
    throw Rejected(MPI_ERR_ARG, "member " + std::to_string(member) + " passed " + text(calls[member]) +
                                    ", but member 0 " + text(first));
  }
}

/// Throws Rejected unless the calls are of one operation and on one intra-communicator.
void agree_on_operation(MemberCalls calls);

/// Returns which function carries out a call on `comm`: `native` for one rank, which has nobody to wait for.
template <class Function>
Function* function_for(MPI_Comm comm, Function* carried, Function* native) {
  return ranks::size_of(comm) == 1 ? native : carried;
}

/// The name of a datatype, for reports.
std::string type_name(MPI_Datatype type);

/// The bytes of data in an element; 0 where the call has no datatype. Throws MpiError.
MPI_Count element_bytes(const MemberCall& call);

/// The data in one of the buffers of a call, `base`, of `count` elements, which are not loaded. The leader
/// calls it. Throws Rejected where there is no buffer, and std::bad_alloc.
pipeline::Stream data(const MemberCall& call, const void* base, MPI_Count count);

/// Throws Rejected unless the count is the same for all calls.
void agree_on_count(MemberCalls calls);

/// Throws Rejected where the count of a call is negative.
void reject_negative_count(const MemberCall& call);

/// Throws Rejected where the two buffers of a call are one.
void reject_aliases(const MemberCall& call);

/// Where a call has a buffer: throws Rejected if it is a null pointer.
void reject_null(const void* buffer);

/// The bytes of a chunk where all members of a team share `bytes` out, for each of which there is something
/// to do in a buffer of each of them: about as many chunks as members, or more. Few bytes the leader does
/// alone.
std::size_t grain_for_all(std::size_t bytes, std::size_t members);

/// Copies the data in the receive buffer of a call to those of the other calls, by a job of the team.
/// Whatever may fail does so before anything is communicated.
class ResultCopies {
public:
  /// The leader makes the object; a buffer has `blocks` times the call's count. Throws Rejected and
  /// std::bad_alloc.
  ResultCopies(const MemberCall& source, MemberCalls calls, MPI_Count blocks = 1);

  /// Throws MpiError where MPI fails to copy what it alone can.
  void run(team::Member& leader) const;

private:
  std::optional<pipeline::Stream> from_; // if there are targets
  std::vector<pipeline::Stream> targets_;
  std::vector<std::byte*> dense_targets_; // in place of those, where all bytes lie densely
};

} // namespace helper::hybrid

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/call.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "lifetime/thread_block.hpp"
#include "pipeline/lane.hpp"
#include "ranks/communicator.hpp"
#include "ranks/thread_level.hpp"
#include "team/team.hpp"
#include "transport/shadow.hpp"

namespace helper::hybrid {

namespace {

/// Returns whether the thread level lets the calling thread call MPI. Any thread may call it.
bool thread_may_communicate() {
  if (ranks::thread_level() >= MPI_THREAD_SERIALIZED) return true;
  int is_initialised = 0;
  PMPI_Initialized(&is_initialised);
  // In a program that uses only sessions, MPI defines no main thread: quirk is_thread_main_crashes.
  if (is_initialised == 0) return gettid() == getpid();
  int is_main = 0;
  PMPI_Is_thread_main(&is_main);
  return is_main != 0;
}

void carry_out(team::Member& leader, const MemberCall& own, MemberCalls calls) {
  if (!own.may_communicate) {
    throw team::Misuse(team::Misuse::Kind::state, std::string(own.operation.name) +
                                                      ": at this thread level only the main thread may " +
                                                      "communicate, and it is not a member of team_id " +
                                                      std::to_string(leader.team().id()));
  }
  transport::operation::reset();
  agree_on_operation(calls);
  try {
    own.operation.carry_out(leader, own, calls);
  } catch (const ranks::Truncated&) {
    throw;
  } catch (...) {
    transport::operation::fail(own.comm); // other ranks may wait for this one in their calls
    throw;
  }
}

} // namespace

void take_part(team::Member& member, MemberCall& call) {
  const trace::Call recorded(member.track(), call.operation.name);
  call.may_communicate = thread_may_communicate();
  const auto leader = [&](std::span<void* const> parts) noexcept {
    MemberCalls calls(parts);
    call.led = true;
    calls.for_each([](const MemberCall& each) { __builtin_prefetch(&each); }); // all at the same time
    try {
      carry_out(member, call, calls);
    } catch (...) {
      calls.for_each([](MemberCall& each) { each.failure = std::current_exception(); });
    }
  };
  member.team().meet(member, &call, call.may_communicate, call.operation.name, leader);
  if (call.failure) std::rethrow_exception(call.failure);
  if (trace::Track* const track = member.track(); call.led && track != nullptr)
    track->moved(static_cast<std::uint64_t>(call.count * element_bytes(call)), ranks::size_of(call.comm));
}

void agree_on_operation(MemberCalls calls) {
  calls.for_each([&](const MemberCall& call) {
    if (&call.operation == &calls.first().operation) return;
    throw Rejected(MPI_ERR_ARG, "members of the team have called " +
                                    std::string(calls.first().operation.name) + " and " +
                                    call.operation.name);
  });
  agree(calls, &MemberCall::comm, [](const MemberCall& call) {
    if (call.comm == MPI_COMM_NULL) return std::string("MPI_COMM_NULL");
    return "communicator '" + ranks::communicator_name(call.comm) + "' (" + handle_text(call.comm) + ")";
  });
  const MPI_Comm comm = calls.first().comm;
  if (comm == MPI_COMM_NULL) throw Rejected(MPI_ERR_COMM, "comm is MPI_COMM_NULL");
  int is_inter = 0;
  check(PMPI_Comm_test_inter(comm, &is_inter));
  if (is_inter != 0) throw Rejected(MPI_ERR_COMM, "comm is an inter-communicator");
}

std::string type_name(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Type_get_name(type, name, &length);
  return length != 0 ? name : "a datatype without name";
}

MPI_Count element_bytes(const MemberCall& call) {
  MPI_Count bytes = 0;
  if (call.type != MPI_DATATYPE_NULL) check(PMPI_Type_size_x(call.type, &bytes));
  return bytes;
}

pipeline::Stream data(const MemberCall& call, const void* base, MPI_Count count) {
  if (call.type == MPI_DATATYPE_NULL)
    throw Rejected(MPI_ERR_TYPE, "a member's datatype is MPI_DATATYPE_NULL");
  pipeline::Stream data(const_cast<void*>(base), count, call.type, call.comm);
  if (data.is_dense() && data.size() != 0) reject_null(data.dense());
  return data;
}

void reject_null(const void* buffer) {
  if (buffer == nullptr) throw Rejected(MPI_ERR_BUFFER, "a member's buffer is a null pointer");
}

void agree_on_count(MemberCalls calls) {
  agree(calls, &MemberCall::count,
        [](const MemberCall& call) { return "count " + std::to_string(call.count); });
}

void reject_negative_count(const MemberCall& call) {
  if (call.count < 0) throw Rejected(MPI_ERR_COUNT, "count is " + std::to_string(call.count));
}

void reject_aliases(const MemberCall& call) {
  if (call.send == call.receive && call.send != MPI_BOTTOM)
    throw Rejected(MPI_ERR_BUFFER, "a member's sendbuf is its recvbuf");
}

std::size_t grain_for_all(std::size_t bytes, std::size_t members) {
  // With up to this many bytes over all members, 16 cores were slower than one (docs/many-cores.md).
  constexpr std::size_t most_alone = std::size_t{64} * 1024;
  if (bytes * members <= most_alone) return most_alone;
  constexpr std::size_t line = 64; // pieces of whole lines, so that no two members share one
  // One piece for each member, like in a parallel loop, is faster than pieces of pipeline::grain.
  return std::min((bytes - 1) / (members * line) * line + line, std::size_t{2} << 20);
}

ResultCopies::ResultCopies(const MemberCall& source, MemberCalls calls, MPI_Count blocks) {
  const bool have_one_buffer = first_other(calls, &MemberCall::receive) == calls.size();
  const bool is_one_type = have_one_type(calls);
  if (have_one_buffer && is_one_type) return;
  from_.emplace(data(source, source.receive, blocks * source.count));
  bool are_dense = is_one_type && from_->is_dense() && from_->size() != 0 && !device::is_possible() &&
                   layout::Layout::of(source.type) != nullptr; // otherwise MPI makes a copy
  calls.for_each([&](const MemberCall& call) { are_dense = are_dense && call.receive != nullptr; });
  calls.for_each([&](const MemberCall& call) {
    if (call.receive == source.receive && call.type == source.type) return;
    if (are_dense) {
      const std::ptrdiff_t first_byte = from_->dense() - static_cast<std::byte*>(source.receive);
      dense_targets_.push_back(static_cast<std::byte*>(call.receive) + first_byte);
    } else {
      targets_.push_back(data(call, call.receive, blocks * call.count));
    }
  });
}

void ResultCopies::run(team::Member& leader) const {
  if (!dense_targets_.empty()) {
    leader.run(trace::Stage::copy, from_->size(), grain_for_all(from_->size(), dense_targets_.size() + 1),
               [this](std::size_t begin, std::size_t end) noexcept {
                 for (std::byte* const target : dense_targets_)
                   std::memcpy(target + begin, from_->dense() + begin, end - begin);
               });
  }
  if (targets_.empty()) return;
  from_->load();
  leader.run(trace::Stage::copy, from_->size(), grain_for_all(from_->size(), targets_.size() + 1),
             [this](std::size_t begin, std::size_t end) noexcept {
               lifetime::ThreadBlock<pipeline::l1_block> scratch;
               for (std::size_t at = begin; at < end; at += scratch.size()) {
                 const std::size_t up_to = std::min(at + scratch.size(), end);
                 const std::byte* const packed = from_->read(at, up_to, scratch.data());
                 for (const pipeline::Stream& target : targets_) target.unpack(at, up_to, packed);
               }
             });
  for (const pipeline::Stream& target : targets_) target.store_back();
}

} // namespace helper::hybrid

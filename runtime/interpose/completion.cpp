// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// To wait for requests and for messages, the matching test is polled, with the thread lent in between.

#include <atomic>
#include <type_traits>

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "interpose/look_again.hpp"
#include "message/message.hpp"
#include "message/quick.hpp"
#include "message/unexpected.hpp"

namespace {

using namespace helper;
using namespace helper::interpose;

std::optional<int> wait(team::Member& member, MPI_Request* request, MPI_Status* status) {
  return wait_until(member, "MPI_Wait", MPI_COMM_NULL,
                    [&](int* flag) { return PMPI_Test(request, flag, status); });
}

std::optional<int> waitany(team::Member& member, int count, MPI_Request* requests, int* index,
                           MPI_Status* status) {
  return wait_until(member, "MPI_Waitany", MPI_COMM_NULL, [&](int* flag) {
    return message::testany_natively(count, requests, index, flag, status);
  });
}

std::optional<int> waitsome(team::Member& member, int count, MPI_Request* requests, int* completed,
                            int* indices, MPI_Status* statuses) {
  if (completed == nullptr) return std::nullopt; // MPI says so
  return wait_until(member, "MPI_Waitsome", MPI_COMM_NULL, [&](int* flag) {
    *completed = *flag;
    const int code = PMPI_Testsome(count, requests, completed, indices, statuses);
    *flag = *completed != 0; // MPI_UNDEFINED, where no request is active, ends the wait too
    return code;
  });
}

std::optional<int> probe(team::Member& member, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) return std::nullopt; // there at once
  return wait_until(member, "MPI_Probe", comm,
                    [&](int* flag) { return message::unexpected::iprobe(source, tag, comm, flag, status); });
}

std::optional<int> mprobe(team::Member& member, int source, int tag, MPI_Comm comm, MPI_Message* message,
                          MPI_Status* status) {
  if (source == MPI_PROC_NULL) return std::nullopt;
  return wait_until(member, "MPI_Mprobe", comm, [&](int* flag) {
    return message::unexpected::improbe(source, tag, comm, flag, message, status);
  });
}

std::optional<int> iprobe(team::Member& member, int source, int tag, MPI_Comm comm, int* flag,
                          MPI_Status* status) {
  if (source == MPI_PROC_NULL) return std::nullopt;
  member.attend();
  return message::unexpected::iprobe(source, tag, comm, flag, status);
}

std::optional<int> improbe(team::Member& member, int source, int tag, MPI_Comm comm, int* flag,
                           MPI_Message* message, MPI_Status* status) {
  if (source == MPI_PROC_NULL) return std::nullopt;
  member.attend();
  return message::unexpected::improbe(source, tag, comm, flag, message, status);
}

using message::quick::not_done;

/// Calls the native function. A pointer to Mapped::call() cannot be inlined with a sanitizer, as that has to
/// be.
template <auto Native>
constexpr auto mapped = [](auto... arguments) { return Mapped<Native>::call(arguments...); };

/// Calls attend(), which takes longer than a test that finds nothing, at one of several calls. The program
/// may test until what goes on in the background is done: quirk does_not_poll_generalised.
void attend_sometimes(team::Member& member) noexcept {
  constexpr unsigned period = 16;
  // Any thread may miss another's turn. Relaxed: it orders nothing.
  static constinit std::atomic<unsigned> turns{0};
  const unsigned turn = turns.load(std::memory_order_relaxed) + 1;
  turns.store(turn, std::memory_order_relaxed);
  if (turn % period == 0) member.attend();
}

/// Returns the result of `call(member)` for a thread in a phase, if nothing is recorded and the program has
/// made no error handler.
template <class Call>
[[gnu::always_inline]] inline int quickly(const Call& call) {
  team::Member* const member = team::presence.member();
  if (member == nullptr || member->track() != nullptr || team::OnJump::may_happen() ||
      !message::acts_outside())
    return not_done;
  shm::traffic::call_for_progress();
  const team::StepOutside outside;
  try {
    return call(*member);
  } catch (...) {
    return report_failure();
  }
}

/// Does the same for a test, unless that has to look_again() if it finds nothing.
template <class Call>
[[gnu::always_inline]] inline int tested_quickly(const Call& call) {
  if (shm::traffic::is_behind()) return not_done;
  return quickly([&](team::Member& member) {
    attend_sometimes(member);
    message::requests::advance_in_passing(member);
    return call(member);
  });
}

/// Does what look_again() does for a function that may be replaced outside of phases, out of line: so quick
/// calls of the same function have their arguments in registers.
template <auto Native, auto Way, class... Arguments>
[[gnu::noinline]] int look_again_slowly(const int* found, Arguments... arguments) {
  return look_again(found, [&] { return ReceivingEntry<Native, Way>::call(arguments...); });
}

/// Calls `Entry`, out of line for the same reason.
template <class Entry, class... Arguments>
[[gnu::noinline]] int slowly(Arguments... arguments) {
  return Entry::call(arguments...);
}

} // namespace

#include "interpose/completion.inc"

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return ReceivingEntry<PMPI_Wait, message::wait, wait>::call(request, status);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return ReceivingEntry<PMPI_Waitall, message::waitall, message::wait_for_all>::call(count, requests,
                                                                                     statuses);
}

int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  const int quick = quickly([&](team::Member& member) {
    return message::quick::waitany(mapped<PMPI_Testany>, member, count, requests, index, status);
  });
  if (quick != not_done) return quick;
  return slowly<ReceivingEntry<PMPI_Waitany, message::waitany, waitany>>(count, requests, index, status);
}

int MPI_Waitsome(int incount, MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses) {
  const int quick = quickly([&](team::Member& member) {
    return message::quick::waitsome(mapped<PMPI_Testsome>, member, incount, requests, outcount, indices,
                                    statuses);
  });
  if (quick != not_done) return quick;
  return slowly<ReceivingEntry<PMPI_Waitsome, message::waitsome, waitsome>>(incount, requests, outcount,
                                                                            indices, statuses);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const int quick = tested_quickly([&](team::Member& member) {
    return message::quick::test(mapped<PMPI_Test>, member, request, flag, status);
  });
  if (quick != not_done) return quick;
  return look_again_slowly<PMPI_Test, message::test>(flag, request, flag, status);
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  const int quick = tested_quickly(
      [&](team::Member& member) { return message::quick::testall(member, count, requests, flag, statuses); });
  if (quick != not_done) return quick;
  return look_again_slowly<PMPI_Testall, message::testall>(flag, count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  const int quick = tested_quickly([&](team::Member& member) {
    return message::quick::testany(mapped<PMPI_Testany>, member, count, requests, index, flag, status);
  });
  if (quick != not_done) return quick;
  return look_again_slowly<PMPI_Testany, message::testany>(flag, count, requests, index, flag, status);
}

int MPI_Testsome(int incount, MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses) {
  const int quick = tested_quickly([&](team::Member& member) {
    return message::quick::testsome(mapped<PMPI_Testsome>, member, incount, requests, outcount, indices,
                                    statuses);
  });
  if (quick != not_done) return quick;
  return look_again_slowly<PMPI_Testsome, message::testsome>(outcount, incount, requests, outcount, indices,
                                                             statuses);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const int quick = tested_quickly([&](team::Member&) {
    return message::quick::iprobe(mapped<PMPI_Iprobe>, source, tag, comm, flag, status);
  });
  if (quick != not_done) return quick;
  return look_again_slowly<PMPI_Iprobe, iprobe>(flag, source, tag, comm, flag, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return look_again_slowly<PMPI_Improbe, improbe>(flag, source, tag, comm, flag, message, status);
}

int MPI_Win_test(MPI_Win win, int* flag) {
  return look_again(flag, [&] { return Entry<PMPI_Win_test>::call(win, flag); });
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return look_again_slowly<PMPI_Request_get_status, message::request_get_status>(flag, request, flag, status);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

// quirk get_status_all_not_const.
using LookedAt = std::conditional_t<
    std::is_invocable_v<decltype(PMPI_Request_get_status_all), int, const MPI_Request*, int*, MPI_Status*>,
    const MPI_Request*, MPI_Request*>;

int MPI_Request_get_status_all(int count, LookedAt requests, int* flag, MPI_Status* statuses) {
  return look_again_slowly<PMPI_Request_get_status_all, message::request_get_status_all>(
      flag, count, requests, flag, statuses);
}

int MPI_Request_get_status_any(int count, LookedAt requests, int* index, int* flag, MPI_Status* status) {
  return look_again_slowly<PMPI_Request_get_status_any, message::request_get_status_any>(
      flag, count, requests, index, flag, status);
}

int MPI_Request_get_status_some(int incount, LookedAt requests, int* outcount, int* indices,
                                MPI_Status* statuses) {
  return look_again_slowly<PMPI_Request_get_status_some, message::request_get_status_some>(
      outcount, incount, requests, outcount, indices, statuses);
}

#endif

} // extern "C"

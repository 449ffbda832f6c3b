// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A wait for requests or messages polls the matching test, and lends the thread in between.

#include <cstddef>
#include <tuple>

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "interpose/quickly.hpp"
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
  if (completed == nullptr) return std::nullopt; // MPI reports the error
  return wait_until(member, "MPI_Waitsome", MPI_COMM_NULL, [&](int* flag) {
    *completed = *flag;
    const int code = PMPI_Testsome(count, requests, completed, indices, statuses);
    *flag = *completed != 0; // MPI_UNDEFINED, which means no active request, also ends the wait
    return code;
  });
}

std::optional<int> probe(team::Member& member, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) return std::nullopt; // MPI returns immediately
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

// Counts the thread's tests down to the next one that calls attend(). attend() takes longer than a test that
// finds nothing. But some tests must call it, since the program may test until a background operation is
// complete (quirk does_not_poll_generalised).
constexpr unsigned straight_per_attending = 64, detours_per_attending = 16;
thread_local constinit unsigned until_attending = 1; // attends at once: a thread may end after a few tests

/// The part of tested() for calls that `quick` does not handle.
template <auto Native, auto Way, auto quick, class... Arguments>
[[gnu::noinline]] int tested_with_detour(const int* found, Arguments... arguments) {
  const bool attends = until_attending % detours_per_attending == 0;
  if (until_attending == 0) until_attending = straight_per_attending;
  if (!shm::traffic::is_behind()) {
    if (attends && team::presence.member() == nullptr && message::acts_outside())
      with_handlers_last([] { return straight([] { return int{team::alone().attend()}; }, true); });
    const int code = quickly([&](team::Member& member) {
      if (attends) member.attend();
      message::requests::advance_in_passing(member);
      return message::quick::can_be_given(arguments...)
                 ? quick(message::quick::kept(arguments...), arguments...)
                 : not_done;
    });
    if (code != not_done) return code;
  }
  return look_again(found, [&] { return ReceivingEntry<Native, Way>::call(arguments...); });
}

/// Does what the test or probe `Native` does. Tries `quick` first and, if that returns not_done, another way.
/// The argument with index `found` points to the flag that `Native` stores.
template <auto Native, auto Way, auto quick, std::size_t found, class... Arguments>
[[gnu::always_inline]] inline int tested(Arguments... arguments) {
  const auto kept = message::quick::kept(arguments...);
  if (--until_attending != 0 && !shm::traffic::is_behind()) [[likely]] {
    const int code = straight([&] { return quick(kept, arguments...); });
    if (code != not_done) return code;
  }
  return std::apply(
      [&](auto... all) { return tested_with_detour<Native, Way, quick>(std::get<found>(kept), all...); },
      kept);
}

/// Does what tested() does, for a function that is not called often.
template <auto Native, auto Way, std::size_t found, class... Arguments>
int tested_slowly(Arguments... arguments) {
  return look_again(std::get<found>(std::tuple(arguments...)),
                    [&] { return ReceivingEntry<Native, Way>::call(arguments...); });
}

/// The part of waited() for calls that need a detour, or for which `quick` has found nothing.
template <class Entry, auto quick, class... Arguments>
[[gnu::noinline]] int waited_with_detour(Arguments... arguments) {
  if (team::detours::any()) {
    const int code = quickly([&](team::Member&) {
      return message::quick::can_be_given(arguments...) ? quick(arguments...) : not_done;
    });
    if (code != not_done) return code;
  }
  return Entry::call(arguments...);
}

/// Does what the wait `Native` does: by `quick`, or, if that returns not_done, in one of the ways.
template <auto Native, auto Way, auto OtherWay, auto quick, class... Arguments>
[[gnu::always_inline]] inline int waited(Arguments... arguments) {
  using Waiting = ReceivingEntry<Native, Way, OtherWay>;
  const auto kept = message::quick::kept(arguments...);
  const int code = straight([&] { return quick(arguments...); });
  return code != not_done
             ? code
             : std::apply([](auto... all) { return waited_with_detour<Waiting, quick>(all...); }, kept);
}

namespace quick = message::quick;

#define QUICK(FUNCTION, NATIVE)                                                                              \
  [](const auto&... all) __attribute__((always_inline)) {                                                    \
    return quick::FUNCTION(mapped<NATIVE>, all...);                                                          \
  }
constexpr auto quick_test = QUICK(test, PMPI_Test);
constexpr auto quick_testany = QUICK(testany, PMPI_Testany);
constexpr auto quick_testall = [](const auto&, auto... all) { return quick::testall(all...); };
constexpr auto quick_testsome = QUICK(testsome, PMPI_Testsome);
constexpr auto quick_iprobe = QUICK(iprobe, PMPI_Iprobe);
constexpr auto quick_wait = QUICK(wait, PMPI_Test);
constexpr auto quick_waitany = QUICK(waitany, PMPI_Testany);
constexpr auto quick_waitsome = QUICK(waitsome, PMPI_Testsome);
#undef QUICK

} // namespace

#include "interpose/completion.inc"

extern "C" {

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  int done = 0;
  const int code =
      straight([&] { return quick::waitall(mapped<PMPI_Test>, count, requests, statuses, done); });
  if (code == MPI_SUCCESS || (done == count && code != not_done)) return code;
  const int later = slowly<ReceivingEntry<PMPI_Waitall, message::waitall, message::wait_for_all>>(
      count - done, requests + done, statuses == MPI_STATUSES_IGNORE ? statuses : statuses + done);
  if (code != not_done && later == MPI_SUCCESS && statuses != MPI_STATUSES_IGNORE)
    message::set_no_errors(count - done, statuses + done);
  return code == not_done ? later : code;
}

int MPI_Win_test(MPI_Win win, int* flag) {
  return look_again(flag, [&] { return Entry<PMPI_Win_test>::call(win, flag); });
}

} // extern "C"

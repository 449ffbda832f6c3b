// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "interpose/name.hpp"
#include "message/message.hpp"
#include "shm/traffic.hpp"
#include "team/on_jump.hpp"

/// What the calls of an intercepted function mean for the process's traffic is read off its name. Functions
/// that are intercepted for no more than that are in counted.S.
namespace helper::interpose {

constexpr bool starts_with_any(std::string_view name, auto... prefixes) {
  return (name.starts_with(prefixes) || ...);
}

/// Tells whether the function begins a collective operation.
template <auto Native>
inline constexpr bool begins_collective = starts_with_any(name_of<Native>, "MPI_Ibcast", "MPI_Ireduce",
                                                          "MPI_Iallreduce", "MPI_Iscan", "MPI_Iexscan",
                                                          "MPI_Igather", "MPI_Iscatter", "MPI_Iallgather",
                                                          "MPI_Ialltoall", "MPI_Ineighbor");

/// Tells whether the function begins a request.
template <auto Native>
inline constexpr bool begins = begins_collective<Native> ||
                               starts_with_any(name_of<Native>, "MPI_Isend", "MPI_Issend", "MPI_Irsend",
                                               "MPI_Irecv", "MPI_Imrecv");

/// Tells whether it makes a persistent collective, or a partitioned request; the last argument is where.
template <auto Native>
inline constexpr bool makes_persistent = std::string_view(name_of<Native>).ends_with("_init") ||
                                         std::string_view(name_of<Native>).ends_with("_init_c");

/// Tells whether it makes something else that MPI has to get on with until it is freed: a window, a file.
template <auto Native>
inline constexpr bool lasts = starts_with_any(name_of<Native>, "MPI_Win_create", "MPI_Win_allocate",
                                              "MPI_File_open");

/// Tells whether it ends such a thing.
template <auto Native>
inline constexpr bool ends = starts_with_any(name_of<Native>, "MPI_Win_free", "MPI_File_close",
                                             "MPI_Buffer_detach", "MPI_Comm_detach_buffer",
                                             "MPI_Session_detach_buffer");

/// Tells whether it completes requests.
template <auto Native>
inline constexpr bool completes = starts_with_any(name_of<Native>, "MPI_Wait", "MPI_Test");

/// Tells whether it sends something that the receiver's MPI has to see.
template <auto Native>
inline constexpr bool sends = begins_collective<Native> ||
                              starts_with_any(name_of<Native>, "MPI_Send", "MPI_Ssend", "MPI_Rsend",
                                              "MPI_Bsend", "MPI_Isend", "MPI_Issend", "MPI_Irsend",
                                              "MPI_Start", "MPI_Psend", "MPI_Precv", "MPI_Pready",
                                              "MPI_Win_post", "MPI_Win_complete", "MPI_Win_lock",
                                              "MPI_Win_unlock", "MPI_Win_flush", "MPI_Win_fence");

template <auto Native>
inline constexpr bool probes = starts_with_any(name_of<Native>, "MPI_Probe", "MPI_Mprobe", "MPI_Iprobe",
                                               "MPI_Improbe");

/// Tells whether it matches a message, or has one matched.
template <auto Native>
inline constexpr bool receives = probes<Native> ||
                                 starts_with_any(name_of<Native>, "MPI_Recv", "MPI_Irecv", "MPI_Sendrecv",
                                                 "MPI_Isendrecv", "MPI_Start");

/// Tells whether it may need others to poll MPI.
template <auto Native>
inline constexpr bool needs_others = sends<Native> || completes<Native> || probes<Native> ||
                                     starts_with_any(name_of<Native>, "MPI_Recv", "MPI_Mrecv", "MPI_Win_wait",
                                                     "MPI_Win_test");

/// Returns how many of the requests that a call completes are not over.
template <class... Others>
std::uint64_t not_over(const MPI_Request* request, Others...) noexcept {
  return request != nullptr && *request != MPI_REQUEST_NULL ? 1 : 0;
}
template <class... Others>
std::uint64_t not_over(int count, const MPI_Request* requests, Others...) noexcept {
  if (requests == nullptr || count < 0) return 0;
  return static_cast<std::uint64_t>(count - std::count(requests, requests + count, MPI_REQUEST_NULL));
}

/// Calls `count()` when its scope is left, also by what an error handler throws or by its jump.
template <class Count>
class Counting {
public:
  explicit Counting(const Count& count) noexcept : count_(count) {}
  ~Counting() { count_(); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

private:
  const Count& count_;
};

/// Returns the result of `call()`. Calls `take_back()` unless that succeeds, and where an error handler
/// leaves.
template <class Call, class TakeBack>
[[gnu::always_inline]] inline int call_or_take_back(const Call& call, const TakeBack& take_back) {
  bool has_begun = false;
  const auto count = [&] {
    if (!has_begun) take_back();
  };
  const team::JumpSafe<Counting<decltype(count)>> counting(count);
  const int code = call();
  has_begun = code == MPI_SUCCESS;
  return code;
}

/// Returns the result of `call()`, which does what `Native` does with these arguments, and counts it.
template <auto Native, class Call, class... Arguments>
[[gnu::always_inline]] inline int counted(const Call& call, Arguments... arguments) {
  namespace traffic = shm::traffic;
  if constexpr (sends<Native>) traffic::send();
  if constexpr (needs_others<Native>) traffic::call_for_progress();
  if constexpr (begins<Native>) {
    traffic::begin();
    return call_or_take_back(call, [] { traffic::end(1); });
  } else if constexpr (makes_persistent<Native>) {
    const int code = call();
    constexpr bool is_partitioned = starts_with_any(name_of<Native>, "MPI_Psend", "MPI_Precv");
    if (code == MPI_SUCCESS)
      message::persistent::begin_lasting(*std::get<sizeof...(arguments) - 1>(std::tuple(arguments...)),
                                         !is_partitioned);
    return code;
  } else if constexpr (lasts<Native>) {
    traffic::begin_lasting();
    return call_or_take_back(call, [] { traffic::end_lasting(); });
  } else if constexpr (ends<Native>) {
    const int code = call();
    if (code == MPI_SUCCESS) traffic::end_lasting();
    return code;
  } else if constexpr (completes<Native>) {
    const std::uint64_t before = not_over(arguments...);
    const auto count = [&] { traffic::end(before - not_over(arguments...)); };
    const team::JumpSafe<Counting<decltype(count)>> counting(count);
    return call();
  } else {
    return call();
  }
}

} // namespace helper::interpose

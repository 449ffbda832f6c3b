// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "interpose/listed.hpp"
#include "lifetime/at_end.hpp"
#include "message/message.hpp"
#include "ranks/error_handlers.hpp"
#include "shm/traffic.hpp"

/// Counts how intercepted calls change the process's traffic (shm/traffic.hpp). listed.hpp lists the effects.
namespace helper::interpose {

/// Returns whether the function makes a persistent or partitioned request.
template <auto Native>
inline constexpr bool makes_persistent = listed<Native>.persistent || listed<Native>.partitioned;

/// Returns how many of a call's requests are not MPI_REQUEST_NULL: they have not been completed.
template <class... Others>
std::uint64_t not_over(const MPI_Request* request, Others...) noexcept {
  return request != nullptr && *request != MPI_REQUEST_NULL ? 1 : 0;
}
template <class... Others>
std::uint64_t not_over(int count, const MPI_Request* requests, Others...) noexcept {
  if (requests == nullptr || count < 0) return 0;
  return static_cast<std::uint64_t>(count - std::count(requests, requests + count, MPI_REQUEST_NULL));
}

/// Returns the result of `call()`. Calls `take_back()` unless `call()` succeeds.
template <class Call, class TakeBack>
[[gnu::always_inline]] inline int call_or_take_back(const Call& call, const TakeBack& take_back) {
  return ranks::error_handlers::with_handlers_last([&] {
    bool has_begun = false;
    const lifetime::AtEnd counting([&] {
      if (!has_begun) take_back();
    });
    const int code = call();
    has_begun = code == MPI_SUCCESS;
    return code;
  });
}

/// Returns `call()`, which does what `Native` does. Counts what the call starts, completes or ends.
template <auto Native, class Call, class... Arguments>
[[gnu::always_inline]] inline int counted_requests(const Call& call, Arguments... arguments) {
  namespace traffic = shm::traffic;
  constexpr Listed is = listed<Native>;
  const auto made = [](auto... all) { return std::get<sizeof...(all) - 1>(std::tuple(all...)); };
  if constexpr (is.begins) {
    traffic::begin();
    const int code = call_or_take_back(call, [] { traffic::end(1); });
    // The operation is complete already (quirk flush_without_request), or failed (quirk success_after_error).
    if (code == MPI_SUCCESS && *made(arguments...) == MPI_REQUEST_NULL) traffic::end(1);
    return code;
  } else if constexpr (makes_persistent<Native>) {
    const int code = call();
    if (code == MPI_SUCCESS) message::persistent::begin_lasting(*made(arguments...), is.persistent);
    return code;
  } else if constexpr (is.lasts) {
    traffic::begin_lasting();
    return call_or_take_back(call, [] { traffic::end_lasting(); });
  } else if constexpr (is.ends) {
    const int code = call();
    if (code == MPI_SUCCESS) traffic::end_lasting();
    return code;
  } else if constexpr (is.completes) {
    return ranks::error_handlers::with_handlers_last([&] {
      const std::uint64_t before = not_over(arguments...);
      const lifetime::AtEnd counting([&] { traffic::end(before - not_over(arguments...)); });
      return call();
    });
  } else {
    return call();
  }
}

/// Like counted_requests(), but counts sends too, and wakes other processes if the call may need them.
template <auto Native, class Call, class... Arguments>
[[gnu::always_inline]] inline int counted(const Call& call, Arguments... arguments) {
  constexpr Listed is = listed<Native>;
  if constexpr (is.sends) shm::traffic::send();
  if constexpr (is.polls || is.sends || is.completes) shm::traffic::call_for_progress();
  return counted_requests<Native>(call, arguments...);
}

/// Calls `Native`. Counts sends, and what counted_requests() counts.
template <auto Native, class... Arguments>
[[gnu::always_inline]] inline int only_counted(Arguments... arguments) {
  if constexpr (listed<Native>.sends) shm::traffic::send();
  return counted_requests<Native>([&] { return Native(arguments...); }, arguments...);
}

/// Returns the code of `call()`, a probe or test that does not wait and stores in `*found` whether it has
/// found anything. After an operation that bypassed MPI, MPI may not have seen earlier sends of other
/// processes. If the call finds nothing then, MPI catches up, and the call is repeated.
template <class Call>
[[gnu::always_inline]] inline int look_again(const int* found, const Call& call) {
  const int code = call();
  if (!shm::traffic::is_behind()) [[likely]]
    return code;
  if (code != MPI_SUCCESS || found == nullptr || *found != 0) return code;
  shm::traffic::catch_up();
  return call();
}

} // namespace helper::interpose

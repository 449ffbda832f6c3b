// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Persistent collectives are made natively. The library starts those that the ranks have agreed to carry.

#include <tuple>
#include <utility>

#include "collective/nonblocking.hpp"
#include "interpose/entry.hpp"

using namespace helper;
using namespace helper::interpose;

namespace {

/// Makes the request natively, and records what a start of it does. If either fails, the other ranks learn of
/// it when they start their requests.
template <auto Native, class... Arguments>
int keep(team::Member& member, MPI_Comm comm, MPI_Request* request,
         std::shared_ptr<const message::persistent::PersistentOperation>&& made, Arguments... arguments) {
  const int code = [&] {
    const transport::Patience patience(member);
    return Native(arguments...);
  }();
  if (code != MPI_SUCCESS) {
    transport::operation::fail(comm);
    return code;
  }
  try {
    message::persistent::keep(*request, std::move(made));
  } catch (const std::bad_alloc&) {
    PMPI_Request_free(request);
    transport::operation::fail(comm);
    throw ranks::MpiError(comm, MPI_ERR_NO_MEM);
  }
  return code;
}

/// Makes the persistent form of the non-blocking `Operation`, if the ranks agree to carry it. The last
/// arguments of `Native` are the communicator, an info, and the request.
template <auto Native, auto Operation>
constexpr auto made_persistent = [](team::Member& member, auto... arguments) -> std::optional<int> {
  constexpr std::size_t size = sizeof...(arguments);
  const std::tuple all(arguments...);
  MPI_Request* const request = std::get<size - 1>(all);
  std::shared_ptr<const message::persistent::PersistentOperation> kept;
  const collective::Making making(request, name_of<Native>, kept);
  const std::optional<int> code = [&]<std::size_t... at>(std::index_sequence<at...>) {
    return collective::started<Operation>(member, std::get<at>(all)..., making);
  }
  (std::make_index_sequence<size - 2>());
  if (!code) return std::nullopt;
  return keep<Native>(member, std::get<size - 3>(all), request, std::move(kept), arguments...);
};

} // namespace

#include "interpose/persistent_collectives.inc"

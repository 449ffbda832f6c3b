// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The functions of buffers for MPI_Bsend that block in MPI, and those that begin to flush one.

#include <tuple>

#include "interpose/rescue.hpp"

using namespace helper;
using namespace helper::interpose;

namespace {

/// Begins a flush that does not block, and counts its request. There may be none: quirk
/// flush_without_request.
template <auto Native, class... Arguments>
int begin_flush(Arguments... arguments) {
  namespace traffic = shm::traffic;
  traffic::send();
  traffic::begin();
  const int code = Native(arguments...);
  MPI_Request* const request = std::get<sizeof...(arguments) - 1>(std::tuple(arguments...));
  if (code != MPI_SUCCESS || not_over(request) == 0) traffic::end(1);
  return code;
}

} // namespace

#include "interpose/buffers.inc"

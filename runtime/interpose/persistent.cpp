// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Persistent sends and receives may be made outside a phase and started in one.

#include "interpose/entry.hpp"
#include "layout/layout.hpp"
#include "message/message.hpp"

using namespace helper;
using namespace helper::interpose;

namespace {

/// Makes a persistent request with `Init`; `keep` records its operation. If the program unpacks the data with
/// its own functions, MPI's own request receives no data.
template <auto Init, auto keep, class Buffer, class Count>
int made(Buffer buffer, Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
         MPI_Request* request) {
  const bool is_nothing = layout::has_functions(type) && count >= 0;
  const int code = is_nothing ? Init(nullptr, 0, MPI_BYTE, peer, tag, comm, request)
                              : Init(buffer, count, type, peer, tag, comm, request);
  if (code != MPI_SUCCESS) return code;
  try {
    keep(*request, buffer, count, type, peer, tag, comm);
    message::persistent::begin_lasting(*request, false);
    return code;
  } catch (...) {
    PMPI_Request_free(request);
    return report_failure();
  }
}

/// Records a send that `Start` starts.
template <auto Start>
constexpr auto keep_send = [](MPI_Request request, auto... arguments) {
  message::persistent::keep_send(request, Start, arguments...);
};

/// Makes a persistent send with the function `Init`. Its starts use the function `Start`.
template <auto Init, auto Start>
int made_send(const void* buffer, auto count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (!layout::has_functions(type)) [[likely]]
    return made<Init, keep_send<Start>>(buffer, count, type, peer, tag, comm, request);
  return reporting_last([&] {
    const auto init = [](const void* bytes, int length, MPI_Datatype as, int to, int its_tag, MPI_Comm on,
                         MPI_Request* its) -> int { return Init(bytes, length, as, to, its_tag, on, its); };
    const int code =
        message::persistent::make_packed_send(init, Start, buffer, count, type, peer, tag, comm, request);
    if (code == MPI_SUCCESS) message::persistent::begin_lasting(*request, false);
    return code;
  });
}

#ifdef MPI_HELPER_PARTITIONED

template <auto Init, bool is_send, class Buffer>
int made_partitioned(Buffer buffer, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const auto make = [&] {
    const message::partitioned::Arguments call{is_send, buffer, partitions, count, type,
                                               peer,    tag,    comm,       info};
    const bool is_in_phase = process::present_member() != nullptr;
    message::partitioned::MakingPartitioned making;
    making.begin(call, is_in_phase);
    const int code = Init(buffer, partitions, count, type, peer, tag, comm, info, request);
    if (code == MPI_SUCCESS) making.keep(*request);
    return code;
  };
  return with_handlers_last([&] { return counted<Init>([&] { return reporting(make); }, request); });
}

#endif

} // namespace

#include "interpose/persistent.inc"

extern "C" {

int MPI_Request_free(MPI_Request* request) {
  const bool is_over = request != nullptr && message::persistent::release(*request);
  const int code = ReceivingEntry<PMPI_Request_free, message::request_free>::call(request);
  if (is_over && code == MPI_SUCCESS) shm::traffic::end(1);
  return code;
}

int MPI_Cancel(MPI_Request* request) {
  if (shm::traffic::is_behind()) shm::traffic::catch_up(); // else a message that has come would be cancelled
  return ReceivingEntry<PMPI_Cancel, message::cancel>::call(request);
}

} // extern "C"

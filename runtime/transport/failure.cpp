// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/failure.hpp"

#include <mpi.h>

#include <cstdlib>
#include <new>

#include "native/large_counts.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "transport/shadow.hpp"

namespace helper::transport {

namespace {

// The tag of the message GaveUp. Tags of operations are smaller.
constexpr int gave_up_tag = Shadow::most_tag + 1;

} // namespace

Failure::Failure(const Shadow& shadow, int ranks)
    : shadow_(shadow), given_up_(static_cast<std::atomic<std::uint64_t>*>(
                                     std::calloc(static_cast<std::size_t>(ranks), sizeof(std::uint64_t))),
                                 std::free),
      told_(std::make_unique<GaveUp>()) {
  if (given_up_ == nullptr) throw std::bad_alloc();
}

void Failure::give_up() noexcept {
  const int own = shadow_.rank();
  std::uint64_t before = 0;
  if (shadow_.comm() == MPI_COMM_NULL ||
      !given_up_[static_cast<std::size_t>(own)].compare_exchange_strong(before, carried_ + 1))
    return;
  is_known_.store(true, std::memory_order_relaxed);
  Shadow::forget_answers();
  if (shadow_.control() != nullptr) shadow_.control()->close_posts();
  GaveUp* const told = told_.release(); // leaked, since it may be in flight for long
  *told = {carried_, shadow_.port()};
  for (int rank = 0; rank < shadow_.size(); ++rank) {
    if (rank == own) continue;
    const auto [peer, tag] = shadow_.envelope(rank, gave_up_tag);
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Isend(told, sizeof *told, MPI_BYTE, peer, tag, shadow_.comm(), &request);
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
    shadow_.ring(rank);
  }
}

void Failure::check_peers() {
  while (receive_in_vain(gave_up_tag)) {
  }
  if (!is_known_.load(std::memory_order_relaxed)) return;
  for (int rank = 0; rank < shadow_.size(); ++rank) {
    if (gave_up(rank)) throw ranks::PeerGaveUp(shadow_.user(), rank);
  }
}

void Failure::sweep() noexcept {
  if (shadow_.has_own_communicator()) {
    while (receive_in_vain(MPI_ANY_TAG)) {
    }
    return;
  }
  for (int tag = 0; tag <= gave_up_tag; ++tag) {
    while (receive_in_vain(tag)) {
    }
  }
}

int Failure::count() noexcept {
  while (receive_in_vain(gave_up_tag)) {
  }
  int ranks = 0;
  for (int rank = 0; rank < shadow_.size(); ++rank) ranks += given_up(rank) != none ? 1 : 0;
  if (ranks != 0) sweep();
  return ranks;
}

void Failure::note_given_up(int peer, const GaveUp& message) noexcept {
  if (message.port != shadow_.port()) return;
  for (int rank = 0; rank < shadow_.size(); ++rank) {
    if (shadow_.envelope(rank, 0).peer == peer)
      given_up_[static_cast<std::size_t>(rank)].store(message.operation + 1, std::memory_order_relaxed);
  }
  is_known_.store(true, std::memory_order_relaxed);
}

// Not MPI_Iprobe: another thread of a channel could take the message between the probe and the receive.
bool Failure::receive_in_vain(int tag) noexcept {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  const int own = shadow_.rank();
  const int own_tag = tag == MPI_ANY_TAG ? tag : shadow_.envelope(own, tag).tag;
  const int code = PMPI_Improbe(MPI_ANY_SOURCE, own_tag, shadow_.comm(), &there, &message, &status);
  if (code != MPI_SUCCESS || there == 0) return false;
  if (status.MPI_TAG == shadow_.envelope(own, gave_up_tag).tag) {
    GaveUp given_up{none, 0};
    PMPI_Mrecv(&given_up, sizeof given_up, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    note_given_up(status.MPI_SOURCE, given_up);
    return true;
  }
  // The whole message is received: if it did not fit, MPI would call the error handler of MPI_COMM_WORLD.
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  const std::unique_ptr<std::byte[]> data(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  // Without memory nothing is received. The sender need not wait: it learns that this rank has given up.
  if (data != nullptr) PMPI_Mrecv_c(data.get(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  return true;
}

} // namespace helper::transport

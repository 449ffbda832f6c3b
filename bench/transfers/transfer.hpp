// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "jobs/worker.hpp"
#include "types.hpp"

#include <cstring>

namespace bench {

/// Messages from rank 0 to rank 1. Other ranks do nothing.
class Transfer : public Subject {
public:
  Transfer(const TypeFamily& family, std::size_t bytes)
      : elements_(family.make(bytes)), buffer_(elements_.buffer_bytes()) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }

  /// Sends one message of random bytes. Returns whether this rank has the right bytes, gaps included.
  bool is_right(bool native) override {
    constexpr unsigned sent = 1, gaps = 2;
    fill(buffer_, rank_ == 0 ? sent : gaps);
    std::vector<unsigned char> expected = buffer_;
    call(native);
    if (rank_ == 1) {
      // Copies the sent data with native MPI to where the receiver expects them.
      std::vector<unsigned char> source(buffer_.size()), packed(elements_.packed_bytes());
      fill(source, sent);
      const int size = static_cast<int>(packed.size());
      int position = 0;
      PMPI_Pack(source.data(), elements_.count(), elements_.type(), packed.data(), size, &position,
                MPI_COMM_SELF);
      position = 0;
      PMPI_Unpack(packed.data(), size, &position, expected.data(), elements_.count(), elements_.type(),
                  MPI_COMM_SELF);
    }
    return buffer_ == expected;
  }

  /// Sends `calls` messages, one after the other. Returns the seconds at rank 0 until each was received,
  /// which an empty message confirms, and 0 at other ranks. Before every call both ranks write to all lines
  /// of their buffers, untimed.
  double seconds(bool native, int calls) override {
    constexpr std::size_t line = 64;
    double total = 0;
    for (int i = 0; i < calls; ++i) {
      for (std::size_t at = 0; at < buffer_.size(); at += line) buffer_[at] = static_cast<unsigned char>(i);
      PMPI_Barrier(MPI_COMM_WORLD);
      const double start = PMPI_Wtime();
      call(native);
      total += PMPI_Wtime() - start;
    }
    return rank_ == 0 ? total : 0;
  }

private:
  static void fill(std::vector<unsigned char>& bytes, unsigned seed) {
    std::mt19937_64 engine(seed);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) { // some buffers have a gigabyte
      const std::uint64_t word = engine();
      std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
    }
  }

  void call(bool native) {
    constexpr int tag = 1;
    const auto send = native ? PMPI_Send : MPI_Send;
    const auto receive = native ? PMPI_Recv : MPI_Recv;
    if (rank_ == 0) {
      send(buffer_.data(), elements_.count(), elements_.type(), 1, tag, MPI_COMM_WORLD);
      receive(nullptr, 0, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank_ == 1) {
      receive(buffer_.data(), elements_.count(), elements_.type(), 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      send(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    }
  }

  Elements elements_;
  std::vector<unsigned char> buffer_;
  int rank_;
};

} // namespace bench

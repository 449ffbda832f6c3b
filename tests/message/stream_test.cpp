// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests streams of messages, which MPI completes in any order.

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "layout/packed_data.hpp"
#include "message/deferred_sends.hpp"
#include "message/mpi_stream.hpp"
#include "pipeline/staging.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/memory_mpi.hpp"
#include "support/seed.hpp"

using namespace helper;
using namespace helper::message;
using pipeline::Chunks;
using test_support::Draw;
using test_support::MemoryMpi;

namespace {

/// Writes the pieces before `last`, as long as the reader gives credit. Then leaves the other pieces to MPI.
void write(MpiWriter& writer, const layout::PackedData& data, Chunks pieces, std::size_t last) {
  for (std::size_t put = 0; put < last; std::this_thread::yield()) {
    for (const std::size_t end = std::min(writer.credit(), last); put < end; ++put)
      MpiWriter::pack(data, pieces.begin(put), pieces.end(put), writer.place(put));
    writer.put(put);
  }
  if (last != pieces.count()) {
    deferred::Reservation none;
    if (!writer.rescue(data, none)) std::terminate();
  }
  while (!writer.gone()) std::this_thread::yield();
}

/// Takes the pieces as they arrive, but not always all that have arrived.
void read(MpiReader reader, std::vector<unsigned char>& data, Chunks pieces, Draw& draw) {
  for (std::size_t taken = 0; taken < pieces.count(); std::this_thread::yield()) {
    for (const std::size_t filled = reader.filled(); taken < filled && draw.coin(); ++taken) {
      const auto* const place = reinterpret_cast<const unsigned char*>(reader.place(taken));
      std::copy_n(place, pieces.size(taken), data.begin() + static_cast<std::ptrdiff_t>(pieces.begin(taken)));
    }
    reader.take(taken);
  }
}

} // namespace

TEST_CASE("All pieces come in order, and what nobody waits for comes as well") {
  Draw draw(test_support::seed());
  for (int trial = 0; trial < 200; ++trial) {
    const Chunks pieces(static_cast<std::size_t>(1 + draw.bytes(300'000)),
                        static_cast<std::size_t>(1 + draw.upto(20'000)));
    const std::size_t last =
        draw.coin() ? pieces.count() : static_cast<std::size_t>(draw.upto(static_cast<int>(pieces.count())));
    CAPTURE(test_support::seed(), trial, pieces.total(), pieces.bytes(), last);
    std::vector<unsigned char> given(pieces.total());
    std::vector<unsigned char> got(pieces.total());
    draw.fill(given);

    MemoryMpi mpi(2, static_cast<std::uint64_t>(draw.upto(1 << 30)));
    MpiWriter writer(1, pieces);
    mpi.run([&](int rank) {
      if (rank == 1) return read(MpiReader(0, writer.tag(), pieces), got, pieces, draw);
      write(writer, {given.data(), given.size()}, pieces, last);
      for (; pipeline::leased_staging() != 0 && last != pieces.count(); std::this_thread::yield())
        deferred::sweep();
    });

    CHECK((got == given));
    CHECK(mpi.is_quiet());
  }
}

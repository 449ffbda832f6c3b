// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstddef>
#include <cstdint>
#include <vector>

#include "message/roles.hpp"

// Tests small receives. Most messages that the library announces are larger.

using namespace test_support;

namespace {

/// A message of ints. Rank 1 receives it into every `stride`-th int of `in`.
struct Message {
  std::vector<int> out, in;
  std::size_t stride = 1;

  std::vector<int> received() const {
    std::vector<int> all(in.size() / stride);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = in[i * stride];
    return all;
  }
};

std::vector<int> numbers(int count, int first) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// An element with a gap at its end. MPICH copies arrays of such elements one by one, so they are announced.
struct Particle {
  double mass;
  int kind;
};

constexpr std::size_t packed_bytes = sizeof(double) + sizeof(int);

Type particle_type() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(Particle, mass), offsetof(Particle, kind)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  return Type(PMPI_Type_create_struct, 2, lengths, places, types); // MPI pads the type like the compiler
}

} // namespace

TEST_CASE("Many small receives are under way at once, and are completed in random order and ways") {
  constexpr int messages = 700;
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int peer = world.rank() ^ 1;
  if (peer >= world.size()) return;
  Draw shared(seed() + static_cast<std::uint64_t>(world.rank() / 2));
  Draw own(seed() + 100 + static_cast<std::uint64_t>(world.rank()));
  std::vector<Message> all(messages);
  for (int i = 0; i < messages; ++i) {
    const int ints = 1 + shared.upto(2300); // from 9 KiB on a receive is large
    const auto stride = static_cast<std::size_t>(1 + i % 2);
    all[static_cast<std::size_t>(i)] = {numbers(ints, 1000 * world.rank() + i),
                                        std::vector<int>(static_cast<std::size_t>(ints) * stride, -1),
                                        stride};
  }
  helpers.phase([&] {
    std::vector<MPI_Request> requests;
    for (int i = 0; i < messages; ++i) {
      Message& message = all[static_cast<std::size_t>(i)];
      const auto stride = static_cast<int>(message.stride);
      const Type type(PMPI_Type_vector, static_cast<int>(message.in.size()) / stride, 1, stride,
                      MPI_INT); // freed before any message arrives
      MPI_Irecv(message.in.data(), stride == 1 ? static_cast<int>(message.in.size()) : 1,
                stride == 1 ? MPI_INT : MPI_Datatype{type}, peer, i, MPI_COMM_WORLD,
                &requests.emplace_back(MPI_REQUEST_NULL));
    }
    for (int i = 0; i < messages; ++i) {
      const std::vector<int>& out = all[static_cast<std::size_t>(i)].out;
      MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_INT, peer, i, MPI_COMM_WORLD,
                &requests.emplace_back(MPI_REQUEST_NULL));
    }
    std::vector<MPI_Status> statuses(requests.size());
    CHECK(complete_shuffled(requests, statuses, own) == MPI_SUCCESS);
    for (int i = 0; i < messages; ++i) {
      const std::vector<int> in = all[static_cast<std::size_t>(i)].received();
      const MPI_Status& status = statuses[static_cast<std::size_t>(i)];
      int received = -1;
      PMPI_Get_count(&status, MPI_INT, &received);
      INFO("message " << i);
      CHECK(in == numbers(static_cast<int>(in.size()), 1000 * peer + i));
      CHECK(received == static_cast<int>(in.size()));
      CHECK(status.MPI_SOURCE == peer);
      CHECK(status.MPI_TAG == i);
    }
  });
}

TEST_CASE("Structs that are received as bytes arrive as they do natively, though MPI does not promise that") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int peer = world.rank() ^ 1;
  if (peer >= world.size()) return;
  const Type type = particle_type();
  int turn = 0;
  for (const Completing& completing : completings()) {
    for (const bool is_blocking : {false, true}) {
      Draw shared(seed() + static_cast<std::uint64_t>(++turn));
      const int count = 1 + shared.upto(700);
      INFO(completing.name << ", blocking " << is_blocking << ", structs " << count);
      std::vector<Particle> out(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(i)] = {0.5 * turn + i, i};
      std::vector<char> expected(packed_bytes * static_cast<std::size_t>(count));
      int packed = 0;
      PMPI_Pack(out.data(), count, type, expected.data(), static_cast<int>(expected.size()), &packed,
                MPI_COMM_WORLD);
      std::vector<char> in(expected.size());
      helpers.phase([&] {
        MPI_Status status{};
        if ((world.rank() + turn) % 2 == 0) {
          CHECK(MPI_Send(out.data(), count, type, peer, turn, MPI_COMM_WORLD) == MPI_SUCCESS);
        } else {
          const int bytes = static_cast<int>(in.size());
          MPI_Request request = MPI_REQUEST_NULL;
          const int code = is_blocking
                               ? MPI_Recv(in.data(), bytes, MPI_BYTE, peer, turn, MPI_COMM_WORLD, &status)
                               : MPI_Irecv(in.data(), bytes, MPI_BYTE, peer, turn, MPI_COMM_WORLD, &request);
          CHECK(code == MPI_SUCCESS);
          CHECK(complete(completing, request, &status) == MPI_SUCCESS);
          CHECK(in == expected);
          int received = -1;
          PMPI_Get_count(&status, MPI_BYTE, &received);
          CHECK(received == bytes);
        }
      });
    }
  }
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "collective/reductions.hpp"
#include "hybrid/members.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

/// The arguments of an allreduce, and what each member of each rank contributes. All ranks draw the same.
struct Reduction {
  std::vector<MPI_Datatype> types; ///< of the same signature; members use them alternately
  MPI_Op op;
  int count;
  std::uint64_t stream;

  MPI_Datatype type(int member) const { return types[static_cast<std::size_t>(member) % types.size()]; }

  Bytes contribution(int rank, int member) const {
    Draw draw(stream + 100 * static_cast<std::uint64_t>(rank) + static_cast<std::uint64_t>(member));
    Buffer buffer(types.front(), count);
    draw.fill(buffer.bytes);
    Bytes bytes = packed(buffer, types.front(), count);
    if (types.front() != MPI_DOUBLE) return bytes;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(double)) { // sums of these are exact
      const double value = draw.upto(1 << 20);
      std::memcpy(&bytes[at], &value, sizeof value);
    }
    return bytes;
  }

  /// Returns the result of native MPI. Contributions are combined by rank, and within a rank by member.
  Bytes result(int ranks) const {
    Buffer lower(types.front(), count);
    std::optional<Buffer> upper;
    for (int rank = ranks - 1; rank >= 0; --rank) {
      for (int member = members_of(rank) - 1; member >= 0; --member) {
        unpack(contribution(rank, member), lower, types.front(), count);
        if (upper && count > 0) {
          PMPI_Reduce_local(lower.address(), upper->address(), count, types.front(), op);
        } else {
          upper = lower;
        }
      }
    }
    return packed(*upper, types.front(), count);
  }
};

struct AllreducePart {
  MPI_Datatype type;
  bool in_place;
  Buffer sent;
  Received received;
};

AllreducePart make_part(const Reduction& reduction, const Comm& comm, int member, Draw& own,
                        const Bytes& result) {
  const MPI_Datatype type = reduction.type(member);
  AllreducePart part{type, own.coin(), Buffer(type, reduction.count), {Buffer(type, reduction.count), {}}};
  own.fill(part.received.buffer.bytes);
  Buffer& contribution = part.in_place ? part.received.buffer : part.sent;
  unpack(reduction.contribution(comm.rank(), member), contribution, type, reduction.count);
  Buffer wanted = part.received.buffer;
  unpack(result, wanted, type, reduction.count);
  part.received.wanted = wanted.bytes;
  return part;
}

/// Lets all members reduce. Checks that each gets the result of native MPI.
void check(const Reduction& reduction, const Comm& comm, Draw& own) {
  const int members = members_of(comm.rank());
  const Bytes result = reduction.result(comm.size());
  std::vector<AllreducePart> parts;
  for (int member = 0; member < members; ++member)
    parts.push_back(make_part(reduction, comm, member, own, result));
  in_team(members, own.upto(members - 1), [&](int member, MPI_Helper_team team) {
    AllreducePart& part = parts[static_cast<std::size_t>(member)];
    part.received.code =
        MPIX_Helper_allreduce(team, part.in_place ? MPI_IN_PLACE : part.sent.address(),
                              part.received.buffer.address(), reduction.count, part.type, reduction.op, comm);
  });
  INFO("ranks " << comm.size() << ", members " << members << ", count " << reduction.count << ", op "
                << reduction.op << ", type " << reduction.types.front());
  for (const AllreducePart& part : parts) REQUIRE(part.received.right());
}

} // namespace

TEST_CASE("an allreduce of all members' buffers gives what native MPI makes of them") {
  const std::vector<std::pair<MPI_Datatype, MPI_Op>> pairs{
      {MPI_INT, MPI_SUM},         {MPI_DOUBLE, MPI_SUM},
      {MPI_LONG, MPI_MIN},        {MPI_UNSIGNED_CHAR, MPI_BXOR},
      {MPI_LONG_INT, MPI_MAXLOC}, {MPI_UNSIGNED, MPI_MAX},
      {MPI_2INT, MPI_MINLOC}};
  Draw shared(seed());
  std::uint64_t stream = seed();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (int repetition = 0; repetition < 6; ++repetition) {
      const auto [type, op] = shared.of(pairs);
      int size = 0;
      PMPI_Type_size(type, &size);
      check({{type}, op, shared.bytes(400000) / size, stream += 10000}, comm, own);
    }
  }
}

// MPI_Iallreduce of Open MPI uses another algorithm for this size with MPI_IN_PLACE. So the library must pass
// MPI_IN_PLACE at all ranks or at none.
TEST_CASE("ranks whose teams have one member and several reduce alike, in place or not") {
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + 1000 * static_cast<std::uint64_t>(world.rank()));
  for (std::uint64_t repetition = 0; repetition < 8; ++repetition)
    check({{MPI_UNSIGNED}, MPI_MAX, 50000, seed() + repetition * 10000}, world, own);
}

TEST_CASE("user-defined operations keep the order of ranks and members, and members may differ in layout") {
  const reductions::MatrixOperation multiplication(false);
  Draw shared(seed());
  std::uint64_t stream = seed();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (int repetition = 0; repetition < 3; ++repetition) {
      const int matrices = shared.of({1, 1, 3, 40});
      const Type one = draw_elements(shared, matrices);
      const Type other = draw_elements(shared, matrices);
      check({{one, other}, multiplication, shared.bytes(200000) / 16 / matrices, stream += 10000}, comm, own);
    }
  }
}

TEST_CASE("a user-defined operation takes elements of any size") {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        const std::size_t bytes = static_cast<std::size_t>(*count) * 30000;
        for (std::size_t i = 0; i < bytes; ++i)
          static_cast<unsigned char*>(inout)[i] ^= static_cast<unsigned char*>(in)[i];
      },
      1, &op);
  const Type large(PMPI_Type_contiguous, 30000, MPI_BYTE);
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  check({{large}, op, 3, seed()}, world, own);
  MPI_Op_free(&op);
}

TEST_CASE("members may share a receive buffer") {
  const Comm world(MPI_COMM_WORLD);
  const int members = members_of(world.rank());
  int all = 0;
  PMPI_Allreduce(&members, &all, 1, MPI_INT, MPI_SUM, world);
  std::vector<long> sums(20000);
  in_team(members, 0, [&](int, MPI_Helper_team team) {
    const std::vector<long> ones(sums.size(), 1);
    MPIX_Helper_allreduce(team, ones.data(), sums.data(), static_cast<int>(ones.size()), MPI_LONG, MPI_SUM,
                          world);
  });
  REQUIRE(sums == std::vector<long>(sums.size(), all));
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>

#include "hybrid/members.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

int members_of_all(const Comm& comm) {
  int all = 0;
  for (int rank = 0; rank < comm.size(); ++rank) all += members_of(rank);
  return all;
}

int blocks_before(int rank) {
  int before = 0;
  for (int lower = 0; lower < rank; ++lower) before += members_of(lower);
  return before;
}

/// What a member of a rank contributes: `bytes` bytes, which all ranks draw alike.
Bytes contribution(std::uint64_t stream, int rank, int member, std::size_t bytes) {
  Draw draw(stream + 100 * static_cast<std::uint64_t>(rank) + static_cast<std::uint64_t>(member));
  Bytes drawn(bytes);
  draw.fill(drawn);
  return drawn;
}

/// Integers next to each other, and with gaps of their size between them.
std::vector<MPI_Datatype> layouts(MPI_Datatype gappy) {
  return {MPI_UNSIGNED, gappy};
}

/// A member's buffers for blocks of `count` elements.
struct BlocksPart {
  MPI_Datatype type;
  bool in_place;
  Buffer sent;
  Received received;

  const void* send() { return in_place ? MPI_IN_PLACE : sent.address(); }
};

/// Puts the bytes into the elements of a buffer from `first` on.
void put(const Bytes& bytes, Buffer& buffer, MPI_Datatype type, int first) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower_bound, &extent);
  int position = 0;
  PMPI_Unpack(bytes.data(), static_cast<int>(bytes.size()), &position,
              static_cast<unsigned char*>(buffer.address()) + first * extent,
              static_cast<int>(bytes.size() / sizeof(unsigned)), type, MPI_COMM_SELF);
}

/// In its place, a contribution to an allgather is in the member's block.
BlocksPart part_of_allgather(const Comm& comm, int member, int count, const std::vector<MPI_Datatype>& types,
                             std::uint64_t stream, Draw& own) {
  const MPI_Datatype type = own.of(types);
  const int all = members_of_all(comm);
  BlocksPart part{type, own.coin(), Buffer(type, count), {Buffer(type, all * count), {}}};
  own.fill(part.received.buffer.bytes);
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(unsigned);
  const Bytes mine = contribution(stream, comm.rank(), member, bytes);
  if (part.in_place)
    put(mine, part.received.buffer, type, (blocks_before(comm.rank()) + member) * count);
  else
    put(mine, part.sent, type, 0);
  Buffer wanted = part.received.buffer;
  for (int rank = 0, first = 0; rank < comm.size(); ++rank) {
    for (int each = 0; each < members_of(rank); ++each, first += count)
      put(contribution(stream, rank, each, bytes), wanted, type, first);
  }
  part.received.wanted = wanted.bytes;
  return part;
}

/// What native MPI makes of all contributions to a reduction, one after the other.
Bytes reduced(const Comm& comm, int elements, MPI_Op op, std::uint64_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(unsigned);
  Bytes upper;
  for (int rank = comm.size() - 1; rank >= 0; --rank) {
    for (int member = members_of(rank) - 1; member >= 0; --member) {
      Bytes lower = contribution(stream, rank, member, bytes);
      if (!upper.empty())
        PMPI_Reduce_local(lower.data(), upper.data(), elements, MPI_UNSIGNED, op);
      else
        upper = lower;
    }
  }
  return upper;
}

/// In its place, a contribution to a reduction is where the result goes.
BlocksPart part_of_reduction(const Comm& comm, int member, int count, const std::vector<MPI_Datatype>& types,
                             std::uint64_t stream, const Bytes& result, Draw& own) {
  const MPI_Datatype type = own.of(types);
  const int elements = members_of_all(comm) * count;
  const bool in_place = own.coin();
  BlocksPart part{type, in_place, Buffer(type, elements), {Buffer(type, in_place ? elements : count), {}}};
  own.fill(part.received.buffer.bytes);
  const Bytes mine =
      contribution(stream, comm.rank(), member, static_cast<std::size_t>(elements) * sizeof(unsigned));
  put(mine, in_place ? part.received.buffer : part.sent, type, 0);
  Buffer wanted = part.received.buffer;
  const auto block = static_cast<std::ptrdiff_t>(sizeof(unsigned)) * count;
  const auto begin = result.begin() + (blocks_before(comm.rank()) + member) * block;
  put(Bytes(begin, begin + block), wanted, type, 0);
  part.received.wanted = wanted.bytes;
  return part;
}

/// Has all members make the call, of which each has a part, and requires that each got what it wants.
void check(std::vector<BlocksPart>& parts, Draw& own,
           const std::function<int(BlocksPart&, MPI_Helper_team)>& call) {
  const int members = static_cast<int>(parts.size());
  in_team(members, own.upto(members - 1), [&](int member, MPI_Helper_team team) {
    BlocksPart& part = parts[static_cast<std::size_t>(member)];
    part.received.code = call(part, team);
  });
  for (const BlocksPart& part : parts) REQUIRE(part.received.right());
}

// The first contribution of all is what comes of it, in that order alone.
extern "C" void keep_lower(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(*type, &lower_bound, &extent);
  for (int i = 0; i < *count; ++i)
    std::memcpy(static_cast<unsigned char*>(inout) + i * extent, static_cast<unsigned char*>(in) + i * extent,
                sizeof(unsigned));
}

constexpr std::array counts{0, 1, 7, 3000, 40000};

} // namespace

TEST_CASE("an allgather has the blocks of all members of all ranks in their order") {
  const Type gappy([](MPI_Datatype* type) { return PMPI_Type_create_resized(MPI_UNSIGNED, 0, 8, type); });
  std::uint64_t stream = seed();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const int count : counts) {
      stream += 10000;
      std::vector<BlocksPart> parts;
      for (int member = 0; member < members_of(comm.rank()); ++member)
        parts.push_back(part_of_allgather(comm, member, count, layouts(gappy), stream, own));
      INFO("ranks " << comm.size() << ", members " << parts.size() << ", count " << count);
      check(parts, own, [&](BlocksPart& part, MPI_Helper_team team) {
        return MPIX_Helper_allgather(team, part.send(), part.received.buffer.address(), count, part.type,
                                     comm);
      });
    }
  }
}

TEST_CASE("members may share the receive buffer of an allgather, and have their blocks there") {
  const Comm world(MPI_COMM_WORLD);
  const int count = 5000;
  std::vector<int> all(static_cast<std::size_t>(members_of_all(world) * count), -1);
  const bool in_place = seed() % 2 == 0;
  in_team(members_of(world.rank()), 0, [&](int member, MPI_Helper_team team) {
    const int number = blocks_before(world.rank()) + member;
    const std::vector<int> mine(static_cast<std::size_t>(count), number);
    if (in_place) std::ranges::copy(mine, all.begin() + number * count);
    MPIX_Helper_allgather(team, in_place ? MPI_IN_PLACE : mine.data(), all.data(), count, MPI_INT, world);
  });
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == static_cast<int>(i) / count);
}

TEST_CASE("a reduce_scatter_block gives each member of each rank its block, in the order of all") {
  const Type gappy([](MPI_Datatype* type) { return PMPI_Type_create_resized(MPI_UNSIGNED, 0, 8, type); });
  MPI_Op lower = MPI_OP_NULL;
  PMPI_Op_create(keep_lower, 0, &lower);
  std::uint64_t stream = seed();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const int count : counts) {
      for (const MPI_Op op : {MPI_SUM, lower}) {
        stream += 10000;
        const Bytes result = reduced(comm, members_of_all(comm) * count, op, stream);
        // Predefined operations are for predefined types.
        const std::vector<MPI_Datatype> types = op == lower ? layouts(gappy) : std::vector{MPI_UNSIGNED};
        std::vector<BlocksPart> parts;
        for (int member = 0; member < members_of(comm.rank()); ++member)
          parts.push_back(part_of_reduction(comm, member, count, types, stream, result, own));
        INFO("ranks " << comm.size() << ", members " << parts.size() << ", count " << count);
        check(parts, own, [&](BlocksPart& part, MPI_Helper_team team) {
          return MPIX_Helper_reduce_scatter_block(team, part.send(), part.received.buffer.address(), count,
                                                  part.type, op, comm);
        });
      }
    }
  }
  PMPI_Op_free(&lower);
}

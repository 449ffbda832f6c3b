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

/// Returns the `bytes` bytes that `member` of `rank` contributes. All ranks draw the same.
Bytes contribution(std::uint64_t stream, int rank, int member, std::size_t bytes) {
  Draw draw(stream + 100 * static_cast<std::uint64_t>(rank) + static_cast<std::uint64_t>(member));
  Bytes drawn(bytes);
  draw.fill(drawn);
  return drawn;
}

/// Draws a type of `ints` ints for each member. Members have different types.
std::vector<Type> draw_types(Draw& own, int members, int ints) {
  std::vector<Type> types;
  for (int member = 0; member < members; ++member) {
    const Elements elements = own.of(families()).make(own, ints);
    types.emplace_back(PMPI_Type_contiguous, elements.count, elements.type);
  }
  return types;
}

std::size_t bytes_of(MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::size_t>(size);
}

/// The buffers of a member, for blocks of `count` elements.
struct BlocksPart {
  MPI_Datatype type;
  bool in_place;
  Buffer sent;
  Received received;

  const void* send() { return in_place ? MPI_IN_PLACE : sent.address(); }
};

/// Copies `bytes` into the elements of a buffer, starting at element `first`.
void put(const Bytes& bytes, Buffer& buffer, MPI_Datatype type, int first) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &lower_bound, &extent);
  int position = 0;
  PMPI_Unpack(bytes.data(), static_cast<int>(bytes.size()), &position,
              static_cast<unsigned char*>(buffer.address()) + first * extent,
              static_cast<int>(bytes.size() / bytes_of(type)), type, MPI_COMM_SELF);
}

/// Makes the buffers of a member for an allgather. With MPI_IN_PLACE the contribution is in the receive
/// buffer, in the block of the member.
BlocksPart part_of_allgather(const Comm& comm, int member, int count, MPI_Datatype type, std::uint64_t stream,
                             Draw& own) {
  const int all = members_of_all(comm);
  BlocksPart part{type, own.coin(), Buffer(type, count), {Buffer(type, all * count), {}}};
  own.fill(part.received.buffer.bytes);
  const std::size_t bytes = static_cast<std::size_t>(count) * bytes_of(type);
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

/// Returns the reduction of all contributions, one after the other, by native MPI with a contiguous type.
Bytes reduced(const Comm& comm, int elements, MPI_Datatype type, MPI_Op op, std::uint64_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * bytes_of(type);
  Bytes upper;
  for (int rank = comm.size() - 1; rank >= 0; --rank) {
    for (int member = members_of(rank) - 1; member >= 0; --member) {
      Bytes lower = contribution(stream, rank, member, bytes);
      if (!upper.empty())
        PMPI_Reduce_local(lower.data(), upper.data(), elements, type, op);
      else
        upper = lower;
    }
  }
  return upper;
}

/// Makes the buffers of a member for a reduce-scatter. With MPI_IN_PLACE the receive buffer has the input.
BlocksPart part_of_reduction(const Comm& comm, int member, int count, MPI_Datatype type, std::uint64_t stream,
                             const Bytes& result, Draw& own) {
  const int elements = members_of_all(comm) * count;
  const bool in_place = own.coin();
  BlocksPart part{type, in_place, Buffer(type, elements), {Buffer(type, in_place ? elements : count), {}}};
  own.fill(part.received.buffer.bytes);
  const Bytes mine =
      contribution(stream, comm.rank(), member, static_cast<std::size_t>(elements) * bytes_of(type));
  put(mine, in_place ? part.received.buffer : part.sent, type, 0);
  Buffer wanted = part.received.buffer;
  const auto block = static_cast<std::ptrdiff_t>(bytes_of(type)) * count;
  const auto begin = result.begin() + (blocks_before(comm.rank()) + member) * block;
  put(Bytes(begin, begin + block), wanted, type, 0);
  part.received.wanted = wanted.bytes;
  return part;
}

/// Lets all members make the call, each with its part. Checks that each gets the expected data.
void check(std::vector<BlocksPart>& parts, Draw& own,
           const std::function<int(BlocksPart&, MPI_Helper_team)>& call) {
  const int members = static_cast<int>(parts.size());
  in_team(members, own.upto(members - 1), [&](int member, MPI_Helper_team team) {
    BlocksPart& part = parts[static_cast<std::size_t>(member)];
    part.received.code = call(part, team);
  });
  for (const BlocksPart& part : parts) REQUIRE(part.received.right());
}

// Numbers in a block.
constexpr std::array counts{0, 1, 7, 3000, 40000};

} // namespace

TEST_CASE("an allgather has the blocks of all members of all ranks in their order") {
  Draw shared(seed());
  std::uint64_t stream = seed();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const int numbers : counts) {
      stream += 10000;
      const int in_element = shared.of({1, 1, 3, 40});
      const int count = (numbers + in_element - 1) / in_element;
      const auto types = draw_types(own, members_of(comm.rank()), in_element);
      std::vector<BlocksPart> parts;
      for (const Type& type : types)
        parts.push_back(part_of_allgather(comm, static_cast<int>(parts.size()), count, type, stream, own));
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
  const reductions::MatrixOperation multiplication(false);
  Draw shared(seed());
  std::uint64_t stream = seed();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const int numbers : counts) {
      for (const bool is_users : {false, true}) {
        stream += 10000;
        const int matrices = is_users ? shared.of({1, 1, 3, 40}) : 0;
        const int in_element = std::max(1, 4 * matrices);
        const int count = (numbers + in_element - 1) / in_element;
        const MPI_Op op = is_users ? MPI_Op(multiplication) : MPI_SUM;
        const Type dense = is_users
                               ? reductions::type_of_matrices(PMPI_Type_contiguous, in_element, MPI_UNSIGNED)
                               : Type::predefined(MPI_UNSIGNED);
        const Bytes result = reduced(comm, members_of_all(comm) * count, dense, op, stream);
        std::vector<Type> types;
        std::vector<BlocksPart> parts;
        for (int member = 0; member < members_of(comm.rank()); ++member) {
          types.push_back(is_users ? draw_elements(own, matrices) : Type::predefined(MPI_UNSIGNED));
          parts.push_back(part_of_reduction(comm, member, count, types.back(), stream, result, own));
        }
        INFO("ranks " << comm.size() << ", members " << parts.size() << ", count " << count);
        check(parts, own, [&](BlocksPart& part, MPI_Helper_team team) {
          return MPIX_Helper_reduce_scatter_block(team, part.send(), part.received.buffer.address(), count,
                                                  part.type, op, comm);
        });
      }
    }
  }
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "hybrid/members.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

struct BcastPart {
  Elements elements;
  Received received;
};

/// Makes the buffer of a member, with a random type. If `is_source`, it contains `data`: only at the first
/// member of the root.
BcastPart make_part(const Bytes& data, bool is_source, Draw& own) {
  BcastPart part{own.of(families()).make(own, static_cast<int>(data.size() / sizeof(int))),
                 {Buffer(MPI_INT, 0), {}}};
  const auto& [type, count] = part.elements;
  Buffer& buffer = part.received.buffer;
  buffer = Buffer(type, count);
  own.fill(buffer.bytes);
  if (is_source) unpack(data, buffer, type, count);
  Buffer wanted = buffer;
  unpack(data, wanted, type, count);
  part.received.wanted = wanted.bytes;
  return part;
}

} // namespace

TEST_CASE("a broadcast reaches every member of every rank, whatever their types") {
  Draw shared(seed());
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    const int members = members_of(comm.rank());
    for (int repetition = 0; repetition < 6; ++repetition) {
      const int root = shared.upto(comm.size() - 1);
      Bytes data(static_cast<std::size_t>(shared.bytes(1 << 20) / 4 * 4));
      shared.fill(data);
      std::vector<BcastPart> parts;
      for (int member = 0; member < members; ++member)
        parts.push_back(make_part(data, comm.rank() == root && member == 0, own));
      in_team(members, own.upto(members - 1), [&](int member, MPI_Helper_team team) {
        BcastPart& part = parts[static_cast<std::size_t>(member)];
        part.received.code = MPIX_Helper_bcast(team, part.received.buffer.address(), part.elements.count,
                                               part.elements.type, root, comm);
      });
      INFO("ranks " << comm.size() << ", members " << members << ", root " << root << ", bytes "
                    << data.size());
      for (const BcastPart& part : parts) REQUIRE(part.received.right());
    }
  }
}

TEST_CASE("members may share a buffer of a broadcast") {
  const Comm world(MPI_COMM_WORLD);
  std::vector<double> values(20000, world.rank() == 0 ? 1.0 : 0.0);
  in_team(members_of(world.rank()), 0, [&](int, MPI_Helper_team team) {
    MPIX_Helper_bcast(team, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, world);
  });
  REQUIRE(std::ranges::count(values, 1.0) == std::ssize(values));
}

TEST_CASE("an empty broadcast returns, whether its ranks have no element or elements without data") {
  const Comm world(MPI_COMM_WORLD);
  MPI_Datatype without_data = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &without_data);
  MPI_Type_commit(&without_data);
  std::vector<int> codes(static_cast<std::size_t>(members_of(world.rank())), MPI_ERR_OTHER);
  in_team(members_of(world.rank()), 0, [&](int member, MPI_Helper_team team) {
    const bool has_elements = (world.rank() + member) % 2 != 0;
    int unused = 0;
    codes[static_cast<std::size_t>(member)] = MPIX_Helper_bcast(
        team, &unused, has_elements ? 1 : 0, has_elements ? without_data : MPI_INT, 0, world);
  });
  REQUIRE(std::ranges::count(codes, MPI_SUCCESS) == std::ssize(codes));
  MPI_Type_free(&without_data);
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Gathers and scans on groups, beside those of native MPI on a communicator of the same members.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "groups/sysgroup/groups.hpp"
#include "support/catch.hpp"
#include "support/draw.hpp"
#include "support/helpers.hpp"
#include "support/mpi_support.hpp"

using namespace test_support;

namespace {

/// What members contribute and get, each in elements of its own type.
struct Run {
  int count; // integers of a block, the same at all members
  int send_stride, receive_stride;
  int root; // of a gather; none of an allgather
  bool in_place;
  MPI_Datatype send_type, receive_type;

  bool gets(int rank) const { return root == MPI_PROC_NULL || rank == root; }
  const void* sent(const Bytes& send, int rank) const {
    return in_place && gets(rank) ? MPI_IN_PLACE : send.data();
  }
};

template <class Act>
void phase_or_not(Draw& own, Helpers& helpers, const Act& act) {
  if (own.coin())
    helpers.phase(act);
  else
    act();
}

/// Composes affine functions of one variable, which does not commute: an element is (factor, summand), and
/// that of the lower rank is applied first.
void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* const first = static_cast<const std::uint32_t*>(in);
  auto* const second = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < 2 * *count; i += 2) {
    second[i + 1] += second[i] * first[i + 1];
    second[i] *= first[i];
  }
}

} // namespace

TEST_CASE("gathers give what native MPI gives") {
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  Helpers helpers;
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw& within) {
    MPI_Comm comm = MPI_COMM_NULL;
    REQUIRE(MPIX_Sysgroup_to_comm(group, &comm) == MPI_SUCCESS);
    const int rank = rank_of(comm);
    const int size = size_of(comm);
    for (int i = 0; i < 4; ++i) {
      Run run{within.bytes(200000) / 4,
              1 + own.upto(2),
              1 + own.upto(2),
              within.coin() ? MPI_PROC_NULL : within.upto(size - 1),
              within.coin(),
              MPI_DATATYPE_NULL,
              MPI_DATATYPE_NULL};
      if (i == 0) run.count = 0;
      INFO("count " << run.count << ", strides " << run.send_stride << " and " << run.receive_stride
                    << ", root " << run.root << ", in place " << run.in_place);
      run.send_type = strided(run.send_stride);
      run.receive_type = strided(run.receive_stride);
      Bytes send(static_cast<std::size_t>(4 * run.count * run.send_stride + 4));
      Bytes expected(static_cast<std::size_t>(4 * run.count * run.receive_stride * size + 4));
      own.fill(send);
      own.fill(expected);
      Bytes receive = expected;
      const void* const from = run.sent(send, rank);
      int code = MPI_SUCCESS;
      phase_or_not(own, helpers, [&] {
        code = run.root == MPI_PROC_NULL
                   ? MPIX_Sysgroup_allgather(from, run.count, run.send_type, receive.data(), run.count,
                                             run.receive_type, group)
                   : MPIX_Sysgroup_gather(from, run.count, run.send_type, receive.data(), run.count,
                                          run.receive_type, run.root, group);
      });
      REQUIRE(code == MPI_SUCCESS);
      if (run.root == MPI_PROC_NULL)
        PMPI_Allgather(from, run.count, run.send_type, expected.data(), run.count, run.receive_type, comm);
      else
        PMPI_Gather(from, run.count, run.send_type, expected.data(), run.count, run.receive_type, run.root,
                    comm);
      REQUIRE((receive == expected));
      MPI_Type_free(&run.send_type);
      MPI_Type_free(&run.receive_type);
    }
    MPI_Comm_free(&comm);
  });
}

TEST_CASE("scans give what native MPI gives, whether operations commute or not") {
  Draw own(seed() + 1 + static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
  Helpers helpers;
  MPI_Op composition = MPI_OP_NULL;
  MPI_Op_create(compose, 0, &composition);
  MPI_Datatype function = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_UINT32_T, &function);
  MPI_Type_commit(&function);
  in_groups(seed(), [&](MPIX_Sysgroup group, Draw& within) {
    MPI_Comm comm = MPI_COMM_NULL;
    REQUIRE(MPIX_Sysgroup_to_comm(group, &comm) == MPI_SUCCESS);
    for (int i = 0; i < 4; ++i) {
      const int count = i == 0 ? 0 : within.bytes(1 << 19) / 8;
      const bool commutes = within.coin();
      const bool in_place = own.coin();
      INFO("count " << count << ", commutes " << commutes << ", in place " << in_place);
      const MPI_Datatype type = commutes ? MPI_UINT64_T : function;
      const MPI_Op op = commutes ? MPI_SUM : composition;
      Bytes send(static_cast<std::size_t>(8 * count + 8));
      own.fill(send);
      Bytes receive(send.size());
      own.fill(receive);
      Bytes expected(send.size());
      PMPI_Scan(in_place ? receive.data() : send.data(), expected.data(), count, type, op, comm);
      const Bytes before = receive;
      const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(send.data());
      int code = MPI_SUCCESS;
      phase_or_not(own, helpers,
                   [&] { code = MPIX_Sysgroup_scan(from, receive.data(), count, type, op, group); });
      REQUIRE(code == MPI_SUCCESS);
      std::copy(before.end() - 8, before.end(), expected.end() - 8); // is nobody's
      REQUIRE((receive == expected));
    }
    MPI_Comm_free(&comm);
  });
  MPI_Type_free(&function);
  MPI_Op_free(&composition);
}

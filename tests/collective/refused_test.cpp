// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// After MPI_Init the system starts to refuse copies between processes to the ranks that TEST_REFUSED names:
// all, first or last. TEST_REFUSAL names how: dumpable (prctl(PR_SET_DUMPABLE)) or seccomp (a filter).
// Operations must continue and give the results of native MPI.

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "collective/completed.hpp"
#include "support/catch.hpp"

using namespace test_support;

namespace {

/// Makes the library use system calls for all copies that they can do.
const bool is_wished = [] {
  std::string wish;
  for (const char* const operation :
       {"bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall",
        "alltoallv", "alltoallw", "ireduce", "iallreduce"})
    wish += std::string(wish.empty() ? "" : ",") + operation + "=cma";
  return setenv("MPI_HELPER_ALGORITHM", wish.c_str(), 0) == 0;
}();

/// Drops the capability of root to read the memory of all other processes. With it nothing would be refused.
void drop_capability() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (syscall(SYS_capget, &header, data.data()) != 0) return;
  const unsigned bit = 1u << CAP_SYS_PTRACE;
  for (unsigned* set : {&data[0].effective, &data[0].permitted, &data[0].inheritable}) *set &= ~bit;
  syscall(SYS_capset, &header, data.data());
}

/// Makes the system refuse, with EPERM, the library's system calls in all threads of this process.
bool filter_calls() {
  const std::array refused{SYS_process_vm_readv, SYS_process_vm_writev, SYS_membarrier,
                           SYS_memfd_create,     SYS_futex_waitv,       SYS_madvise,
                           SYS_mincore,          SYS_fallocate,         SYS_ftruncate,
                           SYS_sched_yield,      SYS_sched_setaffinity};
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const long call : refused) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

bool is_refused_one(const Comm& comm) {
  const char* const which = std::getenv("TEST_REFUSED");
  const std::string ranks = which == nullptr ? "all" : which;
  return ranks == "all" || comm.rank() == (ranks == "first" ? 0 : comm.size() - 1);
}

bool refuse(const Comm& comm) {
  if (!is_refused_one(comm)) return true;
  const char* const refusal = std::getenv("TEST_REFUSAL");
  if (refusal != nullptr && std::string(refusal) == "seccomp") return filter_calls();
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

using Ints = std::vector<int>;

/// Compares the buffers of `ints` ints that `carried`, called in a phase, and `native` fill.
template <class Carried, class Native>
void compare(Helpers& helpers, const char* name, std::size_t ints, const Carried& carried,
             const Native& native) {
  CAPTURE(name, ints);
  Ints own(ints, -1), expected(ints, -1);
  int code = MPI_SUCCESS;
  helpers.phase([&] { code = carried(own.data()); });
  native(expected.data());
  CHECK(code == MPI_SUCCESS);
  CHECK(std::ranges::mismatch(own, expected).in1 - own.begin() == std::ssize(own));
}

/// Compares all operations, with `count` elements for each rank.
void compare_all(Helpers& helpers, const Comm& comm, int count) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const auto each = static_cast<std::size_t>(count);
  Ints send(each * ranks);
  std::iota(send.begin(), send.end(), 1000000 * comm.rank());
  const int root = comm.size() - 1;
  const void* const from = send.data();
  const auto with = [&](auto function, auto... more) {
    return [=, &comm](int* to) { return function(from, count, MPI_INT, to, count, MPI_INT, more..., comm); };
  };
  const auto reducing = [&](auto function, auto... more) {
    return [=, &comm](int* to) { return function(from, to, count, MPI_INT, MPI_SUM, more..., comm); };
  };
  const auto broadcasting = [&](auto function, int of) {
    return [=, &comm](int* to) {
      if (comm.rank() == of) std::copy_n(static_cast<const int*>(from), count, to);
      return function(to, count, MPI_INT, of, comm);
    };
  };
  for (const int of : {0, root}) {
    compare(helpers, "Bcast", each, broadcasting(MPI_Bcast, of), broadcasting(PMPI_Bcast, of));
    compare(helpers, "Gather", each * ranks, with(MPI_Gather, of), with(PMPI_Gather, of));
    compare(helpers, "Scatter", each, with(MPI_Scatter, of), with(PMPI_Scatter, of));
    compare(helpers, "Reduce", each, reducing(MPI_Reduce, of), reducing(PMPI_Reduce, of));
    compare(helpers, "Ireduce", each, reducing(completed<MPI_Ireduce>, of), reducing(PMPI_Reduce, of));
  }
  compare(helpers, "Allgather", each * ranks, with(MPI_Allgather), with(PMPI_Allgather));
  compare(helpers, "Alltoall", each * ranks, with(MPI_Alltoall), with(PMPI_Alltoall));
  compare(helpers, "Allreduce", each, reducing(MPI_Allreduce), reducing(PMPI_Allreduce));
  compare(helpers, "Iallreduce", each, reducing(completed<MPI_Iallreduce>), reducing(PMPI_Allreduce));
#if MPI_VERSION >= 4
  compare(helpers, "Allreduce_init", each, reducing(started_and_completed<MPI_Allreduce_init>),
          reducing(PMPI_Allreduce));
#endif
}

/// Compares a broadcast into every second element, messages of every second element, and reductions of data
/// in memory of MPI_Alloc_mem.
void compare_others(Helpers& helpers, const Comm& comm, int count) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  PMPI_Type_vector(count, 1, 2, MPI_INT, &column);
  PMPI_Type_commit(&column);
  const auto ints = 2 * static_cast<std::size_t>(count);
  Ints send(ints);
  std::iota(send.begin(), send.end(), 1000 * comm.rank());
  const auto broadcasting = [&](auto function) {
    return [=, &comm, &send](int* to) {
      if (comm.rank() == 0) return function(send.data(), count, MPI_INT, 0, comm);
      return function(to, 1, column, 0, comm);
    };
  };
  compare(helpers, "Bcast of a vector", ints, broadcasting(MPI_Bcast), broadcasting(PMPI_Bcast));
  const auto exchanging = [&](auto function) {
    return [=, &comm, &send](int* to) {
      const int next = (comm.rank() + 1) % comm.size();
      const int last = (comm.rank() + comm.size() - 1) % comm.size();
      return function(send.data(), 1, column, next, 7, to, 1, column, last, 7, comm, MPI_STATUS_IGNORE);
    };
  };
  compare(helpers, "Sendrecv", ints, exchanging(MPI_Sendrecv), exchanging(PMPI_Sendrecv));
  int* memory = nullptr;
  MPI_Alloc_mem(static_cast<MPI_Aint>(ints * sizeof(int)), MPI_INFO_NULL, &memory);
  std::copy(send.begin(), send.end(), memory);
  const auto reducing = [&](auto function) {
    return [=, &comm](int* to) { return function(memory, to, 2 * count, MPI_INT, MPI_SUM, comm); };
  };
  compare(helpers, "Allreduce of allocated memory", ints, reducing(MPI_Allreduce), reducing(PMPI_Allreduce));
  MPI_Free_mem(memory);
  PMPI_Type_free(&column);
}

/// All ranks except the last start two reductions, then the system starts to refuse, and the last rank starts
/// them. Compares the results. One of the reductions uses MPI_IN_PLACE.
void compare_under_way(Helpers& helpers, const Comm& comm, int count) {
  const auto each = static_cast<std::size_t>(count);
  const bool is_late = comm.rank() + 1 == comm.size();
  Ints send(each);
  std::iota(send.begin(), send.end(), 1000 * comm.rank());
  bool has_refused = false;
  const auto carried = [&](int* to) {
    int* const second = std::copy_n(send.data(), count, to);
    std::array<MPI_Request, 2> requests{};
    const auto begin = [&] {
      MPI_Iallreduce(MPI_IN_PLACE, to, count, MPI_INT, MPI_SUM, comm, &requests[0]);
      MPI_Iallreduce(send.data(), second, count, MPI_INT, MPI_SUM, comm, &requests[1]);
    };
    if (!is_late) begin();
    PMPI_Barrier(MPI_COMM_WORLD);
    has_refused = refuse(comm);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (is_late) begin();
    return MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  };
  const auto native = [&](int* to) {
    for (int* const part : {to, to + count})
      PMPI_Allreduce(send.data(), part, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  };
  compare(helpers, "Iallreduce under way", 2 * each, carried, native);
  REQUIRE(has_refused);
}

} // namespace

TEST_CASE("operations go on, and are native MPI's, where the system comes to refuse") {
  drop_capability();
  Helpers helpers;
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const Comm comm(own);
  get_to_know(helpers, comm);
  const auto compare_sizes = [&] {
    for (const int count : {1, 700, 30000}) {
      compare_all(helpers, comm, count);
      compare_others(helpers, comm, count);
    }
  };
  compare_sizes();
  compare_under_way(helpers, comm, 30000);
  for (int repetition = 0; repetition < 2; ++repetition) compare_sizes();
  MPI_Comm other = MPI_COMM_NULL; // the library has not used this communicator yet
  MPI_Comm_dup(comm, &other);
  compare_all(helpers, Comm(other), 30000);
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Linked to LULESH with --wrap for the functions below (see measure). It measures CommSend, which packs and
// sends. With SLOWER=N, the time that threads spend there outside MPI is N times as long, like on slow cores:
// the threads sleep. At MPI_Finalize rank 0 prints means over the ranks.

#include "common/sleep_debt.hpp"

#include <mpi_helper.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sys/prctl.h>

class Domain;
using Member = double& (Domain::*)(int);

namespace {

using Clock = std::chrono::steady_clock;

const long slower = std::getenv("SLOWER") != nullptr ? std::atol(std::getenv("SLOWER")) : 1;
thread_local bool is_sending = false;
thread_local bench::SleepDebt debt{slower};
Clock::duration sending{}, in_mpi{};
int calls = 0;

void begin() {
  if (slower != 1) prctl(PR_SET_TIMERSLACK, 1UL); // otherwise the system lets it sleep 50 us longer
  debt.forgive();
}

/// Calls MPI. Its time is not slowed down.
template <class Call>
int called(const Call& call) {
  if (!is_sending) return call();
  debt.settle();
  const auto begun = Clock::now();
  const int code = call();
  in_mpi += Clock::now() - begun;
  debt.forgive();
  return code;
}

struct Functions {
  MPIX_Helper_pack_function* pack;
  void* data;
};

std::deque<Functions> functions; // of all datatypes; never removed

void pack(const void* buffer, MPI_Count offset, MPI_Count length, void* target, void* of) {
  const Functions& own = *static_cast<const Functions*>(of);
  begin();
  own.pack(buffer, offset, length, target, own.data);
  debt.settle();
}

} // namespace

#define COMM_SEND "_Z8CommSendR6DomainiiPMS_FRdiEiiibb"
void real_send(Domain&, int, int, Member*, int, int, int, bool, bool) asm("__real_" COMM_SEND);
void wrapped_send(Domain&, int, int, Member*, int, int, int, bool, bool) asm("__wrap_" COMM_SEND);
void wrapped_send(Domain& domain, int type, int number, Member* fields, int x, int y, int z, bool sends,
                  bool plane_only) {
  const auto begun = Clock::now();
  is_sending = true;
  begin();
  real_send(domain, type, number, fields, x, y, z, sends, plane_only);
  is_sending = false;
  sending += Clock::now() - begun;
  ++calls;
}

extern "C" {

int __real_MPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __wrap_MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return called([&] { return __real_MPI_Isend(buffer, count, type, to, tag, comm, request); });
}

int __real_MPI_Waitall(int, MPI_Request*, MPI_Status*);
int __wrap_MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return called([&] { return __real_MPI_Waitall(count, requests, statuses); });
}

int __real_MPIX_Helper_type_create(MPIX_Helper_pack_function*, MPIX_Helper_unpack_function*, MPI_Count, void*,
                                   MPI_Datatype*);
int __wrap_MPIX_Helper_type_create(MPIX_Helper_pack_function* own, MPIX_Helper_unpack_function* unpack,
                                   MPI_Count bytes, void* data, MPI_Datatype* type) {
  return called([&] {
    return __real_MPIX_Helper_type_create(pack, unpack, bytes, &functions.emplace_back(Functions{own, data}),
                                          type);
  });
}

int __real_MPI_Type_free(MPI_Datatype*);
int __wrap_MPI_Type_free(MPI_Datatype* type) {
  return called([&] { return __real_MPI_Type_free(type); });
}

int __real_MPI_Finalize();
int __wrap_MPI_Finalize() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto mean = [&](Clock::duration own) {
    double seconds = std::chrono::duration<double>(own).count();
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return 1e3 * seconds / ranks / calls;
  };
  const double all = mean(sending), mpi = mean(in_mpi);
  if (rank == 0) std::printf("CommSend: %.3f ms, of which %.3f in MPI\n", all, mpi);
  return __real_MPI_Finalize();
}

} // extern "C"

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <vector>

#include "errors/faults.hpp"
#include "errors/reports.hpp"
#include "message/requests.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// One rank lacks memory when it starts an operation. A program of its own, because failures use up control
// blocks, and without control blocks the team performs no operation.

using namespace test_support;

namespace {

// A program has too few control blocks for both kinds of operations.
#if defined(PERSISTENT) && MPI_VERSION >= 4
constexpr bool is_persistent = true;
#else
constexpr bool is_persistent = false;
#endif

/// A communicator that has its shadow, so that the library carries non-blocking operations on it.
class Prepared : public Comm {
public:
  explicit Prepared(Helpers& helpers) {
    int sum = 0;
    helpers.phase([&] { MPI_Allreduce(&size_, &sum, 1, MPI_INT, MPI_SUM, *this); });
  }

private:
  int size_ = 1;
};

/// The numbers of a rank, and the result: their maximum over all ranks.
struct Work {
  explicit Work(MPI_Comm on) : comm(on), numbers(100'000, rank_of(on)), result(numbers.size()) {}

  int begin(MPI_Request* request) {
    return MPI_Iallreduce(numbers.data(), result.data(), 100'000, MPI_LONG, MPI_MAX, comm, request);
  }

#if MPI_VERSION >= 4
  int make(MPI_Request* request) {
    return MPI_Allreduce_init(numbers.data(), result.data(), 100'000, MPI_LONG, MPI_MAX, comm, MPI_INFO_NULL,
                              request);
  }
#endif

  bool is_right() const {
    return std::ranges::count(result, size_of(comm) - 1) == std::ssize(result);
  }

private:
  MPI_Comm comm;
  const std::vector<long> numbers;
  std::vector<long> result;
};

} // namespace

TEST_CASE("Where one rank has no memory for an operation that does not block, it fails at all ranks") {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  set_unnamed_errhandler(handler); // requests use this handler
  MPI_Errhandler_free(&handler);
  Helpers helpers;
  for (int culprit = 0; culprit < size_of(MPI_COMM_WORLD); ++culprit) {
    int met_at = 1;
    for (int nth = 1; met_at != 0; ++nth) {
      INFO("allocation " << nth << " at rank " << culprit);
      const Prepared comm(helpers);
      Work work(comm);
      const Fault fault = rank_of(comm) == culprit ? Fault{"operator new", nth} : Fault{};
      int code = MPI_ERR_OTHER;
      bool fired = false;
      bool carried = false;
      handled = 0;
      helpers.phase([&] {
        MPI_Request request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
        if (is_persistent) work.make(&request);
#endif
        Injected injected(fault);
        code = is_persistent ? MPI_Start(&request) : work.begin(&request);
        carried = helper::message::requests::find(&request) != nullptr;
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        injected.remove();
        fired = injected.fired();
        if (is_persistent) MPI_Request_free(&request);
      });
      const bool failed = code != MPI_SUCCESS;
      CHECK(handled == (failed ? 1 : 0));
      CHECK((!failed || is_of(code, fired, fault)));
      CHECK((failed || work.is_right()));
      const auto [carrying, failures, met] = counted(carried, failed, fired);
      met_at = met;
      CHECK(failures == (met != 0 ? size_of(comm) : 0));
      if (met == 0 && culprit == 0 && size_of(comm) > 1)
        CHECK(carrying == size_of(comm)); // control blocks sufficed
    }
  }
  set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("Ranks without memory begin natively what is native by its operation, communicator or size") {
  MPI_Op op = MPI_OP_NULL;
  const auto greater = [](void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < 2 * *count; i += 2) { // spread elements lie two numbers apart
      long& result = static_cast<long*>(inout)[i];
      result = std::max(result, static_cast<long*>(in)[i]);
    }
  };
  PMPI_Op_create(greater, 1, &op);
  Helpers helpers;
  const auto begin = [&](MPI_Comm comm, MPI_Op how, bool is_spread, int count) {
    MPI_Datatype type = MPI_LONG;
    if (is_spread) { // the library has not decoded this type yet
      PMPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &type);
      PMPI_Type_commit(&type);
    }
    const std::vector<long> numbers(2 * static_cast<std::size_t>(count), rank_of(comm));
    std::vector<long> greatest(numbers.size(), -1);
    int code = MPI_ERR_OTHER;
    helpers.phase([&] {
      const Injected injected({"operator new", 1, true});
      MPI_Request request = MPI_REQUEST_NULL;
      code = MPI_Iallreduce(numbers.data(), greatest.data(), count, type, how, comm, &request);
      if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    if (is_spread) PMPI_Type_free(&type);
    CHECK(code == MPI_SUCCESS);
    CHECK(std::ranges::count(greatest, size_of(comm) - 1) == count);
  };
  const Comm without_shadow;
  const Prepared comm(helpers);
  begin(comm, op, true, 100'000);
  begin(comm, MPI_MAX, false, 10);
  begin(without_shadow, MPI_MAX, false, 100'000);
  PMPI_Op_free(&op);
}

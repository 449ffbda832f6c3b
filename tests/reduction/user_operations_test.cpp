// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests which threads run functions of MPI_Op_create, and which function an operation has.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "collective/cases.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

using namespace test_support;

namespace {

constexpr int count = 1 << 20;

bool is_by_team() {
  static const char* const set = std::getenv("MPI_HELPER_USER_OPERATIONS");
  return set != nullptr && std::string_view(set) == "team";
}

/// The threads that have called the function of an operation.
class Callers {
public:
  static void reset() {
    const std::lock_guard lock(mutex);
    all.clear();
  }
  static void note() {
    const std::lock_guard lock(mutex);
    all.insert(std::this_thread::get_id());
  }
  static std::set<std::thread::id> get() {
    const std::lock_guard lock(mutex);
    return all;
  }

private:
  static inline std::mutex mutex;
  static inline std::set<std::thread::id> all;
};

template <class Combine>
void apply(void* in, void* inout, int* elements, MPI_Datatype*) {
  const auto* const from = static_cast<const std::uint32_t*>(in);
  auto* const to = static_cast<std::uint32_t*>(inout);
  std::transform(from, from + *elements, to, to, Combine{});
}

struct Greater {
  std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const { return std::max(x, y); }
};

/// Adds. If the team takes part, waits until a second thread has called the function. One will: the work is
/// cut into several chunks, and helpers have nothing else to do.
void add(void* in, void* inout, int* elements, MPI_Datatype* type) {
  Callers::note();
  while (is_by_team() && Callers::get().size() < 2) std::this_thread::yield();
  apply<std::plus<>>(in, inout, elements, type);
}

MPI_Op operation_of(MPI_User_function* function) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(function, 1, &op);
  return op;
}

using Numbers = std::vector<std::uint32_t>;

Numbers reduced_locally(Helpers& helpers, MPI_Op op) {
  const Numbers in(count, 2);
  Numbers inout(count, 3);
  helpers.phase([&] { MPI_Reduce_local(in.data(), inout.data(), count, MPI_UINT32_T, op); });
  return inout;
}

} // namespace

TEST_CASE("Functions of the user's are run by the thread that called MPI, or by all members of its team") {
  Helpers helpers;
  MPI_Op sum = operation_of(add);
  const Comm world(MPI_COMM_WORLD);
  const auto one = static_cast<std::uint32_t>(world.rank() + 1);
  const auto ranks = static_cast<std::uint32_t>(world.size());
  const std::uint32_t of_all = ranks * (ranks + 1) / 2;
  const Numbers in(count, one);
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(world, MPI_INFO_NULL, &group);
  const auto check = [&](const char* name, std::uint32_t expected,
                         const std::function<void(std::uint32_t*)>& call) {
    Numbers out(count, 0);
    Callers::reset();
    helpers.phase([&] { call(out.data()); });
    INFO(name);
    if (expected != 0) CHECK(out == Numbers(count, expected));
    const auto callers = Callers::get();
    if (is_by_team())
      CHECK(callers.size() != 1);
    else
      CHECK((callers.empty() || callers == std::set{std::this_thread::get_id()}));
  };
  check("MPI_Reduce_local", one, [&](std::uint32_t* out) {
    MPI_Reduce_local(in.data(), out, count, MPI_UINT32_T, sum);
    CHECK_FALSE(Callers::get().empty());
  });
  check("MPI_Allreduce", of_all, [&](std::uint32_t* out) {
    MPI_Allreduce(in.data(), out, count, MPI_UINT32_T, sum, world);
    CHECK(Callers::get().empty() == (world.size() == 1));
  });
  check("MPI_Reduce", world.rank() == 0 ? of_all : 0,
        [&](std::uint32_t* out) { MPI_Reduce(in.data(), out, count, MPI_UINT32_T, sum, 0, world); });
  check("MPI_Scan", one * (one + 1) / 2,
        [&](std::uint32_t* out) { MPI_Scan(in.data(), out, count, MPI_UINT32_T, sum, world); });
  check("MPIX_Sysgroup_allreduce", of_all, [&](std::uint32_t* out) {
    MPIX_Sysgroup_allreduce(in.data(), out, count, MPI_UINT32_T, sum, group);
  });
  check("MPIX_Sysgroup_scan", one * (one + 1) / 2,
        [&](std::uint32_t* out) { MPIX_Sysgroup_scan(in.data(), out, count, MPI_UINT32_T, sum, group); });
  MPIX_Sysgroup_free(&group);
  MPI_Op_free(&sum);
}

TEST_CASE("An operation that is freed goes on in what is under way") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(world, MPI_INFO_NULL, &group);
  const Numbers in(count, static_cast<std::uint32_t>(world.rank()));
  Numbers of_ranks(count, 0), of_members(count, 0);
  helpers.phase([&] {
    MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Op greatest = operation_of(apply<Greater>);
    MPI_Iallreduce(in.data(), of_ranks.data(), count, MPI_UINT32_T, greatest, world, &requests[0]);
    MPIX_Sysgroup_iallreduce(in.data(), of_members.data(), count, MPI_UINT32_T, greatest, group,
                             &requests[1]);
    if (!is_by_team()) MPI_Wait(&requests[1], MPI_STATUS_IGNORE); // natively it uses the handle until it ends
    MPI_Op_free(&greatest);
    MPI_Op other = operation_of(add); // the new operation may have the same handle
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Op_free(&other);
  });
  const Numbers expected(count, static_cast<std::uint32_t>(world.size() - 1));
  CHECK(of_ranks == expected);
  CHECK(of_members == expected);
  MPIX_Sysgroup_free(&group);
}

TEST_CASE("An operation has its own function, whatever its handle stood for before") {
  Helpers helpers;
  for (int repetition = 0; repetition < 10; ++repetition) {
    Callers::reset();
    MPI_Op sum = operation_of(add);
    CHECK(reduced_locally(helpers, sum) == Numbers(count, 5));
    MPI_Op_free(&sum);
    MPI_Op greater = operation_of(apply<Greater>);
    CHECK(reduced_locally(helpers, greater) == Numbers(count, 3));
    MPI_Op_free(&greater);
    MPI_Op unseen = MPI_OP_NULL;
    PMPI_Op_create(apply<std::multiplies<>>, 1, &unseen);
    CHECK(reduced_locally(helpers, unseen) == Numbers(count, 6));
    PMPI_Op_free(&unseen);
  }
}

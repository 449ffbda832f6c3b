// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "errors/faults.hpp"
#include "errors/operations.hpp"
#include "hybrid/in_team.hpp"
#include "message/operation.hpp"
#include "pipeline/staging.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// What fails underneath is reported once, to the thread that started the operation, by the error handler of
// its communicator; the team goes on, and nothing stays leased.

using namespace test_support;

namespace {

/// Completes what was begun natively, as MPI_Wait does, and gives way: ranks may be more than processors.
void await(MPI_Request request) {
  for (int done = 0; done == 0; std::this_thread::yield()) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

void await_all_ranks() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  await(request);
}

/// At how many ranks each of these holds.
std::array<int, 3> counted(bool first, bool second, bool third) {
  std::array<int, 3> counts{first ? 1 : 0, second ? 1 : 0, third ? 1 : 0};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(MPI_IN_PLACE, counts.data(), 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  await(request);
  return counts;
}

std::atomic<int> handled{0}; // hybrid operations report to each member's thread; ordered by these
int handled_code = MPI_SUCCESS;

void count_error(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

/// Whether the error is that of the fault, where that has met the thread, or another rank's.
bool is_of(int code, bool fired, const Fault& fault) {
  const int of_fault = fault.function == "operator new" ? MPI_ERR_NO_MEM : injected_class;
  const int error_class = class_of(code);
  return error_class == MPI_ERR_OTHER || (fired && error_class == of_fault);
}

/// All ranks, each of which is a neighbour of every other and of itself.
MPI_Comm neighbors() {
  static const MPI_Comm made = [] {
    std::vector<int> all(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
    std::iota(all.begin(), all.end(), 0);
    const int count = size_of(MPI_COMM_WORLD);
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, all.data(), MPI_UNWEIGHTED, count, all.data(),
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    return comm;
  }();
  return made;
}

/// A communicator of all ranks, with that topology, whose error handler counts.
class Comm {
public:
  Comm() {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Comm_idup(neighbors(), &comm_, &request);
    await(request);
    MPI_Comm_set_errhandler(comm_, handler);
    MPI_Errhandler_free(&handler);
  }
  ~Comm() {
    await_all_ranks(); // what those that gave up have said has arrived
    MPI_Comm_free(&comm_);
  }
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  operator MPI_Comm() const { return comm_; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// A team, and what an operation with a fault must leave as it was.
class Bench {
public:
  Bench() {
    run(*probe_, other_, {}); // makes its shadow
    leased_ = helper::pipeline::leased_staging();
    slots_ = helper::pipeline::free_shared_slots();
  }

  /// Runs the operation with the fault; whether the fault met anybody. Fails at all ranks together if
  /// anything was not as it should at any.
  bool meets(Operation& operation, MPI_Comm comm, const Fault& fault) {
    const Outcome outcome = run(operation, comm, fault);
    const bool failed = outcome.code != MPI_SUCCESS;
    std::string complaint = complaint_about(outcome, operation, comm, fault);
    if (helper::pipeline::leased_staging() != leased_) complaint += "staging is leased; ";
    if (helper::pipeline::free_shared_slots() != slots_) complaint += "slots are leased; ";
    CHECK(complaint == "");
    const auto [bad, failures, met] = counted(!complaint.empty(), failed, outcome.fired);
    REQUIRE(bad == 0);
    REQUIRE((met != 0 || failures == 0));
    if (failures == size_of(comm)) must_work(operation, comm);
    if (failures != 0) must_work(*probe_, other_);
    return met != 0;
  }

  /// Makes the communicator's shadow.
  void prepare(MPI_Comm comm) { must_work(*probe_, comm); }

private:
  struct Outcome {
    int code;
    bool fired;
  };

  Outcome run(Operation& operation, MPI_Comm comm, const Fault& fault) {
    operation.fill(comm);
    Outcome outcome{MPI_ERR_OTHER, false};
    handled = 0;
    helpers_.phase([&] {
      Injected injected(fault);
      outcome.code = operation(comm);
      injected.remove();
      outcome.fired = injected.fired();
    });
    return outcome;
  }

  static std::string complaint_about(const Outcome& outcome, const Operation& operation, MPI_Comm comm,
                                     const Fault& fault) {
    if (outcome.code == MPI_SUCCESS) {
      if (handled != 0) return "an error was reported, but not returned; ";
      return operation.right(comm) ? "" : "the result is wrong; ";
    }
    if (handled != 1) return "reported " + std::to_string(handled) + " times; ";
    if (handled_code != outcome.code) return "another code reported than returned; ";
    if (is_of(outcome.code, outcome.fired, fault)) return "";
    return "error class " + std::to_string(class_of(outcome.code)) + "; ";
  }

  void must_work(Operation& operation, MPI_Comm comm) {
    const Outcome outcome = run(operation, comm, {});
    CHECK(outcome.code == MPI_SUCCESS);
    CHECK(complaint_about(outcome, operation, comm, {}) == "");
  }

  Helpers helpers_;
  const std::unique_ptr<Operation> probe_ = probe();
  const Comm other_;
  std::size_t leased_ = 0;
  std::size_t slots_ = 0;
};

// More ranks than these are likely to be more than there are processors, and slow.
bool are_few_ranks() {
  return size_of(MPI_COMM_WORLD) <= 2;
}

/// An operation of all members of a team, each with its own numbers.
struct Hybrid {
  const char* name;
  int (*call)(MPI_Helper_team team, std::vector<long>& numbers, MPI_Comm comm);
};
constexpr std::array hybrids{
    Hybrid{"hybrid allreduce",
           [](MPI_Helper_team team, std::vector<long>& numbers, MPI_Comm comm) {
             return MPIX_Helper_allreduce(team, MPI_IN_PLACE, numbers.data(),
                                          static_cast<int>(numbers.size()), MPI_LONG, MPI_MAX, comm);
           }},
    Hybrid{"hybrid bcast",
           [](MPI_Helper_team team, std::vector<long>& numbers, MPI_Comm comm) {
             return MPIX_Helper_bcast(team, numbers.data(), static_cast<int>(numbers.size()), MPI_LONG,
                                      size_of(comm) - 1, comm);
           }},
    Hybrid{"hybrid barrier", [](MPI_Helper_team team, std::vector<long>&, MPI_Comm comm) {
             return MPIX_Helper_barrier(team, comm);
           }}};

/// Does the operation with new teams, and the fault in the thread that communicates; whether it met anybody.
bool meets(const Hybrid& operation, MPI_Comm comm, const Fault& fault) {
  const auto members = static_cast<std::size_t>(team_size());
  std::vector<std::vector<long>> numbers(members, std::vector<long>(2'000, rank_of(comm)));
  std::vector<int> codes(members, MPI_ERR_OTHER);
  bool fired = false;
  handled = 0;
  in_team(team_size(), 0, [&](int member, MPI_Helper_team team) {
    const auto at = static_cast<std::size_t>(member);
    Injected injected(member == 0 ? fault : Fault{});
    codes[at] = operation.call(team, numbers[at], comm);
    if (member == 0) fired = injected.fired();
  });
  const auto failures = static_cast<int>(members) - std::ranges::count(codes, MPI_SUCCESS);
  CHECK((failures == 0 || failures == static_cast<int>(members)));
  CHECK(handled == failures);
  for (const int code : codes) CHECK((code == MPI_SUCCESS || is_of(code, fired, fault)));
  const bool barrier = operation.call == hybrids.back().call;
  for (const auto& of_member : numbers)
    CHECK((failures != 0 || barrier || std::ranges::count(of_member, size_of(comm) - 1) == 2'000));
  const auto counts = counted(false, failures != 0, fired);
  const int met = counts[2];
  CHECK((met != 0 || counts[1] == 0));
  return met != 0;
}

/// What members of a system-ranked group do together.
struct OfGroup {
  const char* name;
  bool reduces; ///< `numbers` are the greatest of all members' in the end
  int (*call)(MPIX_Sysgroup group, std::vector<long>& numbers);
};
constexpr std::array of_groups{
    OfGroup{"enrolment", false,
            [](MPIX_Sysgroup group, std::vector<long>&) {
              MPIX_Sysgroup made = MPIX_SYSGROUP_NULL;
              const int code = MPIX_Sysgroup_enroll(group, 1, MPI_INFO_NULL, &made);
              if (made != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&made);
              return code;
            }},
    OfGroup{"split of a group", false,
            [](MPIX_Sysgroup group, std::vector<long>&) {
              MPIX_Sysgroup made = MPIX_SYSGROUP_NULL;
              const int code = MPIX_Sysgroup_split(group, 0, MPI_INFO_NULL, &made);
              if (made != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&made);
              return code;
            }},
    OfGroup{"allreduce on a group", true,
            [](MPIX_Sysgroup group, std::vector<long>& numbers) {
              return MPIX_Sysgroup_allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                             MPI_LONG, MPI_MAX, group);
            }},
    OfGroup{"iallreduce on a group", true, [](MPIX_Sysgroup group, std::vector<long>& numbers) {
              MPI_Request request = MPI_REQUEST_NULL;
              const int code =
                  MPIX_Sysgroup_iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                           MPI_LONG, MPI_MAX, group, &request);
              return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
            }}};

/// Does the operation on a new group of all, with the fault at the rank that has it; whether it met anybody.
bool meets(const OfGroup& operation, const Fault& fault) {
  const Comm comm;
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  REQUIRE(MPIX_Sysgroup_from_comm(comm, MPI_INFO_NULL, &group) == MPI_SUCCESS);
  await_all_ranks(); // who is still making the group would learn of the fault, too
  std::vector<long> numbers(100'000, rank_of(comm));
  handled = 0;
  Injected injected(fault);
  const int code = operation.call(group, numbers);
  injected.remove();
  const bool failed = code != MPI_SUCCESS;
  CHECK(handled == (failed ? 1 : 0));
  CHECK((failed || !operation.reduces ||
         std::ranges::count(numbers, size_of(comm) - 1) == std::ssize(numbers)));
  const auto counts = counted(false, failed, injected.fired());
  const int failures = counts[1];
  const int met = counts[2];
  CHECK((met != 0 || failures == 0));
  if (failed) CHECK(MPIX_Sysgroup_barrier(group) != MPI_SUCCESS); // at once
  MPIX_Sysgroup_free(&group);
  return met != 0;
}

/// Calls `inject(nth)` for 1, 2, 3 … as long as the fault meets anybody; where that takes long, as of a
/// function that is polled, for 1, 2, 4 …
template <class Inject>
void for_each_call(const std::string& function, const Inject& inject) {
  const bool all = are_few_ranks() && function != "PMPI_Test" && function != "PMPI_Iprobe";
  for (int nth = 1; inject(nth); nth = all ? nth + 1 : 2 * nth) {
  }
}

} // namespace

TEST_CASE("What fails at all ranks is reported once at each, and all goes on") {
  if (!are_few_ranks()) return;
  Bench bench;
  for (const auto& operation : operations()) {
    for (const char* function :
         {"operator new", "PMPI_Isend", "PMPI_Irecv", "PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Test",
          "PMPI_Iprobe", "PMPI_Iallreduce", "PMPI_Ireduce", "PMPI_Ibarrier", "PMPI_Comm_create",
          "PMPI_Comm_group", "PMPI_Comm_get_attr", "PMPI_Comm_set_attr", "PMPI_Pack_c", "PMPI_Unpack_c"}) {
      for_each_call(function, [&](int nth) {
        INFO(operation->name << ", " << function << " " << nth);
        const Comm comm;
        return bench.meets(*operation, comm, {function, nth});
      });
    }
    for_each_call("memory", [&](int nth) {
      INFO(operation->name << ", no memory from allocation " << nth << " on");
      const Comm comm;
      return bench.meets(*operation, comm, {"operator new", nth, true});
    });
  }
}

TEST_CASE("What fails at one rank ends the operation at all that wait for it") {
  Bench bench;
  for (const auto& operation : operations()) {
    if (!operation->carried) continue;
    for (const char* function : {"operator new", "PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Test"}) {
      for (int culprit = 0; culprit < size_of(MPI_COMM_WORLD); ++culprit) {
        for_each_call(function, [&](int nth) {
          INFO(operation->name << ", " << function << " " << nth << " at rank " << culprit);
          const Comm comm;
          bench.prepare(comm); // not even the agreement on a shadow can tell what fails
          return bench.meets(*operation, comm, rank_of(comm) == culprit ? Fault{function, nth} : Fault{});
        });
      }
    }
  }
}

TEST_CASE(
    "Where one rank has no memory for an operation that does not block, it fails at all that wait for it") {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); // that of requests
  MPI_Errhandler_free(&handler);
  Bench bench;
  Helpers helpers(team_size(), 4712);
  for (int culprit = 0; culprit < size_of(MPI_COMM_WORLD); ++culprit) {
    for_each_call("operator new", [&](int nth) {
      INFO("allocation " << nth << " at rank " << culprit);
      const Comm comm;
      bench.prepare(comm);
      const std::vector<long> numbers(100'000, rank_of(comm));
      std::vector<long> greatest(numbers.size());
      const Fault fault = rank_of(comm) == culprit ? Fault{"operator new", nth} : Fault{};
      int code = MPI_ERR_OTHER;
      bool fired = false;
      bool carried = false;
      handled = 0;
      helpers.phase([&] {
        Injected injected(fault);
        MPI_Request request = MPI_REQUEST_NULL;
        code = MPI_Iallreduce(numbers.data(), greatest.data(), 100'000, MPI_LONG, MPI_MAX, comm, &request);
        carried = helper::message::requests::find(&request) != nullptr;
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        injected.remove();
        fired = injected.fired();
      });
      const bool failed = code != MPI_SUCCESS;
      CHECK(handled == (failed ? 1 : 0));
      CHECK((!failed || is_of(code, fired, fault)));
      CHECK((failed || std::ranges::count(greatest, size_of(comm) - 1) == std::ssize(greatest)));
      const auto [carrying, failures, met] = counted(carried, failed, fired);
      // What failed has used frames up. Without one it is native, and no memory is needed to decide that.
      if (carrying != 0) CHECK(failures == (met != 0 ? size_of(comm) : 0));
      return met != 0;
    });
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("A rank without memory begins natively what is native by its operation, communicator or size") {
  MPI_Op op = MPI_OP_NULL;
  const auto greater = [](void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < 2 * *count; i += 2) { // the elements lie so
      long& result = static_cast<long*>(inout)[i];
      result = std::max(result, static_cast<long*>(in)[i]);
    }
  };
  PMPI_Op_create(greater, 1, &op);
  Bench bench;
  Helpers helpers(team_size(), 4712);
  const auto begin = [&](MPI_Comm comm, MPI_Op how, bool is_spread, int count) {
    MPI_Datatype type = MPI_LONG;
    if (is_spread) { // which nobody has looked into yet
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
  const Comm comm;
  bench.prepare(comm);
  begin(comm, op, true, 100'000);
  begin(comm, MPI_MAX, false, 10);
  begin(without_shadow, MPI_MAX, false, 100'000);
  PMPI_Op_free(&op);
}

TEST_CASE("What fails of a hybrid operation is reported once to each member of the team") {
  const Comm other;
  for (const Hybrid& operation : hybrids) {
    for (const char* function : {"operator new", "PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Test"}) {
      for (int culprit = 0; culprit < size_of(MPI_COMM_WORLD); ++culprit) {
        for (const bool lasting : {false, true}) {
          if (lasting && function == std::string("PMPI_Test")) continue;
          for (int nth = 1;; nth *= 2) {
            INFO(operation.name << ", " << function << " " << nth << " at rank " << culprit);
            const Comm comm;
            meets(operation, comm, {}); // not even the agreement on a shadow can tell what fails
            const Fault fault{function, nth, lasting};
            if (!meets(operation, comm, rank_of(comm) == culprit ? fault : Fault{})) break;
            meets(operation, other, {});
          }
        }
      }
    }
  }
}

TEST_CASE("What fails at one member of a system-ranked group ends the operation at all that wait for it") {
  if (!are_few_ranks()) return; // of more, what failed before has used up the communicators for groups
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
  for (const OfGroup& operation : of_groups) {
    for (const char* function : {"operator new", "PMPI_Isend", "PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Test"}) {
      for (int culprit = 0; culprit < size_of(MPI_COMM_WORLD); ++culprit) {
        for (int nth = 1;; nth *= 2) {
          INFO(operation.name << ", " << function << " " << nth << " at rank " << culprit);
          if (!meets(operation, rank_of(MPI_COMM_WORLD) == culprit ? Fault{function, nth} : Fault{})) break;
        }
      }
    }
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

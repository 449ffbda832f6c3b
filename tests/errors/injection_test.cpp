// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "errors/faults.hpp"
#include "errors/operations.hpp"
#include "errors/reports.hpp"
#include "hybrid/in_team.hpp"
#include "pipeline/staging.hpp"
#include "shm/node_context.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

// If a function that the library calls fails, the failure is reported once: to the thread that started the
// operation, by the error handler of its communicator. Then the team works on, and no staging stays leased.

using namespace test_support;

namespace {

/// A team, and the state of the library that must be the same after an operation with a fault.
class Bench {
public:
  Bench() {
    run(*probe_, other_, {}); // makes the shadow of other_
    leased_ = helper::pipeline::leased_staging();
    slots_ = helper::shm::node_context().slots.free_blocks();
  }

  /// Runs the operation with the fault at this rank, which may be none. Returns whether a call failed at any
  /// rank. If anything is wrong at any rank, the test fails at all ranks.
  bool meets(Operation& operation, MPI_Comm comm, const Fault& fault) {
    const Outcome outcome = run(operation, comm, fault);
    const bool failed = outcome.code != MPI_SUCCESS;
    std::string complaint = complaint_about(outcome, operation, comm, fault);
    if (helper::pipeline::leased_staging() != leased_) complaint += "staging is leased; ";
    if (helper::shm::node_context().slots.free_blocks() != slots_) complaint += "slots are leased; ";
    CHECK(complaint == "");
    const auto [bad, failures, met] = counted(!complaint.empty(), failed, outcome.fired);
    REQUIRE(bad == 0);
    REQUIRE((met != 0 || failures == 0));
    if (failures == size_of(comm)) must_work(operation, comm);
    if (failures != 0) must_work(*probe_, other_);
    return met != 0;
  }

  /// Makes the shadow of `comm`.
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

// Returns whether there are few ranks. More ranks probably outnumber the cores, and the test would be slow.
bool are_few_ranks() {
  return size_of(MPI_COMM_WORLD) <= 2;
}

/// A hybrid operation: all members of a team call it, each with its own numbers.
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

/// Runs the operation in a new team. The fault is in the thread that communicates. Returns whether a call
/// failed at any rank.
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

/// An operation of the members of a system-ranked group.
struct OfGroup {
  const char* name;
  bool reduces; ///< `numbers` become their maximum over all members
  int (*call)(MPIX_Sysgroup group, std::vector<long>& numbers);
};
/// Makes a group with `function` and frees it.
template <auto function>
int make_group(MPIX_Sysgroup group, int colour) {
  MPIX_Sysgroup made = MPIX_SYSGROUP_NULL;
  const int code = function(group, colour, MPI_INFO_NULL, &made);
  if (made != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&made);
  return code;
}

template <auto function>
int reduce_in_place(MPIX_Sysgroup group, std::vector<long>& numbers) {
  return function(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_LONG, MPI_MAX, group);
}

constexpr std::array of_groups{
    OfGroup{
        "enrolment", false,
        [](MPIX_Sysgroup group, std::vector<long>&) { return make_group<MPIX_Sysgroup_enroll>(group, 1); }},
    OfGroup{
        "split of a group", false,
        [](MPIX_Sysgroup group, std::vector<long>&) { return make_group<MPIX_Sysgroup_split>(group, 0); }},
    OfGroup{"allreduce on a group", true, reduce_in_place<MPIX_Sysgroup_allreduce>},
    OfGroup{"allgather on a group", false,
            [](MPIX_Sysgroup group, std::vector<long>& numbers) {
              int size = 0;
              MPIX_Sysgroup_size(group, &size);
              const int count = static_cast<int>(numbers.size()) / size;
              return MPIX_Sysgroup_allgather(MPI_IN_PLACE, 0, MPI_LONG, numbers.data(), count, MPI_LONG,
                                             group);
            }},
    OfGroup{"scan on a group", false, reduce_in_place<MPIX_Sysgroup_scan>},
    OfGroup{"message on a group", false,
            [](MPIX_Sysgroup group, std::vector<long>& numbers) {
              int rank = -1;
              int size = 0;
              MPIX_Sysgroup_rank(group, &rank);
              MPIX_Sysgroup_size(group, &size);
              const int count = static_cast<int>(numbers.size());
              const int receiver = size > 1 ? 1 : MPI_PROC_NULL;
              if (rank == 0) return MPIX_Sysgroup_send(numbers.data(), count, MPI_LONG, receiver, 0, group);
              if (rank != receiver) return MPI_SUCCESS;
              return MPIX_Sysgroup_recv(numbers.data(), count, MPI_LONG, 0, 0, group, MPI_STATUS_IGNORE);
            }},
    OfGroup{"iallreduce on a group", true, [](MPIX_Sysgroup group, std::vector<long>& numbers) {
              MPI_Request request = MPI_REQUEST_NULL;
              const int code =
                  MPIX_Sysgroup_iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                           MPI_LONG, MPI_MAX, group, &request);
              return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
            }}};

/// Runs the operation on a new group of all ranks. At most one rank passes a fault. Returns whether a call
/// failed at any rank.
bool meets(const OfGroup& operation, const Fault& fault) {
  const Comm comm;
  MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
  REQUIRE(MPIX_Sysgroup_from_comm(comm, MPI_INFO_NULL, &group) == MPI_SUCCESS);
  await_all_ranks(); // otherwise a rank that is still making the group would get the error too
  std::vector<long> numbers(100'000, rank_of(comm));
  handled = 0;
  Injected injected(fault);
  const int code = operation.call(group, numbers);
  injected.remove();
  const bool failed = code != MPI_SUCCESS || (is_mpich_5_0() && handled != 0);
  CHECK(handled == (failed ? 1 : 0));
  CHECK((failed || !operation.reduces ||
         std::ranges::count(numbers, size_of(comm) - 1) == std::ssize(numbers)));
  const auto counts = counted(false, failed, injected.fired());
  const int failures = counts[1];
  const int met = counts[2];
  CHECK((met != 0 || failures == 0));
  if (failed) CHECK(MPIX_Sysgroup_barrier(group) != MPI_SUCCESS); // returns immediately
  MPIX_Sysgroup_free(&group);
  return met != 0;
}

constexpr int block_bytes = 100'000; // that the functions below pack
extern "C" void pack(const void* buffer, MPI_Count offset, MPI_Count length, void* target, void*) {
  std::memcpy(target, static_cast<const char*>(buffer) + offset, static_cast<std::size_t>(length));
}
extern "C" void unpack(void* buffer, MPI_Count offset, MPI_Count length, const void* source, void*) {
  std::memcpy(static_cast<char*>(buffer) + offset, source, static_cast<std::size_t>(length));
}

/// An exchange between all ranks of blocks that functions of the program pack.
struct OfFunctions {
  const char* name;
  int (*call)(const char* in, char* out, MPI_Datatype type, MPI_Comm comm);
};
constexpr std::array of_functions{
    OfFunctions{"alltoallw",
                [](const char* in, char* out, MPI_Datatype type, MPI_Comm comm) {
                  const auto ranks = static_cast<std::size_t>(size_of(comm));
                  std::vector<int> counts(ranks, 1), places;
                  for (std::size_t i = 0; i < ranks; ++i) places.push_back(static_cast<int>(i) * block_bytes);
                  std::vector<MPI_Datatype> types(ranks, type);
                  return MPI_Alltoallw(in, counts.data(), places.data(), types.data(), out, counts.data(),
                                       places.data(), types.data(), comm);
                }},
    OfFunctions{"neighbor_alltoall",
                [](const char* in, char* out, MPI_Datatype type, MPI_Comm comm) {
                  return MPI_Neighbor_alltoall(in, 1, type, out, 1, type, comm);
                }},
    OfFunctions{"ineighbor_alltoall", [](const char* in, char* out, MPI_Datatype type, MPI_Comm comm) {
                  MPI_Request request = MPI_REQUEST_NULL;
                  const int code = MPI_Ineighbor_alltoall(in, 1, type, out, 1, type, comm, &request);
                  return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
                }}};

/// Runs the exchange. At most one rank passes a fault. Returns whether a call failed at any rank.
bool meets(Helpers& helpers, const OfFunctions& operation, MPI_Datatype type, bool in_phase, MPI_Comm comm,
           const Fault& fault) {
  const auto bytes = static_cast<std::size_t>(size_of(comm) * block_bytes);
  const std::vector<char> in(bytes, static_cast<char>(rank_of(comm) + 1));
  std::vector<char> out(bytes);
  int code = MPI_ERR_OTHER;
  bool fired = false;
  const auto call = [&] {
    Injected injected(fault);
    code = operation.call(in.data(), out.data(), type, comm);
    fired = injected.fired();
  };
  if (in_phase)
    helpers.phase(call);
  else
    call();
  bool is_right = true;
  for (int rank = 0; rank < size_of(comm); ++rank)
    is_right = is_right && out[static_cast<std::size_t>(rank * block_bytes)] == static_cast<char>(rank + 1) &&
               out[static_cast<std::size_t>((rank + 1) * block_bytes - 1)] == static_cast<char>(rank + 1);
  CHECK((!fired || code != MPI_SUCCESS));
  const auto counts = counted(false, code != MPI_SUCCESS, fired);
  if (counts[2] == 0) CHECK((counts[1] == 0 && is_right)); // after a failure, other ranks may have wrong data
  return counts[2] != 0;
}

/// Calls `inject(nth)` for nth = 1, 2, 3 … until it returns false, which means that no call failed. Uses 1,
/// 2, 4 … if that would take long: with many ranks, and for functions that are polled.
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
    for (const char* function : {"operator new", "PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Test", "PMPI_Wait"}) {
      for (int culprit = 0; culprit < size_of(MPI_COMM_WORLD); ++culprit) {
        for_each_call(function, [&](int nth) {
          INFO(operation->name << ", " << function << " " << nth << " at rank " << culprit);
          const Comm comm;
          bench.prepare(comm); // agreeing on a shadow cannot report this failure
          return bench.meets(*operation, comm, rank_of(comm) == culprit ? Fault{function, nth} : Fault{});
        });
      }
    }
  }
}

TEST_CASE("No rank waits for one that lacks memory for what functions of the program pack") {
  Helpers helpers;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPIX_Helper_type_create(pack, unpack, block_bytes, nullptr, &type);
  set_unnamed_errhandler(MPI_ERRORS_RETURN); // MPI_Wait may use that handler
  const auto culprit = GENERATE(0, 1, 2);
  for (const OfFunctions& operation : of_functions) {
    if (culprit >= size_of(MPI_COMM_WORLD)) break;
    for (const bool in_phase : {false, true}) {
      const Comm comm;
      const auto inject = [&](int nth) {
        INFO(operation.name << ", " << nth << " at rank " << culprit << ", in a phase: " << in_phase);
        Fault fault{"operator new", nth, nth == 1};
        fault.least = block_bytes;
        return meets(helpers, operation, type, in_phase, comm, rank_of(comm) == culprit ? fault : Fault{});
      };
      for (int nth = 1; inject(nth); ++nth) {
      }
    }
  }
  MPI_Type_free(&type);
  set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
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
            meets(operation, comm, {}); // agreeing on a shadow cannot report this failure
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
  if (!are_few_ranks()) return; // with more ranks, earlier failures use up the communicators for groups
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  set_unnamed_errhandler(handler);
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
  set_unnamed_errhandler(MPI_ERRORS_ARE_FATAL);
}

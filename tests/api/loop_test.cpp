// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi_helper.h>

#include <sched.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hybrid/in_team.hpp"
#include "support/catch.hpp"
#include "support/mpi_support.hpp"
#include "support/ranks.hpp"

// Tests MPIX_Helper_for. The main thread of the team communicates meanwhile, which every thread level allows.

using namespace test_support;

namespace {

constexpr MPI_Count most = std::numeric_limits<MPI_Count>::max();

/// Runs a loop over [begin, end), which calls `body` for each piece.
template <class Body>
int loop(MPI_Helper_team team, MPI_Count begin, MPI_Count end, MPI_Count grain, Body& body) {
  const auto call = [](MPI_Count from, MPI_Count to, void* data) { (*static_cast<Body*>(data))(from, to); };
  return MPIX_Helper_for(team, begin, end, grain, call, &body);
}

/// Runs a loop over [begin, end). Returns whether each index was in exactly one piece, and whether each piece
/// but the last had a multiple of `grain` indices.
bool covers(MPI_Helper_team team, MPI_Count begin, MPI_Count end, MPI_Count grain) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(end - begin));
  std::atomic<int> odd{0};
  auto body = [&](MPI_Count from, MPI_Count to) {
    if (from >= to || (from - begin) % grain != 0 || ((to - from) % grain != 0 && to != end)) ++odd;
    for (MPI_Count i = from; i < to; ++i) ++runs[static_cast<std::size_t>(i - begin)];
  };
  return loop(team, begin, end, grain, body) == MPI_SUCCESS && odd == 0 &&
         std::ranges::all_of(runs, [](const auto& times) { return times == 1; });
}

/// Returns whether there is a core for each member of each process, so that helpers certainly take part.
bool have_room() {
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  return size_of(MPI_COMM_WORLD) * team_size() <= CPU_COUNT(&own);
}

/// Runs loops until another thread has run a piece, or for some time. Returns whether another thread has run
/// one. An exception that `body` throws reaches the caller.
template <class Body>
bool until_helped(MPI_Helper_team team, const Body& body) {
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> is_helped{false};
  auto piece = [&](MPI_Count from, MPI_Count to) {
    sched_yield();
    if (std::this_thread::get_id() == caller) return;
    is_helped = true;
    body(from, to);
  };
  const std::chrono::seconds limit(team_size() == 1 ? 0 : have_room() ? 20 : 1);
  const auto give_up = std::chrono::steady_clock::now() + limit;
  do loop(team, 0, 64, 1, piece);
  while (!is_helped && std::chrono::steady_clock::now() < give_up);
  return is_helped;
}

std::atomic<int> handled{0};

void count_error(MPI_Comm*, int*, ...) {
  ++handled;
}

} // namespace

TEST_CASE("every index runs once, in loops of several members and between MPI calls") {
  constexpr int rounds = 20;
  std::vector<int> good(static_cast<std::size_t>(team_size()));
  in_team(team_size(), 0, [&](int member, MPI_Helper_team team) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> sum(20'000, 1);
      if (member == 0)
        MPI_Allreduce(MPI_IN_PLACE, sum.data(), static_cast<int>(sum.size()), MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
      good[static_cast<std::size_t>(member)] +=
          covers(team, 0, 1000, 1) && covers(team, -7, 1'000 * member, 10) && covers(team, 5, 6, 1000) &&
          covers(team, 3, 3, 1) && covers(team, most - 100, most, most) && covers(team, -most, 1 - most, 1);
    }
  });
  REQUIRE(good == std::vector<int>(good.size(), rounds));
}

TEST_CASE("a range may have more indices than MPI_Count counts") {
  in_team(1, 0, [](int, MPI_Helper_team team) {
    MPI_Count first = 0;
    MPI_Count last = 0;
    auto body = [&](MPI_Count from, MPI_Count to) {
      first = std::min(first, from);
      last = std::max(last, to);
    };
    CHECK(loop(team, -most, most, most / 100, body) == MPI_SUCCESS);
    CHECK(first == -most);
    CHECK(last == most);
  });
}

TEST_CASE("helpers run pieces in the caller's floating-point environment, and it gets the exceptions") {
  std::atomic<int> others{0};
  std::atomic<int> strays{0};
  bool is_helped = false;
  int flags = 0;
  in_team(team_size(), 0, [&](int member, MPI_Helper_team team) {
    std::feclearexcept(FE_ALL_EXCEPT); // a new thread inherits the flags that MPI_Init left
    if (member == 0) {
      std::fesetround(FE_UPWARD);
      is_helped = until_helped(team, [&](MPI_Count, MPI_Count) {
        if (std::fegetround() != FE_UPWARD) ++others;
        std::feraiseexcept(FE_DIVBYZERO);
      });
      flags = std::fetestexcept(FE_ALL_EXCEPT);
      std::fesetround(FE_TONEAREST);
      std::feclearexcept(FE_ALL_EXCEPT);
    }
    MPI_Helper_fence(team);
    if (std::fegetround() != FE_TONEAREST || std::fetestexcept(FE_DIVBYZERO) != 0) ++strays;
  });
  CHECK(others == 0);
  CHECK(strays == 0);
  CHECK((flags & FE_DIVBYZERO) == (is_helped ? FE_DIVBYZERO : 0));
  if (team_size() > 1 && have_room()) CHECK(is_helped);
}

TEST_CASE("what a piece throws is thrown by the call, whichever thread ran it") {
  in_team(team_size(), 0, [&](int member, MPI_Helper_team team) {
    if (member != 0) return;
    std::string caught;
    try {
      if (!until_helped(team, [](MPI_Count, MPI_Count) { throw std::invalid_argument("of a helper"); }))
        caught = "of a helper";
    } catch (const std::invalid_argument& thrown) {
      caught = thrown.what();
    }
    CHECK(caught == "of a helper");

    std::atomic<int> pieces{0};
    auto fails = [&](MPI_Count from, MPI_Count) {
      ++pieces;
      throw from;
    };
    MPI_Count thrown = -1;
    try {
      loop(team, 0, 200, 1, fails);
    } catch (MPI_Count from) {
      thrown = from;
    }
    CHECK((thrown >= 0 && thrown < 200));
    CHECK(pieces <= team_size()); // the exception ends the loop
    CHECK(covers(team, 0, 1000, 1));
  });
}

TEST_CASE("a loop within a piece is run by its thread, whatever team it names") {
  std::vector<int> good(static_cast<std::size_t>(team_size()));
  in_team(team_size(), 0, [&](int member, MPI_Helper_team team) {
    std::atomic<int> inside{0};
    std::atomic<int> strays{0};
    auto outer = [&](MPI_Count, MPI_Count) {
      const auto self = std::this_thread::get_id();
      int own = 0;
      auto inner = [&](MPI_Count from, MPI_Count to) {
        if (std::this_thread::get_id() != self) ++strays;
        own += static_cast<int>(to - from);
        if (own == 10) throw own;
      };
      if (loop(team, 0, 7, 1, inner) != MPI_SUCCESS || loop(0, 0, 1, 1, inner) != MPI_SUCCESS ||
          loop(team, 5, 5, 1, inner) != MPI_SUCCESS || own != 8)
        ++strays;
      inside += own;
      try {
        loop(team, 0, 2, 1, inner);
        ++strays;
      } catch (int) {
      }
    };
    const int code = loop(team, 0, 50, 1, outer);
    good[static_cast<std::size_t>(member)] =
        code == MPI_SUCCESS && strays == 0 && inside == 8 * 50 && covers(team, 0, 100, 1);
  });
  REQUIRE(good == std::vector<int>(good.size(), 1));
}

TEST_CASE("misuse is an error of the calling thread, told once to the handler of MPI_COMM_WORLD") {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(count_error, &handler);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  handled = 0;
  const auto rejects = [](int code, int error_class, const std::string& word) {
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    CHECK(class_of(code) == error_class);
    CHECK_THAT(text, Catch::Contains("MPIX_Helper_for") && Catch::Contains(word));
    CHECK(handled.exchange(0) == 1);
  };
  int calls = 0;
  auto body = [&](MPI_Count, MPI_Count) { ++calls; };
  rejects(loop(123'456, 0, 1, 1, body), MPI_ERR_ARG, "123456");
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(3, 1, &team);
  rejects(loop(team, 0, 1, 1, body), MPI_ERR_OTHER, "phase");
  MPI_Helper_join(team);
  rejects(loop(team, 2, 1, 1, body), MPI_ERR_ARG, "end 1");
  rejects(loop(team, 0, 1, 0, body), MPI_ERR_ARG, "grain 0");
  rejects(MPIX_Helper_for(team, 0, 1, 1, nullptr, nullptr), MPI_ERR_ARG, "null");
  int nested = MPI_SUCCESS;
  auto outer = [&](MPI_Count, MPI_Count) { nested = loop(team, 2, 1, 1, body); };
  CHECK(loop(team, 0, 1, 1, outer) == MPI_SUCCESS);
  rejects(nested, MPI_ERR_ARG, "end 1");
  CHECK(calls == 0);

  // Throws an exception of another language.
  _Unwind_Exception foreign{};
  auto leaves = [&](MPI_Count, MPI_Count) { _Unwind_RaiseException(&foreign); };
  rejects(loop(team, 0, 1, 1, leaves), MPI_ERR_OTHER, "another language");
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  PMPI_Errhandler_free(&handler);
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "mpi_helper.h"
#include "support/catch.hpp"
#include "team/pause.hpp"
#include "team/registry.hpp"

// Functions that block in MPI and have no non-blocking form also lend their thread while MPI polls. At rank 0
// one member is in the function, while another runs a job that needs two threads to finish. Only then does it
// let rank 1 call the function: by a file, because it must not call MPI.

namespace {

/// Returns the name of a file that does not exist yet. All ranks get the same name.
std::string agreed_file(int number) {
  auto process = static_cast<long>(getpid());
  MPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return std::filesystem::temp_directory_path() /
         ("mpi_helper_patience." + std::to_string(process) + "." + std::to_string(number));
}

/// Runs a job of two chunks, neither of which ends before both have begun.
void meet_in_job(helper::team::Member& member) {
  std::atomic<int> begun{0};
  const auto chunk = [](void* counter, std::size_t, std::size_t) noexcept {
    auto& chunks = *static_cast<std::atomic<int>*>(counter);
    chunks.fetch_add(1);
    while (chunks.load() < 2) std::this_thread::yield();
  };
  member.run({chunk, &begun, 2, 1});
}

template <class Body>
void in_phase(int team_size, const Body& body) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(1, team_size, &team);
  MPI_Helper_join(team);
  body();
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
}

MPI_Comm split() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);
  return made;
}

MPI_Comm create() {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPIX_Group_comm_create(MPI_COMM_WORLD, all, 1, &made);
  MPI_Group_free(&all);
  return made;
}

MPI_Comm call_and_be_lent(MPI_Comm (*function)(), const std::string& file) {
  MPI_Comm made = MPI_COMM_NULL;
  std::thread other([&] {
    in_phase(2, [&] {
      meet_in_job(*helper::team::presence.member());
      std::ofstream(file).put(' ');
    });
  });
  in_phase(2, [&] { made = function(); });
  other.join();
  return made;
}

MPI_Comm call_late(MPI_Comm (*function)(), const std::string& file) {
  while (!std::filesystem::exists(file)) std::this_thread::yield();
  std::filesystem::remove(file);
  MPI_Comm made = MPI_COMM_NULL;
  in_phase(1, [&] { made = function(); });
  return made;
}

} // namespace

TEST_CASE("Functions that block in MPI lend their thread") {
  const int number = GENERATE(0, 1);
  MPI_Comm (*const function)() = number == 0 ? split : create;
  const std::string file = agreed_file(number);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm made = rank == 0 ? call_and_be_lent(function, file) : call_late(function, file);
  REQUIRE(made != MPI_COMM_NULL);
  MPI_Comm_free(&made);
}

// HWLOC_SYNTHETIC shows two cores. So the helper of rank 0 gets one only if rank 1 leaves its core.
TEST_CASE("A rank that waits for long leaves its processing unit to another's helper") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    in_phase(1, [] { MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    return;
  }
  std::atomic<bool> is_there{false};
  std::thread other([&] { in_phase(2, [&] { is_there.store(true); }); });
  in_phase(2, [&] {
    while (!is_there.load() || helper::team::Oversubscription::room() == 0) std::this_thread::yield();
    meet_in_job(*helper::team::presence.member());
    MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  });
  other.join();
}

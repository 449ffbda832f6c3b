// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/idle.hpp"

#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "process/attendance.hpp"
#include "process/models.hpp"
#include "process/print.hpp"
#include "process/process.hpp"
#include "settings/settings.hpp"
#include "transport/attributes.hpp"
#include "transport/world.hpp"

namespace helper::process {

namespace {

// Each is written once, and they order nothing: what is said depends on what its thread has seen.
constinit std::atomic<Why> why_idle{Why::not_yet};
constinit std::atomic<bool> has_spoken{false};
constinit std::atomic<bool> is_beginning_seen{false};

bool is_rank_0() {
  return (transport::are_predefined() ? transport::world::own_rank() : models::own_rank()) == 0;
}

/// Whether this process is the one that speaks of it.
bool speaks(Why why, bool is_asked) {
  switch (why) {
  case Why::not_yet:
    return false;
  case Why::incomplete:
    return is_asked ? Attendance::take().is_first_asked() : Attendance::take().is_first_here();
  case Why::late:
  case Why::not_first:
    return is_rank_0();
  }
  return false;
}

std::string text(Why why) {
  switch (why) {
  case Why::late:
    return "MPI Helper Teams leaves communicators that are new to it to MPI while there are sessions that "
           "were "
           "opened after MPI_Init. Open one before MPI_Init";
  case Why::not_first:
    return "MPI Helper Teams leaves all communication to MPI: it begins with a communicator of all "
           "processes, "
           "MPI_COMM_WORLD or one made of mpi://WORLD, and only if no process has made one with some of "
           "them, "
           "or a team, before. Call MPI_Init, or make that one, first";
  default:
    return "MPI Helper Teams of this version is not in all processes of the job: " +
           Attendance::take().missing() +
           " lacks it. So it leaves all communication to MPI. Link it to, or preload it in, every executable";
  }
}

/// The rank that the process's launcher has given it; 0 if it has not said so.
int rank_by_launcher() noexcept {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    if (const char* const rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

bool has_mpi_begun() noexcept {
  int is_initialised = 0;
  PMPI_Initialized(&is_initialised);
  return is_initialised != 0;
}

// A child that was made by fork is not the process that has MPI.
const pid_t own_process = getpid();

[[gnu::destructor]] void say_at_end() noexcept {
  if (getpid() == own_process) say_if_unseen();
}

} // namespace

bool is_asked() {
  try {
    const settings::Settings set = settings::read(settings::environment());
    return set.threads > 0 || set.stats || set.trace != "off" || set.report;
  } catch (const std::invalid_argument&) {
    return true; // who begins will say what is wrong
  }
}

void stay_idle(Why why) {
  Why before = Why::not_yet;
  why_idle.compare_exchange_strong(before, why, std::memory_order_relaxed);
  say_why_idle();
}

void say_why_idle() {
  const Why why = why_idle.load(std::memory_order_relaxed);
  const bool asked = is_asked();
  if ((asked || expects_phases()) && speaks(why, asked) &&
      !has_spoken.exchange(true, std::memory_order_relaxed))
    print(text(why));
}

void see_beginning() noexcept {
  is_beginning_seen.store(true, std::memory_order_relaxed);
}

void say_unseen() noexcept {
  if (has_spoken.exchange(true, std::memory_order_relaxed)) return;
  try {
    const int rank = transport::are_predefined() ? transport::world::own_rank() : rank_by_launcher();
    if (rank == 0 && is_asked())
      print(
          "MPI Helper Teams has not seen the program initialise MPI, so its settings have no effect. A tool "
          "has called PMPI_Init, or the program has looked up MPI_Init in MPI itself. Link or preload MPI "
          "Helper Teams before MPI, and before tools that intercept MPI");
  } catch (const std::bad_alloc&) {
    // The program goes on all the same.
  }
}

void say_if_unseen() noexcept {
  if (is_beginning_seen.load(std::memory_order_relaxed) || has_spoken.load(std::memory_order_relaxed)) return;
  if (has_mpi_begun()) say_unseen();
}

} // namespace helper::process

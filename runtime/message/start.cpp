// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// What the library does when MPI starts and ends, and when phases begin and end.

#include "message/deferred_sends.hpp"
#include "message/message.hpp"
#include "message/peers.hpp"
#include "message/quick.hpp"
#include "message/rendezvous.hpp"
#include "message/requests.hpp"
#include "message/shm_stream.hpp"
#include "message/wait.hpp"
#include "native/quirks.hpp"
#include "ranks/thread_level.hpp"
#include "ranks/world.hpp"
#include "team/detours.hpp"

// Only the shared library, which also replaces PMPI_X, has this function.
extern "C" [[gnu::weak]] void mpi_helper_tools_bind() noexcept;

namespace helper::message {

namespace {

/// Returns whether `here` is true at all processes. Each build takes part, even one without the feature: a
/// job may have builds for the headers of several versions of MPI.
bool is_everywhere(bool here) {
  int all = here ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, ranks::world::comm());
  return all != 0;
}

/// Returns whether all calls for requests and messages in this job need a detour through the library.
bool has_detours() noexcept {
  return !may_give_receives() || team::Oversubscription::by_processes() || !peers::announce();
}

} // namespace

bool sees_all_calls() noexcept {
  return mpi_helper_tools_bind != nullptr;
}

void start(bool announce) {
  Rts::draw_magic();
  eager_receives::clear();
  shm_stream::start();
  peers::start(announce);
#ifdef MPI_HELPER_PARTITIONED
  partitioned::start(is_everywhere(announce && partitioned::can_be_carried()));
#else
  is_everywhere(false);
#endif
  ranks::read_thread_level();
  gives_receives = ranks::thread_level() != MPI_THREAD_MULTIPLE && !native::quirks::loses_fortran_handles();
  make_empty(quick::from_nobody);
  quick::from_nobody.MPI_SOURCE = MPI_PROC_NULL;
  if (!has_detours()) team::detours::remove();
}

bool attend(team::Member& member) noexcept {
  deferred::sweep();
  return requests::advance_one(member);
}

void stop() {
  if (ranks::world::comm() == MPI_COMM_NULL) return;
  // Late receivers still need this process, as in native MPI: it waits here, like every process, until they
  // have received its messages. A program that is wrong, or has had an error, may leave data unsent.
  team::Team alone(team::Team::solo, 1, team::Waiting{});
  team::Member& member = alone.add();
  bool has_all = false;
  member.lend_until(
      [&] {
        requests::rescue_all();
        deferred::sweep();
        if (!has_all && !requests::under_way()) {
          has_all = true;
          peers::end();
        }
        return has_all && peers::ended();
      },
      [&] { return describe_wait(member, "MPI_Finalize", MPI_COMM_NULL); }, team::Woken::perhaps);
  if (detail::acts_outside.exchange(false, std::memory_order_relaxed)) team::detours::add();
  if (!has_detours()) team::detours::add();
#ifdef MPI_HELPER_PARTITIONED
  partitioned::stop();
#endif
}

void act_outside() noexcept {
  const bool has_acted = detail::acts_outside.exchange(true, std::memory_order_seq_cst);
  peers::expect_rts();
  if (peers::announce()) shm_stream::look();
  if (!has_acted) team::detours::remove();
}

std::size_t arena_share(std::size_t bytes) noexcept {
  return shm_stream::area(bytes);
}

std::size_t arena_at_once(std::size_t processes) noexcept {
  return shm_stream::counters(processes);
}

void rescue() noexcept {
  if (requests::any()) requests::rescue_all();
}

void settle(team::Member& member) {
  if (ranks::threads_take_turns() || !requests::own_under_way()) return;
  member.lend_until(
      [&] {
        requests::advance_one(member);
        return !requests::own_under_way();
      },
      [&] { return describe_wait(member, "MPI_Helper_leave", MPI_COMM_NULL); }, team::Woken::perhaps);
}

} // namespace helper::message

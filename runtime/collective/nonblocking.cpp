// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/nonblocking.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "collective/nonblocking_operation.hpp"
#include "lifetime/never_destroyed.hpp"
#include "ranks/mpi_error.hpp"
#include "shm/peer_memory.hpp"
#include "shm/posts.hpp"
#include "team/detours.hpp"

namespace helper::collective {

namespace {

using shm::Posts;

/// The operations of the process that have not finished.
struct Begun {
  std::mutex mutex; // guards the list
  std::vector<std::shared_ptr<CollectiveOperation>> all;
};
constexpr auto& all_begun = lifetime::sole<Begun>;

// The number of operations that have not taken all contributions yet. It is incremented before idle members
// are rung, so a member that reads it too early is rung and reads it again. Relaxed.
constinit std::atomic<int> untaken{0};

/// Forgets operations that have finished. The caller holds the mutex.
void erase_over() noexcept {
  std::erase_if(all_begun().all, [](const auto& operation) { return operation->is_over(); });
}

/// Throws PeerGaveUp if a rank has failed, and so would neither post to the next operation nor read in it.
void check_peers(const Posts& posts, MPI_Comm comm) {
  const std::uint64_t next = posts.newest() + 1;
  for (int rank = 0; rank < posts.ranks(); ++rank) {
    if (posts.has_left(rank, next)) throw ranks::PeerGaveUp(comm, rank);
  }
}

} // namespace

void begun::add(const std::shared_ptr<CollectiveOperation>& operation) {
  const std::lock_guard lock(all_begun().mutex);
  erase_over();
  all_begun().all.reserve(all_begun().all.size() + 1);
  operation->post();
  all_begun().all.push_back(operation);
  untaken.fetch_add(1, std::memory_order_relaxed);
  team::detours::add(); // so that tests of requests advance the operation
}

void begun::note_taken() noexcept {
  untaken.fetch_sub(1, std::memory_order_relaxed);
  team::detours::remove();
}

bool begun::are_pending() noexcept {
  return untaken.load(std::memory_order_relaxed) != 0 || shm::peer_memory::is_refused();
}

bool begun::advance(team::Member& member) noexcept {
  const bool answers = shm::peer_memory::is_refused();
  if (untaken.load(std::memory_order_relaxed) == 0 && !answers) return false;
  for (std::size_t next = 0;; ++next) {
    std::shared_ptr<CollectiveOperation> operation;
    {
      const std::lock_guard lock(all_begun().mutex);
      if (next >= all_begun().all.size()) return false;
      operation = all_begun().all[next];
    }
    if ((answers && operation->answer()) || operation->work(member)) return true;
  }
}

bool carries(const team::Member& member, const Shadow& shadow, Operation operation, std::size_t bytes) {
  if (bytes == 0) return member.decline(reason::arguments), false;
  if (select(operation, situation(shadow, bytes)) != Algorithm::native) return true;
  return member.decline(reason::selection), false;
}

const Shadow* find_shadow(team::Member& member, MPI_Comm comm, const Making& making) {
  if (comm == MPI_COMM_NULL || making.request == nullptr) return member.decline(reason::arguments), nullptr;
  const Shadow* const shadow = making.persistent != nullptr ? Shadow::of(comm, member) : Shadow::find(comm);
  if (shadow == nullptr) member.decline(reason::shadow);
  return shadow;
}

std::optional<int> make(team::Member& member, const Shadow& shadow, Participation&& participation,
                        const Making& making) {
  if (making.persistent != nullptr) return make_persistent(member, shadow, std::move(participation), making);
  const std::shared_ptr<shm::CommControl> control = shadow.shared_control();
  if (!control->posts().agree_on_next()) return member.decline(reason::refused);
  MPI_Request request = MPI_REQUEST_NULL;
  begin(member, {control, &control->posts()}, shadow.user(), std::move(participation), request);
  *making.request = request;
  return MPI_SUCCESS;
}

void begin(team::Member& member, std::shared_ptr<Posts> posts, MPI_Comm comm, Participation&& participation,
           MPI_Request& request) {
  check_peers(*posts, comm);
  const auto made =
      std::make_shared<CollectiveOperation>(member, std::move(posts), comm, std::move(participation));
  made->begin(made, request);
  message::requests::track(request, made);
  member.team().ring_for_progress();
  record(member, Algorithm::cma);
}

void forget_over() noexcept {
  const std::lock_guard lock(all_begun().mutex);
  erase_over();
}

void stop_nonblocking() noexcept {
  const std::lock_guard lock(all_begun().mutex);
  all_begun().all.clear();
  message::persistent::forget_all();
}

} // namespace helper::collective

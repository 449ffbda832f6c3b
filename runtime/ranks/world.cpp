// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "ranks/world.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "native/attribute.hpp"
#include "native/predefined.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::ranks::world {

namespace {

// make() and free() write these three while no other thread communicates with other processes. Threads that
// communicate only within this process may read for_messages then. So make() writes it last, with release.
std::atomic<MPI_Comm> for_messages{MPI_COMM_NULL};
MPI_Comm for_operations = MPI_COMM_NULL;
MPI_Group all = MPI_GROUP_NULL; // the processes of both communicators

// The result of takes_more(). Relaxed: a thread that uses a session has synchronised with its opening.
std::atomic<bool> more{true};

constinit native::Attribute<RankMap> translated;

/// Returns the ranks in MPI_COMM_WORLD of the group of `comm`; of the remote group if `comm` has one.
RankMap translate(MPI_Comm comm) {
  int is_inter = 0;
  int size = 0;
  MPI_Group peers = MPI_GROUP_NULL;
  PMPI_Comm_test_inter(comm, &is_inter);
  check(is_inter != 0 ? PMPI_Comm_remote_group(comm, &peers) : PMPI_Comm_group(comm, &peers));
  PMPI_Group_size(peers, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::vector<int> ranks(own.size());
  std::iota(own.begin(), own.end(), 0);
  PMPI_Group_translate_ranks(peers, size, own.data(), all, ranks.data());
  PMPI_Group_free(&peers);
  return RankMap(std::move(ranks));
}

const RankMap& ranks_of(MPI_Comm comm) {
  static thread_local constinit native::Attribute<RankMap>::Last<const RankMap*> last;
  if (translated.holds(last, comm)) return *last.what;
  const std::uint64_t epoch = translated.epoch();

  static std::mutex mutex; // so that of two threads only one makes an attribute
  const std::lock_guard lock(mutex);
  RankMap* found = nullptr;
  check(translated.get(comm, found));
  if (found == nullptr) {
    auto made = std::make_unique<RankMap>(translate(comm));
    found = made.get();
    check(translated.set(comm, made));
  }
  last = {comm, epoch, found};
  return *found;
}

} // namespace

void make(MPI_Comm messages, MPI_Comm operations) {
  for_operations = operations;
  PMPI_Comm_group(messages, &all);
  for_messages.store(messages, std::memory_order_release); // pairs with comm()
}

void free() {
  MPI_Comm messages = for_messages.exchange(MPI_COMM_NULL);
  if (messages == MPI_COMM_NULL) return;
  // MPI may refuse to free a communicator on which a failed operation has left messages. These objects keep
  // it from calling a handler, which would end the program (quirk cannot_free_with_messages).
  std::optional<ErrorsReturned> by_world, by_self;
  if (native::are_predefined()) by_world.emplace(MPI_COMM_WORLD), by_self.emplace(MPI_COMM_SELF);
  PMPI_Comm_free(&messages);
  if (for_operations != MPI_COMM_NULL) PMPI_Comm_free(&for_operations);
  PMPI_Group_free(&all);
}

MPI_Comm comm() noexcept {
  return for_messages.load(std::memory_order_acquire); // pairs with make()
}

MPI_Comm operations() noexcept {
  return for_operations;
}

bool takes_more() noexcept {
  return more.load(std::memory_order_relaxed);
}

void take_more(bool whether) noexcept {
  more.store(whether, std::memory_order_relaxed);
}

int own_rank() noexcept {
  int rank = 0;
  const MPI_Comm own = comm();
  if (own != MPI_COMM_NULL || native::are_predefined())
    PMPI_Comm_rank(own != MPI_COMM_NULL ? own : MPI_COMM_WORLD, &rank);
  return rank;
}

// Asks MPI_COMM_WORLD, if it exists: quirk largest_tag_of_world.
int largest_tag(MPI_Comm comm) noexcept {
  int* largest = nullptr;
  int is_set = 0;
  PMPI_Comm_get_attr(native::are_predefined() ? MPI_COMM_WORLD : comm, MPI_TAG_UB,
                     static_cast<void*>(&largest), &is_set);
  constexpr int least = 32767; // which MPI guarantees
  return is_set != 0 ? *largest : least;
}

int rank(MPI_Comm comm, int rank) {
  if (world::comm() == MPI_COMM_NULL) return MPI_UNDEFINED;
  const RankMap& ranks = ranks_of(comm);
  return rank >= 0 && rank < ranks.size() ? ranks[rank] : MPI_UNDEFINED;
}

RankMap ranks(MPI_Comm comm) {
  if (world::comm() != MPI_COMM_NULL) return ranks_of(comm);
  return RankMap(std::vector<int>(static_cast<std::size_t>(size_of(comm)), MPI_UNDEFINED));
}

} // namespace helper::ranks::world

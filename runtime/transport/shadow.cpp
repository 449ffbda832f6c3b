// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "transport/shadow.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>

#include "transport/arena.hpp"
#include "transport/mpi_error.hpp"

namespace helper::transport {

namespace {

// MPICH has some 2,000 communicators. Shadows take no more than a share of them, so that a program that fits
// without the library fits with it, unless it was within this number of the limit.
constexpr long most_shadows = 256;

// Shadows that are alive in this process. A hint for the agreement; orders nothing.
std::atomic<long> shadows{0};
// How many shadows have been freed.
std::atomic<std::uint64_t> freed{0};
// Set before the first shadow is made, by the thread that called MPI_Init; orders nothing.
std::atomic<std::size_t> offered_chunk{std::size_t{512} * 1024};

/// For calls on the user's communicator, whose error handler MPI has called.
void check(int code) {
  if (code != MPI_SUCCESS) throw MpiError(MPI_COMM_NULL, code);
}

/// The parts of the arena that the ranks of `user` have; empty if any has none, or is on another node.
std::vector<const std::byte*> arena_parts(MPI_Comm user, int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world_ranks(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  check(PMPI_Comm_group(user, &group));
  check(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  check(PMPI_Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data()));
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  std::vector<const std::byte*> parts;
  for (const int rank : world_ranks) parts.push_back(arena::part(rank));
  if (std::ranges::count(parts, nullptr) != 0) parts.clear();
  return parts;
}

/// Errors on `comm` are returned while this lives: what fails here is not the user's call.
class ErrorsReturned {
public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm, &before_);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// A communicator of the processes of `user` in their order, or MPI_COMM_NULL where none could be made.
MPI_Comm bare_copy(MPI_Comm user) {
  const ErrorsReturned returned(user);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  if (const int code = PMPI_Comm_group(user, &group); code != MPI_SUCCESS) throw MpiError(user, code);
  const int code = PMPI_Comm_create(user, group, &copy); // unlike Comm_dup, calls no attribute copy functions
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

} // namespace

void offer_chunk(std::size_t bytes) noexcept {
  offered_chunk.store(bytes, std::memory_order_relaxed);
}

const Shadow* Shadow::of(MPI_Comm user, team::Member& member) {
  // The last answer is good as long as no shadow has been freed: then neither has its communicator, whose
  // handle might name another by now. Acquire, pairs with the release in free_attribute.
  struct Answer {
    MPI_Comm user = MPI_COMM_NULL;
    const Shadow* shadow = nullptr;
    std::uint64_t freed = 0;
  };
  static thread_local constinit Answer last;
  const std::uint64_t freed_so_far = freed.load(std::memory_order_acquire);
  if (last.user == user && last.freed == freed_so_far) return last.shadow;

  void* found = nullptr;
  int is_set = 0;
  check(PMPI_Comm_get_attr(user, keyval(), &found, &is_set));
  if (is_set == 0) {
    found = new Shadow(user, member);
    check(PMPI_Comm_set_attr(user, keyval(), found));
  }
  const auto* shadow = static_cast<const Shadow*>(found);
  last = {user, shadow->comm_ == MPI_COMM_NULL ? nullptr : shadow, freed_so_far};
  return last.shadow;
}

Shadow::Shadow(MPI_Comm user, team::Member& member) : user_(user) {
  int is_inter = 0;
  check(PMPI_Comm_test_inter(user, &is_inter));
  if (is_inter != 0) return;
  check(PMPI_Comm_rank(user, &rank_));
  check(PMPI_Comm_size(user, &size_));

  parts_ = arena_parts(user, size_);
  enum { may_make, chunk_bytes, shares, fields };
  std::array<long, fields> agreed{shadows.load(std::memory_order_relaxed) < most_shadows ? 1 : 0,
                                  static_cast<long>(offered_chunk.load(std::memory_order_relaxed)),
                                  parts_.empty() ? 0 : 1};
  MPI_Request agreement = MPI_REQUEST_NULL;
  check(PMPI_Iallreduce(MPI_IN_PLACE, agreed.data(), fields, MPI_LONG, MPI_MIN, user, &agreement));
  member.lend_until(
      [&] {
        int done = 0;
        check(PMPI_Test(&agreement, &done, MPI_STATUS_IGNORE));
        return done != 0;
      },
      [] { return std::string("waits for the other ranks at the first team collective on a communicator"); });
  // From here on all ranks are there, and what still blocks does not for long.
  if (agreed[shares] == 0) parts_.clear();
  if (agreed[may_make] == 0) return;
  chunk_ = static_cast<std::size_t>(agreed[chunk_bytes]);
  comm_ = bare_copy(user);
  if (comm_ != MPI_COMM_NULL) shadows.fetch_add(1, std::memory_order_relaxed);
}

Shadow::~Shadow() {
  if (comm_ == MPI_COMM_NULL) return;
  PMPI_Comm_free(&comm_);
  shadows.fetch_sub(1, std::memory_order_relaxed);
}

int Shadow::keyval() {
  static const int value = [] {
    int created = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_attribute, &created, nullptr);
    return created;
  }();
  return value;
}

int Shadow::free_attribute(MPI_Comm, int, void* shadow, void*) {
  delete static_cast<Shadow*>(shadow);
  freed.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

void Shadow::free_predefined() {
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) PMPI_Comm_delete_attr(comm, keyval());
}

} // namespace helper::transport

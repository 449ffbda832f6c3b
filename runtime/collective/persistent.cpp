// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A persistent collective is a non-blocking operation that begins when its request is started. Ranks may
// start the operations of a communicator in different orders, so each operation has its own posts. Ranks
// agree on them in the call that makes the operation, such as MPI_Allreduce_init, which may wait for others.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/nonblocking.hpp"
#include "collective/reduction.hpp"
#include "message/requests.hpp"
#include "ranks/mpi_error.hpp"
#include "team/registry.hpp"

namespace helper::collective {

namespace {

using shm::ControlBlock;
using shm::Posts;

class PersistentCollective final : public message::persistent::PersistentOperation {
public:
  explicit PersistentCollective(Participation&& participation) : what_(std::move(participation)) {}

  void set_posts(std::shared_ptr<Posts> posts) noexcept { posts_ = std::move(posts); }

  std::optional<int> start(team::Member& member, MPI_Request& request) const override {
    if (message::requests::find(&request) != nullptr) // it is already active, which MPI does not know
      throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_REQUEST);
    try {
      return ranks::charged_to(ranks::unnamed_comm(), [&]() -> std::optional<int> {
        // Outside phases the operation is native at all ranks.
        if (&member == &team::alone()) return std::nullopt;
        if (posts_->is_closed()) return member.decline(reason::shadow);
        if (!posts_->agree_on_next()) return member.decline(reason::refused);
        begin(member, posts_, ranks::unnamed_comm(), Participation(what_), request);
        return MPI_SUCCESS;
      });
    } catch (const ranks::PeerGaveUp&) {
      posts_->close();
      throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_OTHER);
    } catch (...) {
      posts_->close();
      throw;
    }
  }
  bool is_collective() const noexcept override { return true; }

private:
  Participation what_; // its datatypes are predefined, so the program cannot free them
  std::shared_ptr<Posts> posts_;
};

} // namespace

std::optional<int> make_persistent(team::Member& member, const Shadow& shadow, Participation&& participation,
                                   const Making& making) {
  participation.name = making.name;
  const auto made = std::make_shared<PersistentCollective>(std::move(participation));
  forget_over(); // so that finished operations give their posts back
  // By index: 1 if these posts of this rank are free, otherwise 0. Last: minus the newest number, so that the
  // minimum over all ranks gives the greatest number.
  std::array<long, ControlBlock::most_persistent + 1> free{};
  for (int index = 0; index < ControlBlock::most_persistent; ++index)
    free[static_cast<std::size_t>(index)] = shadow.control()->has_free_posts(index) ? 1 : 0;
  free.back() = -static_cast<long>(shadow.control()->newest_persistent());
  const auto reduction = Reduction::of(making.name, member, MPI_LONG, MPI_MIN, shadow.user());
  if (!reduction) return std::nullopt; // one rank
  const Stream words(free.data(), sizeof free);
  allreduce_shm_linear(*reduction, words, words, 0);
  transport::operation::end(); // like for a blocking operation
  const auto first = static_cast<int>(std::find(free.begin(), free.end() - 1, 1) - free.begin());
  if (first == ControlBlock::most_persistent) return member.decline(reason::posts);
  made->set_posts(shm::CommControl::lease_posts(shadow.shared_control(), first,
                                                static_cast<std::uint64_t>(-free.back())));
  *making.persistent = made;
  record(member, Algorithm::cma);
  return MPI_SUCCESS;
}

} // namespace helper::collective

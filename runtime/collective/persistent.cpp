// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A persistent collective is the non-blocking one, begun whenever its request is started. Ranks may start
// those of a communicator in another order each, so that each has posts of its own. On these the ranks agree
// when they make the operation, in the same order all: they may wait for one another then.

#include <algorithm>
#include <array>
#include <climits>
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

using shm::Frame;
using shm::Posts;

class PersistentCollective final : public message::persistent::PersistentOperation {
public:
  explicit PersistentCollective(Participation&& participation) : what_(std::move(participation)) {}

  void set_posts(std::shared_ptr<Posts> posts) noexcept { posts_ = std::move(posts); }

  std::optional<int> start(team::Member& member, MPI_Request& request) const override;
  bool is_collective() const noexcept override { return true; }

private:
  Participation what_; // its datatypes are predefined
  std::shared_ptr<Posts> posts_;
};

std::optional<int> PersistentCollective::start(team::Member& member, MPI_Request& request) const {
  if (message::requests::find(&request) != nullptr) // MPI, which has not started it, would not see that
    throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_REQUEST);
  const auto fail = [&](int code) {
    posts_->close();
    throw ranks::MpiError(ranks::unnamed_comm(), code);
  };
  try {
    // Outside of phases no rank carries it.
    if (&member == &team::alone()) return std::nullopt;
    if (posts_->is_closed()) return member.decline(reason::shadow);
    if (!posts_->agree_on_next()) return member.decline(reason::refused);
    begin(member, posts_, ranks::unnamed_comm(), Participation(what_), request);
  } catch (const ranks::PeerGaveUp&) {
    fail(MPI_ERR_OTHER);
  } catch (const std::bad_alloc&) {
    fail(MPI_ERR_NO_MEM);
  } catch (...) {
    posts_->close();
    throw;
  }
  return MPI_SUCCESS;
}

/// The free words of a rank for a persistent operation: for each of its words in the window whether it is
/// free, and the complement of its present number. The ranks agree on the least.
struct FreePosts {
  std::array<long, Frame::most_persistent + 1> words{};

  explicit FreePosts(const shm::Window& window) {
    for (int index = 0; index < Frame::most_persistent; ++index)
      words[static_cast<std::size_t>(index)] = window.has_free_posts(index) ? 1 : 0;
    words.back() = -static_cast<long>(window.newest_persistent());
  }

  /// Returns the first that are free at all ranks, or Frame::most_persistent.
  int first() const noexcept {
    return static_cast<int>(std::find(words.begin(), words.end() - 1, 1) - words.begin());
  }
  std::uint64_t newest() const noexcept { return static_cast<std::uint64_t>(-words.back()); }
};

} // namespace

std::optional<int> make_persistent(team::Member& member, const Shadow& shadow, Participation&& participation,
                                   const Making& making) {
  participation.name = making.name;
  const auto made = std::make_shared<PersistentCollective>(std::move(participation));
  forget_over(); // so that their posts are free
  FreePosts free(*shadow.window());
  const auto reduction = Reduction::of(making.name, member, MPI_LONG, MPI_MIN, shadow.user());
  if (!reduction) return std::nullopt; // one rank
  const Stream words(free.words.data(), sizeof free.words);
  allreduce_shm_linear(*reduction, words, words, 0);
  transport::operation::end(); // as of an operation that blocks
  if (free.first() == Frame::most_persistent) return member.decline(reason::posts);
  made->set_posts(shm::Window::lease_posts(shadow.shared_window(), free.first(), free.newest()));
  *making.persistent = made;
  record(member, Algorithm::cma);
  return MPI_SUCCESS;
}

} // namespace helper::collective

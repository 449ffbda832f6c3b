// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/packed_copy.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "lifetime/never_destroyed.hpp"
#include "message/rendezvous.hpp"
#include "message/wait.hpp"
#include "pipeline/lane.hpp"
#include "ranks/arguments.hpp"
#include "ranks/world.hpp"

namespace helper::message {

std::shared_ptr<PackedCopy> PackedCopy::of(layout::Direction direction, std::size_t least, const void* base,
                                           MPI_Count count, MPI_Datatype type, MPI_Datatype otherwise) {
  if (count <= 0 || ranks::known_bytes(base, count, type) || !ranks::valid_data(base, count, type))
    return nullptr;
  auto layout = layout::Layout::of(type, base);
  if (layout == nullptr || layout->functions() || layout->contiguous() || !is_scattered(*layout) ||
      (direction == layout::Direction::unpack && layout->head_overlaps()))
    return nullptr;
  std::size_t size = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(count), layout->size(), &size) || size < least)
    return nullptr;
  try {
    std::shared_ptr<PackedCopy> copy(
        new PackedCopy(layout::PackedData(base, count, std::move(layout)), direction));
    auto reservation = deferred::Reservation::of(size);
    if (!reservation || !copy->find_type(otherwise)) return nullptr;
    copy->reservation_ = std::move(*reservation);
    copy->memory_ = std::make_unique_for_overwrite<std::byte[]>(size);
    return copy;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void PackedCopy::load(team::Member& member, bool may_read_less) const noexcept {
  member.carried_by("contiguous copy");
  if (is_read() && !may_read_less) return;
  pipeline::pack_all(member, elements_, data());
}

/// Sets type and count of the copy: the basic type, or else `otherwise`. Returns false if that is null.
bool PackedCopy::find_type(MPI_Datatype otherwise) {
  const MPI_Datatype basic = elements_.layout().basic();
  MPI_Count size = 0, lower_bound = 0, extent = 0;
  if (basic != MPI_DATATYPE_NULL) {
    PMPI_Type_size_x(basic, &size);
    PMPI_Type_get_extent_x(basic, &lower_bound, &extent);
  }
  const bool is_dense = size > 0 && lower_bound == 0 && extent == size; // not a pair with a gap
  type_ = is_dense ? basic : otherwise;
  count_ = static_cast<int>(elements_.size() / (is_dense ? static_cast<std::size_t>(size) : 1));
  return type_ != MPI_DATATYPE_NULL;
}

void PackedCopy::store(team::Member& member, MPI_Count bytes) noexcept {
  if (!is_read()) return;
  const std::lock_guard lock(storing_);
  if (std::exchange(is_stored_, true) || bytes <= 0) return;
  pipeline::unpack_first(member, elements_, std::min(size(), static_cast<std::size_t>(bytes)), data());
}

namespace copies {

namespace {

constinit std::mutex mutex; // guards all() and kept
constinit std::uint64_t kept = 0;
constexpr auto& all = lifetime::sole<std::list<InUse>>;

/// Removes the copies for which `is_one(copy)` is true. The caller holds the mutex.
template <class IsOne>
std::list<InUse> remove(const IsOne& is_one) noexcept {
  std::list<InUse> removed;
  for (auto next = all().begin(); next != all().end();) {
    const auto at = next++;
    if (is_one(*at)) removed.splice(removed.end(), all(), at);
  }
  in_use.store(all().size(), std::memory_order_relaxed);
  return removed;
}

} // namespace

void keep(std::list<InUse>& one) noexcept {
  const std::lock_guard lock(mutex);
  one.front().number = ++kept;
  all().splice(all().end(), one);
  in_use.store(all().size(), std::memory_order_relaxed);
}

std::list<InUse> take(std::uint64_t owner, const PackedCopy* only) noexcept {
  const std::lock_guard lock(mutex);
  return remove([&](const InUse& each) { return each.owner == owner && (!only || each.copy.get() == only); });
}

std::uint64_t newest() noexcept {
  const std::lock_guard lock(mutex);
  return kept;
}

void complete(team::Member& member, std::uint64_t owner, std::optional<int> target,
              std::uint64_t last) noexcept {
  const auto is_done = [&](const InUse& each) {
    return each.owner == owner && (!target || each.target == *target) && each.number <= last;
  };
  for (;;) {
    std::shared_ptr<PackedCopy> copy;
    {
      const std::lock_guard lock(mutex);
      const auto found = std::ranges::find_if(all(), is_done);
      if (found == all().end()) return;
      copy = found->copy;
    }
    copy->store(member); // or waits for another thread that unpacks it
    take(owner, copy.get());
  }
}

} // namespace copies

int CopyOperation::start(Store store, std::size_t bytes, MPI_Request& request) {
  const auto made = std::make_shared<CopyOperation>(std::move(store), bytes);
  const int code = PMPI_Start(&request);
  if (code != MPI_SUCCESS) return code;
  made->native_ = request;
  requests::track(request, made);
  return code;
}

bool CopyOperation::step(team::Member& member) noexcept {
  const ErrorsReturn errors(ranks::world::comm()); // any thread may be here, and must report no error
  const auto test = [&](int* done) {
    const int code = PMPI_Test(&native_, done, &status_);
    if (code != MPI_SUCCESS) code_.is_own = errors.is_set();
    return code;
  };
  if (!ranks::over_by(test, native_, code_.code)) return false;
  if (code_.code == MPI_SUCCESS) {
    code_.code = store_(member, status_);
    code_.is_own = code_.code != MPI_SUCCESS;
  }
  if (stand_in_.request() != MPI_REQUEST_NULL) stand_in_.complete();
  set_complete();
  return true;
}

Code CopyOperation::result(MPI_Status& status) {
  status = status_;
  return code_;
}

Code CopyOperation::finish(MPI_Request& request, MPI_Status& status) {
  if (stand_in_.request() != MPI_REQUEST_NULL) PMPI_Wait(&request, MPI_STATUS_IGNORE);
  return result(status);
}

} // namespace helper::message

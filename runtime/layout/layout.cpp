// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/layout.hpp"

#include "layout/decode.hpp"
#include "lifetime/never_destroyed.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace helper::layout {
namespace {

using Pointer = std::shared_ptr<const Layout>;

// How many layouts have been dropped with their types. What is remembered of a handle is good as long as
// there are no more: then it still names the same type.
constinit std::atomic<std::uint64_t> dropped{0};

// The types that have a layout as an attribute. Never locked across calls of MPI, which may hold locks when
// it drops one.
class Types {
public:
  void insert(MPI_Datatype type) {
    const std::lock_guard lock(mutex_);
    all_.insert(type);
  }
  void erase(MPI_Datatype type) {
    const std::lock_guard lock(mutex_);
    all_.erase(type);
  }
  bool contains(MPI_Datatype type) {
    const std::lock_guard lock(mutex_);
    return all_.contains(type);
  }

private:
  std::mutex mutex_;
  std::unordered_set<MPI_Datatype> all_;
};

Types& types() {
  static lifetime::NeverDestroyed<Types> all; // types may be freed until the process ends
  return *all;
}

int drop(MPI_Datatype type, int, void* layout, void*) {
  delete static_cast<Pointer*>(layout);
  types().erase(type);
  dropped.fetch_add(1, std::memory_order_release); // pairs with of() and was_last()
  return MPI_SUCCESS;
}

// Not copied by MPI_Type_dup: the duplicate is decoded when it is used.
int keyval() {
  static const int value = [] {
    int created = MPI_KEYVAL_INVALID;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop, &created, nullptr);
    return created;
  }();
  return value;
}

// nullptr if there is none.
const Pointer* find(MPI_Datatype type) {
  Pointer* kept = nullptr;
  int is_set = 0;
  const int code = PMPI_Type_get_attr(type, keyval(), static_cast<void*>(&kept), &is_set);
  return code == MPI_SUCCESS && is_set != 0 ? kept : nullptr;
}

// Whether it is kept.
bool keep(MPI_Datatype type, const Pointer& layout) {
  auto kept = std::make_unique<Pointer>(layout);
  types().insert(type);
  if (PMPI_Type_set_attr(type, keyval(), kept.get()) != MPI_SUCCESS) {
    types().erase(type);
    return false;
  }
  static_cast<void>(kept.release());
  return true;
}

// The last answer of a thread.
struct Answer {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Pointer layout;
  std::uint64_t dropped = 0;
};
thread_local Answer last;

} // namespace

Layout::Layout(MPI_Datatype type) : size_(0), lower_bound_(0), extent_(0), mean_run_(0), head_(0) {
  const Bounds of_type = bounds(type);
  lower_bound_ = of_type.lower;
  extent_ = of_type.extent;
  const Placed element = settled(decode(type));
  size_ = element.piece.size;
  constexpr std::size_t longest = std::numeric_limits<std::ptrdiff_t>::max();
  if (size_ == 0) return;
  elements_ = loop(longest / size_, extent_, element);
  mean_run_ = elements_.piece.size / count_runs(elements_.piece);
  head_ = layout::head(type, least_head);
}

bool Layout::was_last(MPI_Datatype type) noexcept {
  return last.type == type && type != MPI_DATATYPE_NULL &&
         last.dropped == dropped.load(std::memory_order_acquire);
}

std::shared_ptr<const Layout> Layout::of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return nullptr;
  if (was_last(type)) return last.layout;
  const std::uint64_t dropped_so_far = dropped.load(std::memory_order_acquire);
  auto [layout, is_kept] = look_up(type);
  last = {is_kept ? type : MPI_DATATYPE_NULL, layout, dropped_so_far};
  return layout;
}

// The layout, and whether it is kept; otherwise nobody will say when the type is freed.
std::pair<Pointer, bool> Layout::look_up(MPI_Datatype type) {
  // Nobody may replace an attribute between another's looking it up and copying it. Predefined types are
  // never freed, and what hangs on them at MPI_Finalize would leak, so they have a table.
  static std::mutex mutex;
  static std::unordered_map<MPI_Datatype, Pointer> of_predefined;
  const std::lock_guard lock(mutex);

  if (const auto found = of_predefined.find(type); found != of_predefined.end()) return {found->second, true};
  if (const Pointer* const kept = find(type)) return {*kept, true};

  Pointer layout;
  try {
    layout = Pointer(new Layout(type));
  } catch (const Undecodable&) {
    // Remembered as null.
  }
  if (predefined(type)) return {of_predefined.emplace(type, layout).first->second, true};
  const bool is_kept = keep(type, layout);
  return {std::move(layout), is_kept};
}

// MPI drops attributes when nothing uses the type any more. That may be in the middle of MPICH's progress,
// where MPICH lets other threads in while it calls what drops one. So the layout is dropped before.
int free_type(MPI_Datatype* type) {
  if (type != nullptr && types().contains(*type)) PMPI_Type_delete_attr(*type, keyval());
  return PMPI_Type_free(type);
}

} // namespace helper::layout

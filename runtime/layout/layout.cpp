// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/layout.hpp"

#include "device/device.hpp"
#include "layout/contents.hpp"
#include "layout/decode.hpp"
#include "layout/runs.hpp"
#include "lifetime/never_destroyed.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
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
struct Keyval {
  std::mutex mutex; // guards the value
  int value = MPI_KEYVAL_INVALID;
};
constinit Keyval of_layouts;

int keyval() {
  const std::lock_guard lock(of_layouts.mutex);
  if (of_layouts.value == MPI_KEYVAL_INVALID)
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop, &of_layouts.value, nullptr);
  return of_layouts.value;
}

// The layouts that types have. Those of predefined types, which are never freed, are in a table: what hangs
// on them at MPI_Finalize would leak. The others are attributes, which nobody may replace between another's
// looking one up and copying it.
class Kept {
public:
  std::optional<Pointer> find(MPI_Datatype type) {
    const std::lock_guard lock(mutex_);
    return look_up(type);
  }

  // Keeps a layout unless the type has got one meanwhile. Returns which it has, and whether that is kept.
  std::pair<Pointer, bool> keep(MPI_Datatype type, Pointer layout) {
    const bool is_predefined = predefined(type);
    const std::lock_guard lock(mutex_);
    if (auto found = look_up(type)) return {std::move(*found), true};
    if (is_predefined) return {of_predefined_.emplace(type, std::move(layout)).first->second, true};
    const bool is_kept = attach(type, layout);
    return {std::move(layout), is_kept};
  }

private:
  std::optional<Pointer> look_up(MPI_Datatype type) const {
    if (const auto found = of_predefined_.find(type); found != of_predefined_.end()) return found->second;
    Pointer* attached = nullptr;
    int is_set = 0;
    const int code = PMPI_Type_get_attr(type, keyval(), static_cast<void*>(&attached), &is_set);
    return code == MPI_SUCCESS && is_set != 0 ? std::optional(*attached) : std::nullopt;
  }

  static bool attach(MPI_Datatype type, const Pointer& layout) {
    auto attached = std::make_unique<Pointer>(layout);
    types().insert(type);
    if (PMPI_Type_set_attr(type, keyval(), attached.get()) != MPI_SUCCESS) {
      types().erase(type);
      return false;
    }
    static_cast<void>(attached.release());
    return true;
  }

  std::mutex mutex_;
  std::unordered_map<MPI_Datatype, Pointer> of_predefined_;
};

Kept& kept() {
  static auto* const all = new Kept; // never destroyed: types are used until the process ends
  return *all;
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
  Decoded decoded = layout::decode(type);
  lower_bound_ = decoded.lower_bound;
  extent_ = decoded.extent;
  size_ = decoded.form.piece.size;
  if (size_ == 0) return;
  constexpr std::size_t longest = std::numeric_limits<std::ptrdiff_t>::max();
  Forms forms;
  elements_ = forms.loop(longest / size_, extent_, forms.settled(std::move(decoded.form)));
  mean_run_ = elements_.piece.size / count_runs(elements_.piece);
  Head head;
  head.add(decoded.head, Head::enough);
  head_ = head.bytes();
}

void Layout::stop() {
  const std::lock_guard lock(of_layouts.mutex);
  if (of_layouts.value != MPI_KEYVAL_INVALID) PMPI_Type_free_keyval(&of_layouts.value);
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

bool Layout::is_on_device(const void* base) const noexcept {
  if (size_ == 0) return false;
  // What a type has at absolute addresses may be in several memories.
  if (base == MPI_BOTTOM && !contiguous()) return device::has_runtime();
  const Address first = moved(reinterpret_cast<Address>(base), first_byte());
  return device::holds(reinterpret_cast<const void*>(first));
}

// None for a type that cannot be decoded.
Pointer Layout::decoded(MPI_Datatype type) {
  try {
    return Pointer(new Layout(type));
  } catch (const Undecodable&) {
    return nullptr;
  }
}

// The layout, and whether it is kept; otherwise nobody will say when the type is freed. To decode may take
// long and is done without a lock: of threads that decode the same type at once, the first one's layout is
// kept.
std::pair<Pointer, bool> Layout::look_up(MPI_Datatype type) {
  if (auto found = kept().find(type)) return {std::move(*found), true};
  return kept().keep(type, decoded(type));
}

// MPI drops attributes when nothing uses the type any more. That may be in the middle of MPICH's progress,
// where MPICH lets other threads in while it calls what drops one. So the layout is dropped before.
int free_type(MPI_Datatype* type) {
  if (type != nullptr && types().contains(*type)) PMPI_Type_delete_attr(*type, keyval());
  return PMPI_Type_free(type);
}

} // namespace helper::layout

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/layout.hpp"

#include "layout/decode.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <unordered_map>

namespace helper::layout {
namespace {

using Pointer = std::shared_ptr<const Layout>;

// How many types with layouts have been freed.
std::atomic<std::uint64_t> dropped{0};

int drop(MPI_Datatype, int, void* attribute, void*) {
  delete static_cast<Pointer*>(attribute);
  dropped.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

// Not copied by MPI_Type_dup: the duplicate is decoded when it is used.
int create_keyval() {
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop, &keyval, nullptr);
  return keyval;
}

} // namespace

Layout::Layout(MPI_Datatype type) : size_(0), lower_bound_(0), extent_(0), mean_run_(0) {
  const Bounds of_type = bounds(type);
  lower_bound_ = of_type.lower;
  extent_ = of_type.extent;
  const Placed element = settled(decode(type));
  size_ = element.piece.size;
  constexpr std::size_t longest = std::numeric_limits<std::ptrdiff_t>::max();
  if (size_ == 0) return;
  elements_ = loop(longest / size_, extent_, element);
  mean_run_ = elements_.piece.size / count_runs(elements_.piece);
}

std::shared_ptr<const Layout> Layout::of(MPI_Datatype type) {
  // The last answer is good as long as no type has been freed, whose handle might name another by now.
  // Acquire, pairs with the release in drop.
  struct Answer {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Pointer layout;
    std::uint64_t dropped = 0;
  };
  static thread_local Answer last;
  const std::uint64_t dropped_so_far = dropped.load(std::memory_order_acquire);
  if (last.type != type || last.dropped != dropped_so_far) last = {type, look_up(type), dropped_so_far};
  return last.layout;
}

std::shared_ptr<const Layout> Layout::look_up(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return nullptr;

  // Nobody may replace an attribute between another's looking it up and copying it. Predefined types are
  // never freed, and what hangs on them at MPI_Finalize would leak, so they have a table.
  static std::mutex mutex;
  static std::unordered_map<MPI_Datatype, Pointer> of_predefined;
  static const int keyval = create_keyval();
  const std::lock_guard lock(mutex);

  if (const auto found = of_predefined.find(type); found != of_predefined.end()) return found->second;
  Pointer* attribute = nullptr;
  int present = 0;
  if (PMPI_Type_get_attr(type, keyval, static_cast<void*>(&attribute), &present) != MPI_SUCCESS)
    return nullptr;
  if (present) return *attribute;

  Pointer layout;
  try {
    layout = Pointer(new Layout(type));
  } catch (const Undecodable&) {
    // Remembered as null.
  }
  if (predefined(type)) {
    of_predefined.emplace(type, layout);
  } else {
    auto copy = std::make_unique<Pointer>(layout);
    if (PMPI_Type_set_attr(type, keyval, copy.get()) == MPI_SUCCESS) copy.release();
  }
  return layout;
}

} // namespace helper::layout

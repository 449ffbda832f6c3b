// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/layout.hpp"

#include "layout/decode.hpp"
#include "layout/type_attribute.hpp"

#include <cstdint>
#include <limits>
#include <mutex>
#include <unordered_map>

namespace helper::layout {
namespace {

using Pointer = std::shared_ptr<const Layout>;
using Kept = TypeAttribute<Pointer>;

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
  struct Answer {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Pointer layout;
    std::uint64_t dropped = 0;
  };
  static thread_local Answer last;
  const std::uint64_t dropped_so_far = Kept::dropped();
  if (last.type != type || last.dropped != dropped_so_far) last = {type, look_up(type), dropped_so_far};
  return last.layout;
}

void Layout::forget(MPI_Datatype type) {
  Kept::forget(type);
}

std::shared_ptr<const Layout> Layout::look_up(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return nullptr;

  // Nobody may replace an attribute between another's looking it up and copying it. Predefined types are
  // never freed, and what hangs on them at MPI_Finalize would leak, so they have a table.
  static std::mutex mutex;
  static std::unordered_map<MPI_Datatype, Pointer> of_predefined;
  const std::lock_guard lock(mutex);

  if (const auto found = of_predefined.find(type); found != of_predefined.end()) return found->second;
  if (const Pointer* const kept = Kept::find(type)) return *kept;

  Pointer layout;
  try {
    layout = Pointer(new Layout(type));
  } catch (const Undecodable&) {
    // Remembered as null.
  }
  if (predefined(type)) {
    of_predefined.emplace(type, layout);
  } else {
    Kept::keep(type, layout);
  }
  return layout;
}

} // namespace helper::layout

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/layout.hpp"

#include "layout/copy.hpp"
#include "layout/decode.hpp"
#include "lifetime/never_destroyed.hpp"
#include "lifetime/of_thread.hpp"
#include "native/attribute.hpp"
#include "native/large_counts.hpp"

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace helper::layout {
namespace {

using Pointer = std::shared_ptr<const Layout>;

// The types with a layout as an attribute. The mutex is free during calls of MPI, which may run ~Attached().
struct Types {
  std::mutex mutex;                                      // guards the rest
  std::unordered_map<MPI_Datatype, bool> have_functions; // for each type: whether functions pack it

  template <class Use>
  auto with(const Use& use) {
    const std::lock_guard lock(mutex);
    return use(*this);
  }
};

constexpr auto& types = lifetime::sole<Types>; // types may be freed until the process ends

// The attribute of a type.
struct Attached {
  Attached(MPI_Datatype of, Pointer its) : layout(std::move(its)), type(of) {
    types().with([&](Types& known) { known.have_functions[of] = layout != nullptr && layout->functions(); });
  }
  ~Attached() {
    types().with([this](Types& known) { known.have_functions.erase(type); });
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  const Pointer layout;
  const MPI_Datatype type;
};

using Attribute = native::Attribute<Attached, native::Datatypes>;
constinit Attribute layouts;

// The layouts of types, each an attribute of its type. Layouts of predefined types, whose attributes would
// leak, are in a table. With the mutex, no thread can replace an attribute while another copies it.
class KeptLayouts {
public:
  std::optional<Pointer> find(MPI_Datatype type) {
    const std::lock_guard lock(mutex_);
    return look_up(type);
  }

  // Stores the layout unless the type has one by now. Returns the type's layout, and whether it is stored.
  std::pair<Pointer, bool> keep(MPI_Datatype type, Pointer layout) {
    const bool is_predefined = predefined(type);
    const std::lock_guard lock(mutex_);
    if (auto found = look_up(type)) return {std::move(*found), true};
    if (is_predefined) return {of_predefined_.emplace(type, std::move(layout)).first->second, true};
    auto attached = std::make_unique<Attached>(type, layout);
    return {std::move(layout), layouts.set(type, attached) == MPI_SUCCESS};
  }

private:
  std::optional<Pointer> look_up(MPI_Datatype type) const {
    if (const auto found = of_predefined_.find(type); found != of_predefined_.end()) return found->second;
    Attached* attached = nullptr;
    const bool is_set = layouts.get(type, attached) == MPI_SUCCESS && attached != nullptr;
    return is_set ? std::optional(attached->layout) : std::nullopt;
  }

  std::mutex mutex_;
  std::unordered_map<MPI_Datatype, Pointer> of_predefined_;
};

constexpr auto& kept = lifetime::sole<KeptLayouts>;

constexpr auto& last_answer = lifetime::of_thread<Attribute::Last<Pointer>>; // of the calling thread

} // namespace

Layout::Layout(MPI_Datatype type) {
  Decoded decoded = layout::decode(type);
  size_ = decoded.form.piece.size;
  basic_ = decoded.basic;
  if (size_ == 0) return;
  constexpr std::size_t longest = std::numeric_limits<std::ptrdiff_t>::max();
  Forms forms;
  elements_ = forms.loop(longest / size_, decoded.extent, forms.settled(std::move(decoded.form)));
  mean_run_ = elements_.piece.size / count_runs(elements_.piece);
  Head head;
  head.add(decoded.head, Head::enough);
  head_ = head.bytes();
  head_overlaps_ = overlaps(elements_, most_head);
}

Layout::Layout(MPI_Count bytes, const Functions& functions)
    : size_(static_cast<std::size_t>(bytes)), mean_run_(1), head_(least_head), basic_(MPI_BYTE),
      functions_(functions) {}

int Layout::make_type(MPI_Count bytes, const Functions& functions, MPI_Datatype* type) {
  Pointer layout(new Layout(bytes, functions));
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (const int code = PMPI_Type_contiguous_c(bytes, MPI_BYTE, &made); code != MPI_SUCCESS) return code;
  if (!kept().keep(made, std::move(layout)).second) {
    PMPI_Type_free(&made);
    return MPI_ERR_INTERN;
  }
  detail::any_functions.store(true, std::memory_order_relaxed);
  *type = made;
  return MPI_SUCCESS;
}

bool detail::find_functions(MPI_Datatype type) {
  return types().with([type](const Types& known) {
    const auto found = known.have_functions.find(type);
    return found != known.have_functions.end() && found->second;
  });
}

const Layout* Layout::last(MPI_Datatype type) noexcept {
  const auto* const last = last_answer();
  if (last == nullptr || !layouts.holds(*last, type) || last->what == nullptr) return nullptr;
  return last->what->basic() == type ? nullptr : last->what.get();
}

std::shared_ptr<const Layout> Layout::of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return nullptr;
  auto* const last = last_answer();
  if (last != nullptr && layouts.holds(*last, type)) return last->what;
  const std::uint64_t epoch = layouts.epoch();
  auto [layout, is_kept] = look_up(type);
  if (is_kept && last != nullptr) *last = {type, epoch, layout};
  return layout;
}

bool Layout::is_on_device(const void* base) const noexcept {
  if (size_ == 0 || functions_) return false;
  // Data at absolute addresses may be in several memories.
  if (base == MPI_BOTTOM && !contiguous()) return device::has_runtime();
  const Address first = moved(reinterpret_cast<Address>(base), first_byte());
  return device::holds(reinterpret_cast<const void*>(first));
}

// Returns the layout, and whether it is stored. If not, the library does not notice when the type is freed.
// Decoding may take long and holds no lock. If several threads decode a type, the first layout is stored.
std::pair<Pointer, bool> Layout::look_up(MPI_Datatype type) {
  if (auto found = kept().find(type)) return {std::move(*found), true};
  Pointer decoded; // null for a type that cannot be decoded
  try {
    decoded.reset(new Layout(type));
  } catch (const Undecodable&) {
  }
  return kept().keep(type, std::move(decoded));
}

// MPI deletes attributes when nothing uses the type any more, perhaps within MPI's progress, which other
// threads may enter meanwhile. So this function deletes the layout first: quirk drops_attributes_in_progress.
int free_type(MPI_Datatype* type) {
  const auto has_layout = [type](const Types& known) { return known.have_functions.contains(*type); };
  if (type != nullptr && types().with(has_layout)) layouts.reset(*type);
  return PMPI_Type_free(type);
}

} // namespace helper::layout

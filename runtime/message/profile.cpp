// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/profile.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "layout/decode.hpp"
#include "layout/type_attribute.hpp"
#include "message/announcement.hpp"
#include "native/large_counts.hpp"
#include "transport/arguments.hpp"

namespace helper::message {

namespace {

using Kept = layout::TypeAttribute<Profile>;

std::size_t size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  return static_cast<std::size_t>(bytes);
}

/// Some equal elements that a datatype is made of.
struct Part {
  MPI_Datatype type;
  std::size_t count;
};

/// What a datatype is made of, in the order of its packed bytes.
class Parts {
public:
  explicit Parts(MPI_Datatype type) {
    MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
    int combiner = 0;
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
    std::vector<int> all_integers(static_cast<std::size_t>(integers));
    std::vector<MPI_Aint> all_addresses(static_cast<std::size_t>(addresses));
    std::vector<MPI_Count> all_counts(static_cast<std::size_t>(counts));
    types_.resize(static_cast<std::size_t>(types));
    PMPI_Type_get_contents_c(type, integers, addresses, counts, types, all_integers.data(),
                             all_addresses.data(), all_counts.data(), types_.data());
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const std::size_t size = size_of(types_[i]);
      if (size == 0) continue;
      const bool is_struct = combiner == MPI_COMBINER_STRUCT; // whose lengths follow their number
      const std::size_t count = !is_struct           ? size_of(type) / size
                                : all_counts.empty() ? static_cast<std::size_t>(all_integers[i + 1])
                                                     : static_cast<std::size_t>(all_counts[i + 1]);
      parts_.push_back({types_[i], count});
    }
  }
  ~Parts() {
    for (MPI_Datatype& type : types_)
      if (!layout::predefined(type)) PMPI_Type_free(&type);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }

private:
  std::vector<MPI_Datatype> types_; // those that are named must be freed
  std::vector<Part> parts_;
};

/// Whether elements of a predefined type arrive as the bytes that were sent: MPICH may move long doubles
/// without their padding.
bool keeps_bytes(MPI_Datatype type) {
  static const std::array padded{MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
                                 MPI_LONG_DOUBLE_INT};
  return std::ranges::count(padded, type) == 0;
}

/// Adds to `bytes` the sizes of the basic elements of `part` until it is long enough for an announcement;
/// false if one of them does not keep its bytes.
bool pass(const Part& part, std::size_t& bytes) {
  if (layout::predefined(part.type)) {
    const std::size_t size = size_of(part.type);
    const std::size_t missing = Announcement::least_bytes - bytes;
    bytes += std::min(part.count, (missing + size - 1) / size) * size;
    return keeps_bytes(part.type);
  }
  const Parts parts(part.type);
  for (std::size_t i = 0; i < part.count; ++i) {
    for (const Part& inner : parts) {
      if (bytes >= Announcement::least_bytes) return true;
      if (!pass(inner, bytes)) return false;
    }
  }
  return true;
}

/// The shortest announcement that ends where an element of the type does, or 0.
std::size_t announcement_length(MPI_Datatype type) {
  std::size_t bytes = 0;
  const std::size_t enough = Announcement::least_bytes; // elements
  return size_of(type) != 0 && pass({type, enough}, bytes) &&
                 Announcement::may_have(static_cast<MPI_Count>(bytes))
             ? bytes
             : 0;
}

/// The last answer of a thread.
struct Answer {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Profile profile;
  std::uint64_t dropped = 0;

  bool is_of(MPI_Datatype wanted) const {
    return type == wanted && wanted != MPI_DATATYPE_NULL && dropped == Kept::dropped();
  }
};
thread_local Answer last;

} // namespace

const Profile& Profile::of(MPI_Datatype type) {
  if (last.is_of(type)) return last.profile;
  const std::uint64_t dropped_so_far = Kept::dropped();

  static std::mutex mutex; // nobody replaces an attribute that another looks at
  const std::lock_guard lock(mutex);
  if (const Profile* const kept = Kept::find(type)) {
    last = {type, *kept, dropped_so_far};
    return last.profile;
  }
  last = {type, {layout::Layout::of(type), announcement_length(type)}, dropped_so_far};
  if (layout::predefined(type)) return last.profile;                  // what hangs on these is never dropped
  if (!Kept::keep(type, last.profile)) last.type = MPI_DATATYPE_NULL; // nobody will say when it is freed
  return last.profile;
}

int free_type(MPI_Datatype* type) {
  if (type != nullptr) {
    layout::Layout::forget(*type);
    Kept::forget(*type);
  }
  return PMPI_Type_free(type);
}

bool valid_data(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return (buffer != nullptr && count >= 0 && last.is_of(type)) || transport::valid_data(buffer, count, type);
}

} // namespace helper::message

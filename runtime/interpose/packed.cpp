// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Files and one-sided operations get a contiguous copy of non-contiguous memory.

#include <array>
#include <limits>
#include <list>
#include <string_view>
#include <type_traits>

#include "interpose/entry.hpp"
#include "interpose/lend.hpp"
#include "message/packed_copy.hpp"
#include "native/quirks.hpp"
#include "ranks/arguments.hpp"

using namespace helper;
using namespace helper::interpose;
using message::CopyOperation;
using message::PackedCopy;
namespace copies = message::copies;

namespace {

// Copying pays from this size on.
constexpr std::size_t least = 2048;
constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// Returns the size from which copying pays for a function of windows: `otherwise`, unless MPI is slow.
std::size_t least_on_window(std::size_t otherwise) {
  return native::quirks::one_sided_by_element() ? least : otherwise;
}

/// Returns a copy for the data of a call, not packed yet; nullptr if a copy of fewer than `from` bytes would
/// not pay, or MPI must get the data themselves (see PackedCopy::of()).
template <auto Native, class... Arguments>
std::shared_ptr<PackedCopy> copy_for(std::size_t from, MPI_Datatype otherwise,
                                     const std::tuple<Arguments...>& all) {
  constexpr std::size_t at = listed<Native>.own;
  constexpr bool is_read = std::is_same_v<std::tuple_element_t<at, std::tuple<Arguments...>>, void*>;
  return PackedCopy::of(is_read ? layout::Direction::unpack : layout::Direction::pack, from,
                        std::get<at>(all), std::get<at + 1>(all), std::get<at + 2>(all), otherwise);
}

/// Calls MPI with the copy in place of the data.
template <auto Native, class... Arguments>
int call_with(const PackedCopy& copy, std::tuple<Arguments...> all) {
  constexpr std::size_t at = listed<Native>.own;
  std::get<at>(all) = copy.data();
  std::get<at + 1>(all) = copy.count();
  std::get<at + 2>(all) = copy.type();
  return std::apply(Native, all);
}

/// Starts a call with the copy; does nothing if the last argument, the request, is a null pointer. For a
/// window, keeps `one`, the copy's entry, until the request is complete. For a file, `one` is nullptr.
template <auto Native, class... Arguments>
std::optional<int> start_with(const std::shared_ptr<PackedCopy>& copy, std::list<copies::InUse>* one,
                              std::tuple<Arguments...> all) {
  MPI_Request*& last = std::get<sizeof...(Arguments) - 1>(all);
  MPI_Request* const request = last;
  if (request == nullptr) return std::nullopt;
  const auto begin = [&](MPI_Request* made) {
    last = made;
    const int code = call_with<Native>(*copy, all);
    if (code == MPI_SUCCESS && one != nullptr) copies::keep(*one);
    return code;
  };
  const std::uint64_t window = one == nullptr ? 0 : one->front().owner;
  const auto store = [=](team::Member& member, const MPI_Status& status) {
    copy->store(member, window == 0 ? message::bytes_of(status) : static_cast<MPI_Count>(copy->size()));
    copies::take(window, copy.get());
    return MPI_SUCCESS;
  };
  return CopyOperation::start(store, copy->is_read() ? copy->size() : 0, begin, request);
}

/// Returns `call()`, which blocks in MPI.
template <class Call>
int patiently(team::Member& member, const Call& call) {
  const transport::Patience patience(member);
  return call();
}

// Files

/// Returns whether MPI may get data for the file as bytes, since it converts none. Takes less than 1 µs.
bool is_native(MPI_File file) {
  MPI_Offset displacement = 0;
  std::array<MPI_Datatype, 2> types{MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}; // of elements, and of the file
  std::array<char, MPI_MAX_DATAREP_STRING + 1> representation{};
  if (file == MPI_FILE_NULL ||
      PMPI_File_get_view(file, &displacement, &types[0], &types[1], representation.data()) != MPI_SUCCESS)
    return false;
  for (MPI_Datatype& type : types) {
    if (!layout::predefined(type)) PMPI_Type_free(&type);
  }
  return std::string_view(representation.data()) == "native";
}

template <auto Native, class... Arguments>
std::shared_ptr<PackedCopy> copy_for_file(team::Member& member, const std::tuple<Arguments...>& all) {
  auto copy = copy_for<Native>(least, MPI_BYTE, all);
  if (copy == nullptr || !is_native(std::get<0>(all))) return nullptr;
  constexpr auto name = find_name<Native>();
  constexpr bool is_collective = name.find("_all") != name.npos || name.find("_ordered") != name.npos;
  copy->load(member, is_collective && native::quirks::counts_past_end());
  return copy;
}

/// Calls `call(status)`, which transfers the copy from or to the file. Stores what was read for the user.
template <class Call>
int read_or_write(team::Member& member, PackedCopy& copy, MPI_Status* status, const Call& call) {
  MPI_Status own{};
  MPI_Status* const stored = status == MPI_STATUS_IGNORE && copy.is_read() ? &own : status;
  const int code = patiently(member, [&] { return call(stored); });
  if (copy.is_read() && code == MPI_SUCCESS) copy.store(member, message::bytes_of(*stored));
  return code;
}

/// The way of a blocking function, whose last argument is the status.
template <auto Native>
constexpr auto file = [](team::Member& member, auto... arguments) -> std::optional<int> {
  std::tuple all(arguments...);
  auto& status = std::get<sizeof...(arguments) - 1>(all);
  if (!ranks::valid_status(status)) return std::nullopt;
  const std::shared_ptr<PackedCopy> copy(copy_for_file<Native>(member, all));
  if (copy == nullptr) return std::nullopt;
  return read_or_write(member, *copy, status, [&](MPI_Status* stored) {
    status = stored;
    return call_with<Native>(*copy, all);
  });
};

/// The way of a non-blocking function, whose last argument is the request.
template <auto Native>
constexpr auto file_request = [](team::Member& member, auto... arguments) -> std::optional<int> {
  const std::tuple all(arguments...);
  const std::shared_ptr<PackedCopy> copy(copy_for_file<Native>(member, all));
  if (copy == nullptr) return std::nullopt;
  return start_with<Native>(copy, nullptr, all);
};

/// The way of a function that begins a split operation.
template <auto Native>
constexpr auto file_begin = [](team::Member& member, auto... arguments) -> std::optional<int> {
  const std::tuple all(arguments...);
  const std::shared_ptr<PackedCopy> copy(copy_for_file<Native>(member, all));
  if (copy == nullptr) return std::nullopt;
  std::list<copies::InUse> one{copies::InUse{copies::owner_of(std::get<0>(all)), 0, copy}};
  const int code = patiently(member, [&] { return call_with<Native>(*copy, all); });
  if (code == MPI_SUCCESS) copies::keep(one);
  return code;
};

/// The way of a function that ends a split operation, which may happen outside phases.
template <auto Native>
constexpr auto file_ended =
    [](team::Member& member, MPI_File of, auto* /*elements*/, MPI_Status* status) -> std::optional<int> {
  if (!ranks::valid_status(status)) return std::nullopt;
  const std::list<copies::InUse> taken(copies::take(copies::owner_of(of)));
  if (taken.empty()) return std::nullopt;
  message::rescue();
  PackedCopy& copy = *taken.front().copy;
  return read_or_write(member, copy, status,
                       [&](MPI_Status* stored) { return Native(of, copy.data(), stored); });
};

/// Does what `Native` does, which completes operations. Uses `Way` if any operation has a copy.
template <auto Native, auto Way, class... Arguments>
int completed(Arguments... arguments) {
  if (copies::any()) [[unlikely]]
    return ReceivingEntry<Native, Way>::call(arguments...);
  return Entry<Native, rescue>::call(arguments...);
}

template <auto Native, class... Arguments>
int file_end(Arguments... arguments) {
  return completed<Native, file_ended<Native>>(arguments...);
}

// Windows

/// Does what `Native` does with a copy that lasts until MPI no longer needs it.
template <auto Native, class... Arguments>
std::optional<int> on_window(team::Member& member, std::size_t from, Arguments... arguments) {
  const std::tuple all(arguments...);
  constexpr std::size_t last = sizeof...(arguments) - 1;
  constexpr bool has_request = listed<Native>.begins;
  constexpr std::size_t at = listed<Native>.own;
  const int target = std::get<at + 3>(all);
  if (from == never || target < 0) return std::nullopt; // MPI_PROC_NULL is negative
  const std::shared_ptr<PackedCopy> copy(copy_for<Native>(from, MPI_DATATYPE_NULL, all));
  if (copy == nullptr) return std::nullopt;
  if (copy->is_read() && bytes_of(copy->data(), std::get<at + 5>(all), std::get<at + 6>(all)) != copy->size())
    return std::nullopt; // the target may send fewer data than the copy holds: the rest must not be stored
  const auto owner = copies::owner_of(std::get < has_request ? last - 1 : last > (all));
  std::list<copies::InUse> one{copies::InUse{owner, target, copy}};
  copy->load(member);
  if constexpr (has_request) return start_with<Native>(copy, &one, all);
  const int code = call_with<Native>(*copy, all);
  if (code == MPI_SUCCESS) copies::keep(one);
  return code;
}

// For a put and MPI_Rget: copies only if MPI is slow. Other MPIs pack the data of a put equally fast, and
// MPI_Rget has the quirk rget_completes_early.
template <auto Native>
constexpr auto if_slow = [](team::Member& member, auto... arguments) {
  return on_window<Native>(member, least_on_window(never), arguments...);
};
template <auto Native>
constexpr auto get = [](team::Member& member, auto... arguments) {
  return on_window<Native>(member, least_on_window(least), arguments...);
};
template <auto Native>
constexpr auto accumulate = [](team::Member& member, auto... arguments) {
  return on_window<Native>(member, least_on_window(std::size_t{256} * 1024), arguments...);
};

std::uint64_t owner_in(MPI_Win window) noexcept {
  return copies::owner_of(window);
}
std::uint64_t owner_in(const MPI_Win* window) noexcept { // of MPI_Win_free
  return window == nullptr ? 0 : copies::owner_of(*window);
}

/// The way of a function that completes a window's operations: all, or if `has_target` those with one rank.
template <auto Native, bool has_target>
constexpr auto window_completed = [](team::Member& member, auto... arguments) -> std::optional<int> {
  const std::tuple all(arguments...);
  const auto owner = owner_in(std::get<sizeof...(arguments) - 1>(all));
  std::optional<int> target;
  if constexpr (has_target) target = std::get<0>(all); // MPI_PROC_NULL has no copies
  message::rescue();
  const std::uint64_t last = copies::newest(); // another thread may start more operations meanwhile
  const int code = patiently(member, [&] { return Native(arguments...); });
  if (code == MPI_SUCCESS) copies::complete(member, owner, target, last);
  return code;
};

template <auto Native, class... Arguments>
int flush(Arguments... arguments) {
  return completed<Native, window_completed<Native, false>>(arguments...);
}
template <auto Native, class... Arguments>
int flush_target(Arguments... arguments) {
  return completed<Native, window_completed<Native, true>>(arguments...);
}

} // namespace

#include "interpose/packed.inc"

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "local/local.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "device/device.hpp"
#include "pipeline/lane.hpp"
#include "ranks/arguments.hpp"
#include "reduction/bounds.hpp"
#include "reduction/kernel.hpp"
#include "reduction/user_function.hpp"
#include "trace/track.hpp"

namespace helper::local {

namespace {

constexpr const char* for_mpi = "little to do, or arguments for MPI to judge";
constexpr const char* undecoded = "a datatype without layout, or on a GPU";
constexpr const char* no_kernel = "no kernel for this operation on this type";

// Native MPI handles data of fewer bytes, because the team is not faster there. Contiguous data need more
// bytes, because MPI copies and reduces them as fast as one thread of a team.
constexpr MPI_Count least_scattered = 4096;
constexpr MPI_Count least_dense = 2 * MPI_Count{pipeline::grain};

/// Runs `work(begin, end)` over `bytes` bytes as a job of the team. Cuts only at multiples of `unit` bytes.
template <class Work>
void run(team::Member& member, trace::Stage stage, std::size_t bytes, std::size_t unit,
         const Work& work) noexcept {
  member.run(stage, bytes / unit, std::max<std::size_t>(pipeline::grain / unit, 1),
             [&](std::size_t begin, std::size_t end) noexcept { work(begin * unit, end * unit); });
}

/// Runs `combine(in, inout, count)` with the team on elements `extent` bytes apart, or declines the call.
template <class Combine>
std::optional<int> reduce_apart(team::Member& member, const void* in, void* inout, MPI_Count count,
                                MPI_Datatype type, std::size_t extent, const Combine& combine) {
  const bool are_apart = in != inout && in != MPI_IN_PLACE && inout != MPI_IN_PLACE;
  if (!are_apart || count <= 0 || count < least_dense / static_cast<MPI_Count>(extent) ||
      !ranks::valid_data(in, count, type) || !ranks::valid_data(inout, count, type))
    return member.decline(for_mpi);
  if (device::holds(in) || device::holds(inout)) return member.decline(undecoded);
  const auto* const lower = static_cast<const std::byte*>(in);
  auto* const upper = static_cast<std::byte*>(inout);
  run(member, trace::Stage::reduce, static_cast<std::size_t>(count) * extent, extent,
      // NOLINTNEXTLINE(bugprone-exception-escape): with the setting, the user promises that functions return
      [&](std::size_t begin, std::size_t end) noexcept {
        // If no job slot is free, this call gets all elements. A user function counts them with an int.
        constexpr std::size_t most = std::numeric_limits<int>::max();
        for (std::size_t at = begin; at < end; at += most * extent)
          combine(lower + at, upper + at, std::min((end - at) / extent, most));
      });
  return MPI_SUCCESS;
}

} // namespace

std::optional<Packing> Packing::of(const team::Member& member, const void* base, MPI_Count count,
                                   MPI_Datatype type, const void* buffer, MPI_Count size,
                                   MPI_Count position) {
  const MPI_Count room = position < 0 ? 0 : size - position;
  if (count <= 0 || buffer == nullptr || room < least_scattered || !ranks::valid_data(base, count, type))
    return member.decline(for_mpi);
  auto layout = layout::Layout::of(type, base);
  if (layout == nullptr || device::holds(buffer)) return member.decline(undecoded);
  const auto element = static_cast<MPI_Count>(layout->size());
  if (element == 0 || count > room / element ||
      count * element < (layout->contiguous() ? least_dense : least_scattered))
    return member.decline(for_mpi);
  auto* const packed = static_cast<std::byte*>(const_cast<void*>(buffer)) + position;
  return Packing(layout::PackedData(base, count, std::move(layout)), packed);
}

void Packing::pack(team::Member& member) const noexcept {
  run(member, trace::Stage::pack, bytes(), 1,
      [this](std::size_t begin, std::size_t end) noexcept { data_.pack(begin, end, packed_ + begin); });
}

void Packing::unpack(team::Member& member) const noexcept {
  run(member, trace::Stage::unpack, bytes(), 1,
      [this](std::size_t begin, std::size_t end) noexcept { data_.unpack(begin, end, packed_ + begin); });
}

std::optional<int> reduce(team::Member& member, const void* in, void* inout, MPI_Count count,
                          MPI_Datatype type, MPI_Op op) {
  if (const auto kernel = reduction::find(op, type)) {
    return reduce_apart(member, in, inout, count, type, kernel->element_size,
                        [&](const std::byte* lower, std::byte* upper, std::size_t elements) {
                          kernel->combine(lower, upper, upper, elements);
                        });
  }
  const auto function = reduction::UserFunction::of(op);
  if (!function) return member.decline(no_kernel);
  if (!ranks::valid_data(in, count, type)) return member.decline(for_mpi);
  const auto bounds = reduction::Bounds::of(type);
  if (!bounds.are_apart()) return member.decline(no_kernel);
  return reduce_apart(member, in, inout, count, type, static_cast<std::size_t>(bounds.extent),
                      [&](const std::byte* lower, std::byte* upper, std::size_t elements) {
                        (*function)(lower, upper, elements, type);
                      });
}

} // namespace helper::local

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"
#include "collective/collective.hpp"
#include "ranks/arguments.hpp"

namespace helper::collective {

using ranks::valid_data;

namespace {

/// Carries the operation with `algorithm`, for dispatch().
template <Algorithm algorithm>
auto run(team::Member& member, const Shadow& shadow, const Stream& stream, int root) {
  if constexpr (algorithm == Algorithm::shm_linear)
    bcast_shm_linear(member, shadow, stream, root);
  else if constexpr (algorithm == Algorithm::shm_cico || algorithm == Algorithm::cma)
    return bcast_in_node(member, shadow, stream, root, algorithm);
  else if constexpr (method(Operation::bcast, algorithm).is_whole)
    bcast_short(member, shadow, stream, root, algorithm);
  else {
    static_assert(is_scheduled(Operation::bcast, algorithm));
    bcast_by_schedule(member, shadow, stream, root, algorithm);
  }
}

/// Returns the bytes of an element. Asks MPI, which takes noticeable time, only if there is no layout.
std::size_t element_of(MPI_Datatype type, const layout::Layout* layout) {
  if (layout != nullptr) return layout->size();
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::size_t>(size);
}

} // namespace

std::optional<int> bcast(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int root,
                         MPI_Comm comm) {
  const bool is_valid = layout::has_functions(type) || valid_data(buffer, count, type);
  if (count <= 0 || !is_valid || comm == MPI_COMM_NULL || root < 0) return member.decline(reason::arguments);
  // Counts and types may differ between ranks. But the data have 0 bytes at all ranks or at none, so all
  // ranks decide alike whether to make the shadow.
  auto layout = layout::Layout::of(type, buffer);
  const std::size_t element = element_of(type, layout.get());
  if (element == 0) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  if (root >= shadow->size()) return member.decline(reason::arguments);
  const std::size_t bytes = static_cast<std::size_t>(count) * element;
  if (shadow->size() == 1) return member.decline(reason::one_rank);
  const bool is_root = shadow->rank() == root;
  Stream stream(buffer, count, type, *shadow, is_root, std::move(layout));
  const auto code = dispatch<set_of(Operation::bcast)>(
      member, Operation::bcast, situation(*shadow, bytes),
      [&]<Algorithm by> { return run<by>(member, *shadow, stream, root); });
  if (code && !is_root) stream.store_back();
  return code;
}

} // namespace helper::collective

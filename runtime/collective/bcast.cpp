// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/bcast_pipelined_tree.hpp"
#include "collective/bcast_shm_cico.hpp"
#include "collective/collective.hpp"
#include "collective/reason.hpp"
#include "collective/selection.hpp"
#include "collective/shm_linear.hpp"
#include "collective/situation.hpp"
#include "pipeline/stream.hpp"
#include "transport/arguments.hpp"
#include "transport/shadow.hpp"

namespace helper::collective {

using pipeline::Stream;
using transport::Shadow;
using transport::valid_data;
using transport::valid_root;

std::optional<int> bcast(team::Member& member, void* buffer, MPI_Count count, MPI_Datatype type, int root,
                         MPI_Comm comm) {
  if (count <= 0 || !valid_data(buffer, count, type) || comm == MPI_COMM_NULL || !valid_root(root, comm))
    return member.decline(reason::arguments);
  // Counts need not be equal at all ranks, but this is: nothing to send, no shadow made.
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0) return member.decline(reason::arguments);
  const Shadow* const shadow = Shadow::of(comm, member);
  if (shadow == nullptr) return member.decline(reason::shadow);
  const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(element);
  const Algorithm algorithm = choose(member, Operation::bcast, situation(*shadow, bytes));
  if (algorithm == Algorithm::native)
    return member.decline(shadow->size() == 1 ? reason::one_rank : reason::selection);
  const bool is_root = shadow->rank() == root;
  Stream stream(buffer, count, type, *shadow, is_root);
  if (algorithm == Algorithm::shm_linear) {
    bcast_shm_linear(member, *shadow, stream, root);
  } else if (algorithm == Algorithm::binomial) {
    bcast_binomial(member, *shadow, stream, root);
  } else if (algorithm == Algorithm::shm_cico) {
    bcast_shm_cico(member, *shadow, stream, root);
  } else {
    bcast_pipelined_tree(member, *shadow, stream, root, shadow->chunk());
  }
  if (!is_root) stream.store_back();
  return MPI_SUCCESS;
}

} // namespace helper::collective

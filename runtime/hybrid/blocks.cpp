// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "hybrid/call.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "pipeline/lane.hpp"
#include "ranks/communicator.hpp"

namespace helper::hybrid {

Blocks::Blocks(const MemberCall& call, std::size_t own_members)
    : counts(static_cast<std::size_t>(ranks::size_of(call.comm))) {
  const int own = static_cast<int>(own_members);
  if (counts.size() == 1)
    counts.front() = own;
  else
    check(MPI_Allgather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, call.comm));
  members = std::accumulate(counts.begin(), counts.end(), 0);
  if (MPI_Count{members} * call.count > std::numeric_limits<int>::max())
    throw Rejected(MPI_ERR_COUNT, std::to_string(members) + " members have " + std::to_string(call.count) +
                                      " elements each, which is more than an int can count");
  for (int& of_rank : counts) {
    of_rank *= call.count;
    displacements.push_back(elements);
    elements += of_rank;
  }
  first = displacements[static_cast<std::size_t>(ranks::rank_in(call.comm))];
}

void run_copies(team::Member& leader, std::span<const BlockCopy> copies, std::size_t bytes) {
  leader.run(trace::Stage::copy, copies.size() * bytes, pipeline::grain,
             [&](std::size_t begin, std::size_t end) noexcept {
               for (std::size_t at = begin; at < end;) {
                 const std::size_t offset = at % bytes;
                 const std::size_t length = std::min(end - at, bytes - offset);
                 const BlockCopy& copy = copies[at / bytes];
                 pipeline::copy_range(*copy.from, copy.from_byte + offset, *copy.to, copy.to_byte + offset,
                                      length);
                 at += length;
               }
             });
}

} // namespace helper::hybrid

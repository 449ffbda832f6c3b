// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "collective/reduction.hpp"
#include "collective/shared_operation.hpp"
#include "collective/shares.hpp"
#include "pipeline/stream.hpp"
#include "shm/region.hpp"

namespace helper::collective {

/// Reduces data that all ranks have in memory of MPI_Alloc_mem. Each rank reduces its share of the elements
/// in place. Other ranks copy its results from where it stores them.
class ShmMapped {
public:
  /// All arguments must outlive the object.
  ShmMapped(SharedOperation& shared, const Reduction& reduction, const pipeline::Stream& from,
            const Shares& shares, const Results& results)
      : shared_(shared), reduction_(reduction), from_(from), shares_(shares), results_(results) {}

  /// Stores the place of this rank's data for the others, which see it with the next mark, and whether they
  /// should read there: `wanted`, if ranks share a cache, since reading slots written with streaming stores
  /// is faster than another processor's cache, or if the data fit in no cache.
  void offer(bool wanted);

  /// Returns, alike at all ranks, whether to call run(), once all have shown that mark. It is false if rank 0
  /// does not want it or only the primary may reduce; if data are not contiguous or cannot be mapped; or if
  /// results have no place or overwrite contributions. Blocks, lending the caller. Throws PeerGaveUp.
  bool agree();

  /// Reduces, after agreement. Blocks, lending the caller; throws PeerGaveUp.
  void run();

private:
  bool may_be() const;
  /// Appends the addresses at which this rank reads the data of all ranks. `own` is this rank's; the others
  /// are at `place(rank)`, with the same size. Returns false if any cannot be mapped.
  template <class PlaceOf>
  bool map_all(std::vector<const std::byte*>& addresses, const pipeline::Stream& own, const PlaceOf& place);
  const std::byte* map(const shm::Region::RegionPart& place, std::size_t bytes);

  SharedOperation& shared_;
  const Reduction& reduction_;
  const pipeline::Stream& from_;
  const Shares& shares_;
  const Results& results_;
  std::vector<std::shared_ptr<const shm::Mapping>> mappings_;
  // Where this rank reads the data of all ranks.
  std::vector<const std::byte*> contributions_;
  std::vector<const std::byte*> others_; // results
};

} // namespace helper::collective

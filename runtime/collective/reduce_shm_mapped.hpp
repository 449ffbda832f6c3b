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
/// from where they are; what others want of its results they copy from where it has put them.
class ShmMapped {
public:
  /// All arguments must outlive the object.
  ShmMapped(SharedOperation& shared, const Reduction& reduction, const pipeline::Stream& from,
            const Shares& shares, const Results& results)
      : shared_(shared), reduction_(reduction), from_(from), shares_(shares), results_(results) {}

  /// Notes where this rank's data are for the others, which see it when they see the next mark that is shown,
  /// and whether it wants them to be read there. That is worth it where ranks share a cache; elsewhere
  /// they are faster read from slots, where streaming stores have put them, than from another processor's
  /// cache: 64 KiB at 2 ranks take 12 us, and 24 in place; where they share one, 8 and 6. What no
  /// cache holds is faster there in any case: 32 MiB take 4.2 ms, and 5.8 to 7.0 through slots.
  void offer(bool wanted);

  /// Returns whether to run(), once all ranks have shown that mark. All ranks get the same answer. It is
  /// false in each of these cases: rank 0 does not want it; the data of a rank are elsewhere, non-contiguous
  /// or cannot be mapped; shares have results that their owners have no place for, or that would overwrite
  /// contributions; only the primary may reduce. Blocks, lending the caller. Throws PeerGaveUp.
  bool agree();

  /// Reduces, when that is agreed on. Blocks, lending the caller; throws PeerGaveUp.
  void run();

private:
  /// Holds where this rank reads the data of all ranks, contributions or results, in place.
  class Views {
  public:
    /// Finds the data of all ranks: `own` are those of this rank, and as large as the others', which are at
    /// `place(rank)`. Returns false if any rank's cannot be reached.
    template <class PlaceOf>
    bool look(const Reduction& reduction, const pipeline::Stream& own, const PlaceOf& place);

    const std::byte* operator[](std::size_t rank) const noexcept { return addresses_[rank]; }

  private:
    const std::byte* map(const shm::Region::RegionPart& place, std::size_t bytes);

    std::vector<const std::byte*> addresses_;
    std::vector<std::shared_ptr<const shm::Mapping>> mappings_;
  };

  bool may_be() const;

  SharedOperation& shared_;
  const Reduction& reduction_;
  const pipeline::Stream& from_;
  const Shares& shares_;
  const Results& results_;
  Views contributions_;
  Views others_; // results
};

} // namespace helper::collective

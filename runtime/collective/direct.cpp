// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/direct.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "collective/selection.hpp"
#include "collective/shares.hpp"
#include "pipeline/copy_past_caches.hpp"
#include "transport/region.hpp"

namespace helper::collective {

namespace {

using pipeline::Stream;
using transport::Mapping;
using transport::Region;

// Marks behind those of slots, which the operation may go on to use.
enum Mark : std::size_t { contribution = 5, result, verdict };
enum Step : std::uint64_t { told = 1, reduced };

/// Where a rank's data are, as it tells the others; in no region if they are elsewhere, or not dense.
using Place = Region::Part;

Place place(const Stream& stream) {
  const auto part = stream.is_dense() ? Region::find(stream.dense(), stream.size()) : std::nullopt;
  return part.value_or(Place{});
}

/// The data of all ranks, one kind of them.
class Views {
public:
  /// Where `own` is the place of this rank's; false if any rank's cannot be reached.
  bool look(const SharedOperation& shared, Mark mark, const Reduction& reduction, const Stream& own) {
    for (std::size_t rank = 0; rank < reduction.ranks(); ++rank) {
      if (rank == reduction.rank()) {
        addresses_.push_back(own.dense());
      } else if (!add(shared.note<Place>(rank, mark), own.size())) {
        return false;
      }
    }
    return true;
  }

  const std::byte* operator[](std::size_t rank) const noexcept { return addresses_[rank]; }

private:
  bool add(const Place& place, std::size_t bytes) {
    const auto& mapping = mappings_.emplace_back(Mapping::of(place.region));
    if (mapping == nullptr || place.offset > mapping->bytes() || bytes > mapping->bytes() - place.offset)
      return false;
    addresses_.push_back(mapping->address() + place.offset);
    return true;
  }

  std::vector<const std::byte*> addresses_;
  std::vector<std::shared_ptr<const Mapping>> mappings_;
};

/// Reduces elements of the own share, in the order of ranks.
struct ReduceShare {
  static constexpr trace::Stage stage = trace::Stage::reduce;
  const Reducer& reducer;
  std::vector<const std::byte*> operands;
  std::byte* out;
  bool past_caches;

  void operator()(std::size_t begin, std::size_t end) noexcept {
    if (!past_caches) return reducer.reduce(operands, begin, end, out);
    reduce_in_pieces(reducer, operands, begin, end,
                     [this](const std::byte* piece, std::size_t at, std::size_t bytes) {
                       pipeline::copy_past_caches(out + at, piece, bytes);
                     });
  }
};

/// Copies bytes of what a rank has reduced.
struct CopyShare {
  static constexpr trace::Stage stage = trace::Stage::copy;
  const std::byte* from;
  std::byte* to;
  bool past_caches;

  void operator()(std::size_t begin, std::size_t end) noexcept {
    if (past_caches) {
      pipeline::copy_past_caches(to + begin, from + begin, end - begin);
    } else {
      std::copy(from + begin, from + end, to + begin);
    }
  }
};

bool agree(SharedOperation& shared, const Reduction& reduction, const Stream& from, const Stream& to,
           Views& contributions, Views& results) {
  shared.note<Place>(contribution) = place(from);
  shared.note<Place>(result) = place(to);
  shared.show(contribution, told);
  shared.await_all(contribution, told);
  const auto in_regions = [&](std::size_t rank) {
    return shared.note<Place>(rank, contribution).region.bytes != 0 &&
           shared.note<Place>(rank, result).region.bytes != 0;
  };
  for (std::size_t rank = 0; rank < reduction.ranks(); ++rank) {
    if (!in_regions(rank)) return false;
  }
  bool& mine = shared.note<bool>(verdict);
  mine = contributions.look(shared, contribution, reduction, from) &&
         results.look(shared, result, reduction, to);
  shared.show(verdict, told);
  shared.await_all(verdict, told);
  for (std::size_t rank = 0; rank < reduction.ranks(); ++rank) {
    if (!shared.note<bool>(rank, verdict)) return false;
  }
  return true;
}

} // namespace

bool allreduce_direct(SharedOperation& shared, const Reduction& reduction, const Stream& from,
                      const Stream& to) {
  if (!transport::can_map() || !reduction.reducer.helpers_may()) return false;
  Views contributions;
  Views results;
  if (!agree(shared, reduction, from, to, contributions, results)) return false;

  const std::size_t element = reduction.reducer.element();
  const Shares shares = Shares::even(reduction.elements(from), reduction.ranks());
  const std::size_t self = reduction.rank();
  const std::size_t own = shares.begin(self) * element;
  const bool past_caches = from.size() >= past_caches_least;
  ReduceShare reduce{reduction.reducer, {}, to.dense() + own, past_caches};
  for (std::size_t rank = 0; rank < reduction.ranks(); ++rank)
    reduce.operands.push_back(contributions[rank] + own);
  reduction.member.run(
      team::Job::of(reduce, shares.size(self), std::max<std::size_t>(pipeline::grain / element, 1)));
  shared.show(contribution, reduced);
  shared.await_all(contribution, reduced);
  for (std::size_t step = 1; step < reduction.ranks(); ++step) {
    const std::size_t rank = (self + step) % reduction.ranks();
    const std::size_t at = shares.begin(rank) * element;
    CopyShare copy{results[rank] + at, to.dense() + at, past_caches};
    reduction.member.run(team::Job::of(copy, shares.size(rank) * element, pipeline::grain));
  }
  shared.finish();
  return true;
}

} // namespace helper::collective

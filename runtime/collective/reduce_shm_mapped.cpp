// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/reduce_shm_mapped.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "collective/selection.hpp"
#include "pipeline/copy_past_caches.hpp"
#include "transport/region.hpp"

namespace helper::collective {

namespace {

using pipeline::Stream;

// Marks behind those of slots, which the operation may go on to use.
enum Mark : std::size_t { contribution = 5, result, verdict };
enum Step : std::uint64_t { told = 1, reduced };

/// Where a rank's data are, as it tells the others; in no region if they are elsewhere, or not dense.
using Place = transport::Region::Part;

Place place(const Stream& stream) {
  const auto part = stream.is_dense() ? transport::Region::find(stream.dense(), stream.size()) : std::nullopt;
  return part.value_or(Place{});
}

bool is_in_region(const Place& place) {
  return place.region.bytes != 0;
}

/// What a rank tells of its contribution.
struct Offer {
  Place place;
  bool wanted; // to be read there
};

/// The data of all ranks, one kind of them, as this one reads them in place as long as the object lives.
class Views {
public:
  /// `own` are those of this rank, as large as the others', which are at `place(rank)`; false if any rank's
  /// cannot be reached.
  template <class PlaceOf>
  bool look(const Reduction& reduction, const Stream& own, const PlaceOf& place) {
    for (std::size_t rank = 0; rank < reduction.ranks(); ++rank) {
      addresses_.push_back(rank == reduction.rank() ? own.dense() : map(place(rank), own.size()));
      if (addresses_.back() == nullptr) return false;
    }
    return true;
  }

  const std::byte* operator[](std::size_t rank) const noexcept { return addresses_[rank]; }

private:
  /// The address of `bytes` bytes at the place; nullptr if it cannot be reached.
  const std::byte* map(const Place& place, std::size_t bytes) {
    const auto& mapping = mappings_.emplace_back(transport::Mapping::of(place.region));
    if (mapping == nullptr || place.offset > mapping->bytes() || bytes > mapping->bytes() - place.offset)
      return nullptr;
    return mapping->address() + place.offset;
  }

  std::vector<const std::byte*> addresses_;
  std::vector<std::shared_ptr<const transport::Mapping>> mappings_;
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
    reduce_in_pieces(reducer, operands, begin, end, nullptr,
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

/// Mapped::done if it is to be done.
Mapped agree(SharedOperation& shared, const Reduction& reduction, const Stream& from, const Results& results,
             bool wanted, Views& contributions, Views& others) {
  shared.note<Offer>(contribution) = {results.are_on_contributions() ? Place{} : place(from), wanted};
  if (results.are_given()) shared.note<Place>(result) = place(*results.to());
  shared.show(contribution, told);
  shared.await_all(contribution, told);
  const auto contributed = [&](std::size_t rank) { return shared.note<Offer>(rank, contribution).place; };
  const auto resulting = [&](std::size_t rank) { return shared.note<Place>(rank, result); };
  for (std::size_t rank = 0; rank < reduction.ranks(); ++rank) {
    if (!is_in_region(contributed(rank)) || (results.are_taken() && !is_in_region(resulting(rank))))
      return Mapped::impossible;
  }
  if (!shared.note<Offer>(0, contribution).wanted) return Mapped::unwanted;
  bool& mine = shared.note<bool>(verdict);
  mine = contributions.look(reduction, from, contributed) &&
         (!results.are_taken() || others.look(reduction, *results.to(), resulting));
  shared.show(verdict, told);
  shared.await_all(verdict, told);
  for (std::size_t rank = 0; rank < reduction.ranks(); ++rank) {
    if (!shared.note<bool>(rank, verdict)) return Mapped::impossible;
  }
  return Mapped::done;
}

} // namespace

Mapped reduce_shm_mapped(SharedOperation& shared, const Reduction& reduction, const Stream& from,
                         const Shares& shares, const Results& results, bool wanted) {
  if (!transport::can_map() || !reduction.reducer.helpers_may() || !results.have_places())
    return Mapped::impossible;
  Views contributions;
  Views others;
  const Mapped agreed = agree(shared, reduction, from, results, wanted, contributions, others);
  if (agreed != Mapped::done) return agreed;

  const std::size_t element = reduction.reducer.element();
  const std::size_t self = reduction.rank();
  const bool past_caches = from.size() >= past_caches_least;
  if (shares.size(self) != 0) {
    const std::size_t own = shares.begin(self) * element;
    ReduceShare reduce{reduction.reducer, {}, results.to()->dense() + results.own_place(own), past_caches};
    for (std::size_t rank = 0; rank < reduction.ranks(); ++rank)
      reduce.operands.push_back(contributions[rank] + own);
    reduction.member.run(team::Job::of(reduce, shares.size(self), grain(reduction.reducer)));
  }
  if (results.are_given()) shared.show(contribution, reduced);
  if (results.are_taken()) shared.await_all(contribution, reduced);
  for (std::size_t step = 1; results.are_taken() && step < reduction.ranks(); ++step) {
    const std::size_t rank = (self + step) % reduction.ranks();
    const std::size_t at = shares.begin(rank) * element;
    CopyShare copy{others[rank] + at, results.to()->dense() + at, past_caches};
    reduction.member.run(team::Job::of(copy, shares.size(rank) * element, pipeline::grain));
  }
  shared.finish();
  return Mapped::done;
}

} // namespace helper::collective

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <functional>

#include "groups/sysgroup/operations.hpp"
#include "groups/sysgroup/sweep.hpp"
#include "lifetime/at_end.hpp"
#include "ranks/communicator.hpp"
#include "ranks/world.hpp"
#include "reduction/reducer.hpp"

namespace helper::groups::sysgroup {

namespace {

/// Reduces `values`, elements of `type`, over all members with `reducer`. All members get the result.
void reduce_to_all(const char* function, const std::shared_ptr<Sysgroup>& group, void* values, int count,
                   MPI_Datatype type, const reduction::Reducer& reducer, team::Member& member) {
  Sweep(member, group,
        {.function = function,
         .gathers = true,
         .spreads = true,
         .from = values,
         .to = values,
         .count = count,
         .type = type,
         .reducer = reducer})
      .finish();
}

/// The number of groups that are made at the same time. It bounds the memory.
constexpr int most_at_once = 16;
constexpr int no_colour = -1;

/// Distinct colours, the greatest first. `no_colour` fills the rest.
using Colours = std::array<int, most_at_once>;

/// A user-defined reduction of MPI: keeps the greatest colours of both arrays.
void merge_colours(void* from, void* to, int* count, MPI_Datatype*) noexcept {
  for (int i = 0; i < *count; ++i) {
    const Colours& some = static_cast<const Colours*>(from)[i];
    Colours& others = static_cast<Colours*>(to)[i];
    std::array<int, std::size_t{2} * most_at_once> both;
    std::ranges::merge(some, others, both.begin(), std::ranges::greater{});
    std::fill(std::unique(both.begin(), both.end()), both.end(), no_colour);
    std::copy_n(both.begin(), most_at_once, others.begin());
  }
}

/// Returns a tag that other groups of these processes, which may make communicators now, do not use.
int tag(const Sysgroup& group) {
  const auto [root, serial] = group.name();
  const std::int64_t roots = std::int64_t{group.channel().shadow().size()} + 1;
  return static_cast<int>((serial * roots + root + 1) %
                          ranks::world::largest_tag(group.channel().shadow().comm()));
}

} // namespace

// The members agree repeatedly on the greatest colours that are left. So no process needs memory for all
// colours, of which there may be as many as members.
std::shared_ptr<Sysgroup> split(const std::shared_ptr<Sysgroup>& parent, const tree::Scheme& scheme,
                                int colour, team::Member& member) {
  MPI_Datatype type = MPI_DATATYPE_NULL; // of Colours
  MPI_Op merge = MPI_OP_NULL;
  const lifetime::AtEnd freed([&] {
    if (merge != MPI_OP_NULL) PMPI_Op_free(&merge);
    if (type != MPI_DATATYPE_NULL) PMPI_Type_free(&type);
  });
  check(PMPI_Type_contiguous(most_at_once, MPI_INT, &type));
  check(PMPI_Type_commit(&type));
  check(PMPI_Op_create(merge_colours, 1, &merge));
  const auto reducer = reduction::Reducer::by_mpi(merge, type);
  std::shared_ptr<Sysgroup> own;
  for (;;) {
    const int wanted = own == nullptr && colour >= 0 ? colour : no_colour;
    Colours colours;
    colours.fill(no_colour);
    colours.front() = wanted;
    reduce_to_all("MPIX_Sysgroup_split", parent, colours.data(), 1, type, reducer, member);
    const auto end = std::ranges::find(colours, no_colour);
    const auto mine = std::find(colours.begin(), end, wanted);
    const auto count = static_cast<int>(end - colours.begin());
    const int number = mine != end ? static_cast<int>(mine - colours.begin()) : -1;
    if (auto made = parent->enrol("MPIX_Sysgroup_split", scheme, count, number, member))
      own = std::move(made);
    if (count < most_at_once) return own;
  }
}

std::vector<int> members(const std::shared_ptr<Sysgroup>& group, team::Member& member) {
  const tree::Place& place = group->place();
  std::vector<int> ranks(static_cast<std::size_t>(place.size), -1);
  ranks[static_cast<std::size_t>(place.rank)] = place.id;
  reduce_to_all("MPIX_Sysgroup_to_comm", group, ranks.data(), place.size, MPI_INT,
                *reduction::Reducer::of(MPI_MAX, MPI_INT), member);
  return ranks;
}

MPI_Comm make_communicator(const Sysgroup& group, const std::vector<int>& members) {
  const MPI_Comm all = group.channel().comm();
  const ranks::Group everybody(all);
  MPI_Group some = MPI_GROUP_NULL;
  check(PMPI_Group_incl(everybody, static_cast<int>(members.size()), members.data(), &some));
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create_group(all, some, tag(group), &made);
  PMPI_Group_free(&some);
  check(code);
  ranks::inherit_error_handler(MPI_COMM_WORLD, made);
  return made;
}

} // namespace helper::groups::sysgroup

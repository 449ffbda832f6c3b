// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/derived.hpp"

#include "groups/sysgroup/sweep.hpp"
#include "reduction/reducer.hpp"
#include "transport/communicator.hpp"
#include "transport/world.hpp"

namespace helper::groups::sysgroup {

namespace {

/// Gives all members the greatest that any of them has of each of `count` values.
void find_greatest(const char* function, const std::shared_ptr<Sysgroup>& group, int* values, int count,
                   team::Member& member) {
  Sweep(member, group,
        {.function = function,
         .gathers = true,
         .spreads = true,
         .from = values,
         .to = values,
         .count = count,
         .type = MPI_INT,
         .reducer = reduction::Reducer::of(MPI_MAX, MPI_INT)})
      .finish();
}

/// Returns a tag that tells this group from others of which processes may be making communicators at once.
int tag(const Sysgroup& group) {
  const auto [root, serial] = group.name();
  const std::int64_t roots = std::int64_t{group.channel().shadow().size()} + 1;
  return static_cast<int>((serial * roots + root + 1) %
                          transport::world::largest_tag(group.channel().shadow().comm()));
}

} // namespace

// The members agree on the greatest colour that is left, again and again. So no process needs memory for all
// colours, of which there may be as many as members.
std::shared_ptr<Sysgroup> split(const std::shared_ptr<Sysgroup>& parent, const tree::Scheme& scheme,
                                int colour, team::Member& member) {
  constexpr int no_colour = -1;
  std::shared_ptr<Sysgroup> own;
  for (;;) {
    int next = own == nullptr ? colour : no_colour;
    find_greatest("MPIX_Sysgroup_split", parent, &next, 1, member);
    if (next < 0) return own;
    const bool participates = own == nullptr && colour == next;
    if (auto made = parent->enrol(scheme, participates, member)) own = std::move(made);
  }
}

std::vector<int> members(const std::shared_ptr<Sysgroup>& group, team::Member& member) {
  const tree::Place& place = group->place();
  std::vector<int> ranks(static_cast<std::size_t>(place.size), -1);
  ranks[static_cast<std::size_t>(place.rank)] = place.id;
  find_greatest("MPIX_Sysgroup_to_comm", group, ranks.data(), place.size, member);
  return ranks;
}

MPI_Comm make_communicator(const Sysgroup& group, const std::vector<int>& members) {
  const MPI_Comm all = group.channel().comm();
  const transport::Group everybody(all);
  MPI_Group some = MPI_GROUP_NULL;
  check(PMPI_Group_incl(everybody, static_cast<int>(members.size()), members.data(), &some));
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_create_group(all, some, tag(group), &made);
  PMPI_Group_free(&some);
  check(code);
  transport::inherit_error_handler(MPI_COMM_WORLD, made);
  return made;
}

} // namespace helper::groups::sysgroup

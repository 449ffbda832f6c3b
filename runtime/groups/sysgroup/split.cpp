// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/split.hpp"

#include "groups/sysgroup/sweep.hpp"
#include "reduction/reducer.hpp"

namespace helper::groups::sysgroup {

namespace {

constexpr int no_colour = -1;

int greatest(const std::shared_ptr<Sysgroup>& group, int mine, team::Member& member) {
  Sweep(member, group,
        {.function = "MPIX_Sysgroup_split",
         .gathers = true,
         .spreads = true,
         .from = &mine,
         .to = &mine,
         .count = 1,
         .type = MPI_INT,
         .reducer = reduction::Reducer::of(MPI_MAX, MPI_INT)})
      .finish();
  return mine;
}

} // namespace

// The members agree on the greatest colour that is left, again and again. So no process needs memory for all
// colours, of which there may be as many as members.
std::shared_ptr<Sysgroup> split(const std::shared_ptr<Sysgroup>& parent, const tree::Scheme& scheme,
                                int colour, team::Member& member) {
  std::shared_ptr<Sysgroup> own;
  for (;;) {
    const int next = greatest(parent, own == nullptr ? colour : no_colour, member);
    if (next < 0) return own;
    const bool participates = own == nullptr && colour == next;
    if (auto made = parent->enrol(scheme, participates, member)) own = std::move(made);
  }
}

} // namespace helper::groups::sysgroup

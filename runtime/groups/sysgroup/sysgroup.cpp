// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/sysgroup.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "groups/sysgroup/admission.hpp"
#include "transport/arena.hpp"
#include "transport/world.hpp"

namespace helper::groups::sysgroup {

namespace {

/// Waits until `done()`, lending `member`. Throws PeerGaveUp.
template <class Done>
void wait(const char* function, const transport::Shadow& shadow, team::Member& member, const Done& done) {
  member.lend_until(
      done,
      [&] {
        return "rank " + std::to_string(shadow.rank()) + " of " + std::to_string(shadow.size()) +
               " waits for others in " + function;
      },
      team::Woken::perhaps, [&] { shadow.failure().check_peers(); });
}

/// Sorts the ranks of a node so that neighbours follow one another, from the first of `ranks` around to the
/// one before it.
std::vector<tree::Id> in_neighbourhood(const std::vector<tree::Id>& ranks, MPI_Comm comm) {
  std::vector<std::pair<int, tree::Id>> places;
  for (const tree::Id rank : ranks)
    places.emplace_back(transport::Nodes::position(transport::world::rank(comm, rank)), rank);
  const auto first = places.front();
  std::ranges::sort(places);
  // clang 14 does not compile std::ranges::rotate.
  std::rotate(places.begin(), std::ranges::find(places, first), places.end());
  std::vector<tree::Id> sorted;
  for (const auto& [position, rank] : places) sorted.push_back(rank);
  return sorted;
}

tree::Place place_in(const transport::Shadow& shadow, Sysgroup::Layout layout, int branching) {
  const transport::Nodes& nodes = shadow.nodes();
  if (layout == Sysgroup::Layout::by_rank || nodes.count() == 0)
    return tree::in_communicator(shadow.rank(), shadow.size(), branching);
  std::vector<std::vector<tree::Id>> ranks;
  for (std::size_t node = 0; node < nodes.count(); ++node)
    ranks.push_back(in_neighbourhood(nodes.ranks(node), shadow.comm()));
  return tree::by_nodes(shadow.rank(), ranks, branching);
}

} // namespace

std::shared_ptr<Sysgroup> Sysgroup::of_communicator(MPI_Comm comm, Layout layout, int branching,
                                                    team::Member& member) {
  const auto channel = GroupChannel::of(comm, member);
  if (channel == nullptr) return nullptr;
  const transport::Shadow& shadow = channel->shadow();
  return channel->carry([&] {
    auto membership = channel->join_communicator();
    GroupChannel::Subscription subscription(*channel, {membership.what(), 0});
    Outbox out(*channel);
    Introduction introduction(*channel, subscription.topic(), place_in(shadow, layout, branching),
                              std::move(membership));
    introduction.begin(out);
    wait("MPIX_Sysgroup_from_comm", shadow, member, [&] {
      while (const auto message = subscription.next())
        introduction.receive(message->from, message->words, out);
      return introduction.is_complete() && out.is_empty();
    });
    return std::shared_ptr<Sysgroup>(new Sysgroup(channel, introduction.take()));
  });
}

std::shared_ptr<Sysgroup> Sysgroup::enrol(const tree::Scheme& scheme, bool participates,
                                          team::Member& member) {
  Admission admission(*channel_, {name(), ++turn_}, view_.place, scheme, participates);
  wait("MPIX_Sysgroup_enroll", channel_->shadow(), member, [&] {
    admission.advance();
    return admission.is_complete();
  });
  auto view = admission.take();
  return view ? std::shared_ptr<Sysgroup>(new Sysgroup(channel_, std::move(*view))) : nullptr;
}

Sysgroup::Sysgroup(std::shared_ptr<GroupChannel> channel, LocalView view)
    : channel_(std::move(channel)), view_(std::move(view)) {
  view_.neighbours.shrink_to_fit();
  for (Neighbour& neighbour : view_.neighbours) {
    const int world_rank = transport::world::rank(channel_->comm(), neighbour.rank);
    const bool is_near = transport::arena::part(world_rank) != nullptr;
    neighbour.process = is_near ? transport::arena::index(world_rank) : -1;
  }
}

int Sysgroup::world_rank() const {
  return transport::world::rank(channel_->comm(), view_.place.id);
}

std::size_t Sysgroup::toward(tree::Rank target) const {
  tree::Place::Numbering numbering = view_.place.numbering;
  // A group of a whole communicator can address all members, but its edges are those of the implicit tree.
  if (numbering == tree::Place::Numbering::direct) numbering = tree::Place::Numbering::by_level;
  const tree::Id next = view_.place.toward(target, numbering);
  return static_cast<std::size_t>(std::ranges::find(view_.neighbours, next, &Neighbour::rank) -
                                  view_.neighbours.begin());
}

} // namespace helper::groups::sysgroup

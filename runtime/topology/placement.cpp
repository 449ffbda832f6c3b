// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "topology/placement.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace helper::topology {

namespace {

/// Returns `count` sets: `places` in rotation, or empty sets if there are no places.
std::vector<Cpuset> in_turn(const std::vector<Cpuset>& places, int count) {
  std::vector<Cpuset> turns(static_cast<std::size_t>(count));
  if (places.empty()) return turns;
  for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = places[i % places.size()];
  return turns;
}

/// Returns the places that members use in rotation under a policy.
std::vector<Cpuset> places(const Machine& machine, const Policy& policy, const Cpuset& usable) {
  switch (policy.kind) {
  case Policy::PolicyKind::none:
    break;
  case Policy::PolicyKind::compact:
    return machine.pus(usable);
  case Policy::PolicyKind::scatter:
    return machine.scattered_pus(usable);
  case Policy::PolicyKind::numa:
    return machine.numa_nodes(usable);
  case Policy::PolicyKind::list: {
    std::vector<Cpuset> pus;
    for (const int pu : policy.list.pus()) pus.push_back(Cpuset::of(pu));
    return pus;
  }
  }
  return {};
}

} // namespace

Policy parse_policy(std::string_view text, const Cpuset& allowed) {
  constexpr std::array<std::pair<std::string_view, Policy::PolicyKind>, 4> names{
      {{"none", Policy::PolicyKind::none},
       {"compact", Policy::PolicyKind::compact},
       {"scatter", Policy::PolicyKind::scatter},
       {"numa", Policy::PolicyKind::numa}}};
  for (const auto& [name, kind] : names) {
    if (text == name) return {kind, {}};
  }
  const auto list = Cpuset::parse(text);
  if (list && !list->empty() && allowed.includes(*list)) return {Policy::PolicyKind::list, *list};
  throw std::invalid_argument("none, compact, scatter, numa, or a list of processing units among " +
                              allowed.str());
}

Cpuset share(const Machine& machine, const std::vector<Cpuset>& given, int rank) {
  const auto self = given.begin() + rank;
  const auto sharers = std::count(given.begin(), given.end(), *self);
  const auto mine = std::count(given.begin(), self, *self); // this rank's index among the sharers
  if (sharers < 2) return *self;

  auto parts = machine.cores(*self);
  if (std::ssize(parts) < sharers) parts = machine.pus(*self);
  if (std::ssize(parts) < sharers) return in_turn(parts, static_cast<int>(mine) + 1).back();
  Cpuset share;
  const auto end = (mine + 1) * std::ssize(parts) / sharers;
  for (auto i = mine * std::ssize(parts) / sharers; i < end; ++i) share |= parts[static_cast<std::size_t>(i)];
  return share;
}

std::vector<Cpuset> place(const Machine& machine, const Policy& policy, const Cpuset& usable, int members) {
  return in_turn(places(machine, policy, usable), members);
}

std::vector<Cpuset> place_beside(const Machine& machine, const Cpuset& taken, const Cpuset& usable,
                                 int count) {
  if (taken.includes(usable)) return in_turn({usable}, count);
  auto places = machine.pus_near(taken, usable - taken);
  for (const Cpuset& pu : machine.pus(usable & taken)) places.push_back(pu);
  return in_turn(places, count);
}

std::string binding_report(int member, const Cpuset& where, bool is_bound) {
  return "member " + std::to_string(member) + " may run on " + where.str() +
         (is_bound ? " (bound by the team)\n" : " (left as found)\n");
}

} // namespace helper::topology

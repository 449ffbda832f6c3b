// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "soak/plan.hpp"

#include <sched.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace soak {
namespace {

/// Turns neighbouring values into independent seeds (the finaliser of SplitMix64, by Sebastiano Vigna).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

const Kind* draw_kind(Draw& shared, const std::vector<Kind>& kinds) {
  int sum = -1;
  for (const Kind& kind : kinds) sum += kind.weight;
  int left = shared.upto(sum);
  return &*std::ranges::find_if(kinds, [&](const Kind& kind) { return (left -= kind.weight) < 0; });
}

/// Sometimes delays this rank.
void tarry(Draw& own) {
  if (own.upto(3) != 0) return;
  for (int turns = own.upto(own.coin() ? 20 : 400); turns != 0; --turns) sched_yield();
}

} // namespace

Steps::Steps(const std::string& text) {
  std::istringstream input(text);
  for (std::string range; std::getline(input, range, ',');) {
    std::size_t end = 0;
    const int first = std::stoi(range, &end);
    const int last =
        end < range.size() && range[end] == '-' ? std::stoi(range.substr(end + 1), nullptr) : first;
    if (first < 1 || last < first) throw std::invalid_argument("not steps: " + range);
    ranges_.push_back({first, last});
  }
}

bool Steps::has(int number) const {
  return std::ranges::any_of(
      ranges_, [=](const Range& range) { return range.first <= number && number <= range.last; });
}

int Steps::last() const {
  int highest = 0;
  for (const Range& range : ranges_) highest = std::max(highest, range.last);
  return highest;
}

int Steps::count() const {
  int sum = 0;
  for (int number = last(); number != 0; --number) sum += has(number) ? 1 : 0;
  return sum;
}

Step::Step(std::uint64_t lap_seed, int step, const std::vector<Kind>& kinds)
    : number(step), shared(mixed(lap_seed) + static_cast<std::uint64_t>(step)),
      seed(mixed(mixed(lap_seed) + static_cast<std::uint64_t>(step))), kind(draw_kind(shared, kinds)) {}

void Step::run(Lane& lane) {
  report::begin_step(lane.number, number, kind->name);
  Draw own(seed + static_cast<std::uint64_t>(lane.rank));
  tarry(own);
  if (lane.is_transparent() && kind->waits_natively) lane.complete(true, own);
  kind->run(lane, shared, own);
  if (own.coin()) lane.complete(false, own);
}

} // namespace soak

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "soak/lane.hpp"

/// What the traffic is: a plan that is made of a seed, so that all ranks have the same.
namespace soak {

/// A kind of step. All ranks take part in it, each in the same lane, and what it needs it makes or finds in
/// the lane; so any steps of a plan can be left out. `shared` draws the same at all ranks, `own` does not.
struct Kind {
  const char* name;
  int weight; ///< how often it is drawn, among all weights
  void (*run)(Lane& lane, Draw& shared, Draw& own);
  /// It calls PMPI functions that wait for other ranks. The library gets on with a rank's sends when that is
  /// in a call of MPI functions, and LEAVE waits for them; in transparent mode there is no LEAVE.
  bool waits_natively = false;
};

std::vector<Kind> messages();
std::vector<Kind> collectives();
std::vector<Kind> objects();
/// Any thread gets on with them.
std::vector<Kind> nonblocking_collectives();
/// In which calls underneath fail, of whatever collective operation the thread gets on with. What MPI may
/// still touch stays behind then.
std::vector<Kind> failures();

/// A set of step numbers.
class Steps {
public:
  /// From "3,7,10-14"; std::invalid_argument if it is anything else.
  explicit Steps(const std::string& text);
  static Steps first(int count) { return Steps("1-" + std::to_string(count)); }
  bool empty() const { return ranges_.empty(); }
  bool has(int number) const;
  int last() const;
  int count() const;

private:
  struct Range {
    int first;
    int last;
  };
  std::vector<Range> ranges_;
};

/// A step of a lap of that seed.
struct Step {
  Step(std::uint64_t lap_seed, int number, const std::vector<Kind>& kinds);
  /// Does it, in the lane of this thread.
  void run(Lane& lane);

  int number;
  Draw shared;
  std::uint64_t seed;
  const Kind* kind;
};

} // namespace soak

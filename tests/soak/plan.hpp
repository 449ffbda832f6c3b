// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "soak/lane.hpp"

/// The plan of the traffic, made from a seed, so that all ranks have the same.
namespace soak {

/// A kind of step. All ranks take part in it, in the same lane. It makes what it needs or finds it in the
/// lane, so any steps of a plan can be left out. `shared` draws the same at all ranks, `own` does not.
struct Kind {
  const char* name;
  int weight; ///< how often it is drawn, relative to the sum of all weights
  void (*run)(Lane& lane, Draw& shared, Draw& own);
  /// It calls PMPI functions that wait for other ranks. The library advances a rank's sends while that rank
  /// is in a call of MPI functions, and LEAVE waits for them; in transparent mode there is no LEAVE.
  bool waits_natively = false;
};

std::vector<Kind> messages();
std::vector<Kind> collectives();
std::vector<Kind> objects();
/// Any thread advances these.
std::vector<Kind> nonblocking_collectives();
/// Steps in which functions that the library calls fail, in whatever collective operation the thread
/// advances. Memory that MPI may still use is leaked then.
std::vector<Kind> failures();

/// A set of step numbers.
class Steps {
public:
  /// Parses "3,7,10-14"; throws std::invalid_argument for anything else.
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

/// A step of the lap with that seed.
struct Step {
  Step(std::uint64_t lap_seed, int number, const std::vector<Kind>& kinds);
  /// Runs the step, in the lane of this thread.
  void run(Lane& lane);

  int number;
  Draw shared;
  std::uint64_t seed;
  const Kind* kind;
};

} // namespace soak

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "soak/lane.hpp"

/// The plan of the traffic. It depends on a seed only, so that all ranks have the same plan.
namespace soak {

/// A kind of step, in which all ranks take part in the same lane. A step makes what it needs or finds it in
/// the lane. So any steps of a plan can be left out. `shared` draws the same at all ranks, `own` does not.
struct Kind {
  const char* name;
  int weight; ///< probability of the kind, in parts of the sum of all weights
  void (*run)(Lane& lane, Draw& shared, Draw& own);
  /// Whether the step calls PMPI functions that wait for other ranks. While a rank waits in PMPI, the library
  /// does not advance its sends. LEAVE waits for these sends, but in transparent mode there is no LEAVE. So
  /// the lane then completes its operations before the step.
  bool waits_natively = false;
};

std::vector<Kind> messages();
std::vector<Kind> collectives();
std::vector<Kind> objects();
/// Operations that any thread may advance.
std::vector<Kind> nonblocking_collectives();
/// Steps in which functions that the library calls fail, in any collective operation that the thread
/// advances. If MPI may still use memory of a failed operation, that is never freed.
std::vector<Kind> failures();

/// A set of step numbers.
class Steps {
public:
  /// Parses "3,7,10-14". Throws std::invalid_argument if a part begins with no number, or a range is empty.
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

/// Step `number` of the lap with seed `lap_seed`.
struct Step {
  Step(std::uint64_t lap_seed, int number, const std::vector<Kind>& kinds);
  /// Runs the step in the lane of the calling thread.
  void run(Lane& lane);

  int number;
  Draw shared;
  std::uint64_t seed;
  const Kind* kind;
};

} // namespace soak

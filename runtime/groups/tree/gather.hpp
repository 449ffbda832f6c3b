// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "groups/tree/place.hpp"

namespace helper::groups::tree {

/// A gather waits for one report from every child, and keeps them in the order of the children, whatever
/// order they come in.
template <class Report>
class Gather {
public:
  explicit Gather(const Place& place) : outstanding_(place.children.size()), reports_(outstanding_) {}

  bool complete() const { return outstanding_ == 0; }

  void add(const Place& place, Id from, Report report) {
    std::size_t index = 0;
    while (place.children[index].id != from) ++index;
    reports_[index] = std::move(report);
    --outstanding_;
  }

  std::vector<Report> take() { return std::move(reports_); }
  const std::vector<Report>& reports() const { return reports_; }

private:
  std::size_t outstanding_;
  std::vector<Report> reports_;
};

} // namespace helper::groups::tree

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct hwloc_bitmap_s;

namespace helper::topology {

/// A finite set of processing units (PUs), by the system's indexes. A value type.
class Cpuset {
public:
  Cpuset();
  Cpuset(const Cpuset& other);
  Cpuset& operator=(Cpuset other) noexcept;

  static Cpuset of(int pu);

  /// Reads a list such as "0-3,8"; "" is the empty set. Returns nullopt if `list` is anything else: spaces,
  /// ranges that are open or run backwards, indexes beyond 65535.
  static std::optional<Cpuset> parse(std::string_view list);

  /// Returns the set as a list that parse() reads: for people, and to send to other ranks.
  std::string str() const;

  /// Returns the number of PUs.
  int size() const noexcept;
  bool empty() const noexcept;

  /// Returns true if every PU of `other` is in this set.
  bool includes(const Cpuset& other) const noexcept;

  /// Returns the PUs in ascending order.
  std::vector<int> pus() const;

  Cpuset& operator|=(const Cpuset& other);
  Cpuset& operator&=(const Cpuset& other);
  Cpuset& operator-=(const Cpuset& other);
  friend Cpuset operator|(Cpuset a, const Cpuset& b) { return a |= b; }
  friend Cpuset operator&(Cpuset a, const Cpuset& b) { return a &= b; }
  friend Cpuset operator-(Cpuset a, const Cpuset& b) { return a -= b; }
  friend bool operator==(const Cpuset& a, const Cpuset& b) noexcept;

  /// Returns hwloc's view of the set, never null, for Machine.
  hwloc_bitmap_s* bitmap() noexcept { return bitmap_.get(); }
  const hwloc_bitmap_s* bitmap() const noexcept { return bitmap_.get(); }

private:
  std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_s*)> bitmap_;
};

} // namespace helper::topology

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "types.hpp"

#include "layout/layout.hpp"
#include "team/team.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace bench {

enum class Direction { pack, unpack };

/// Who copies: MPI, or the library, with one thread or with all of a team.
enum class Way { native, alone, team };

/// Elements in a buffer, and their packed bytes.
class Workload {
public:
  /// About `bytes` packed bytes. The other members of `primary`'s team work where it says so.
  Workload(const TypeFamily& family, std::size_t bytes, helper::team::Member& primary);

  std::size_t bytes() const { return packed_.size(); }

  /// Copies all elements once.
  void run(Direction direction, Way way);

  /// Whether this way packs and unpacks what MPI does.
  bool is_right(Way way);

private:
  void run_natively(Direction direction);

  Elements elements_;
  std::shared_ptr<const helper::layout::Layout> layout_;
  helper::team::Member& primary_;
  std::vector<std::byte> buffer_, packed_;
};

} // namespace bench

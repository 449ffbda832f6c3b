// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <vector>

#include "hybrid/call.hpp"
#include "pipeline/stream.hpp"

namespace helper::hybrid {

/// The data in one of the buffers of a call, `base`, which are not loaded. The leader calls it. Throws
/// Rejected where there is no buffer, and std::bad_alloc.
pipeline::Stream data(const MemberCall& call, const void* base);

/// Copies the data in the receive buffer of a call to those of the other calls, by a job of the team.
/// Whatever may fail does so before anything is communicated.
class ResultCopies {
public:
  /// The leader makes the object. Throws Rejected and std::bad_alloc.
  ResultCopies(const MemberCall& source, MemberCalls calls);

  /// Throws MpiError where MPI fails to copy what it alone can.
  void run(team::Member& leader) const;

private:
  std::optional<pipeline::Stream> from_; // if there are targets
  std::vector<pipeline::Stream> targets_;
};

} // namespace helper::hybrid

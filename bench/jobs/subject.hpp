// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace bench {

/// How many untimed calls go before so many that are timed: they bring the ranks together, warm caches up and
/// wake helpers. Two at least: a rank that slept in the first, since others came late, is late itself in the
/// next.
constexpr int untimed_calls(int timed) {
  return 2 + timed / 8;
}

/// One operation on messages of one size, to be measured. The functions are called by all ranks of
/// MPI_COMM_WORLD; `native` chooses PMPI_X over MPI_X, which differ within a phase only.
class Subject {
public:
  virtual ~Subject() = default;

  /// Performs the operation once; whether this rank has the right result, to the bit.
  virtual bool is_right(bool native) = 0;

  /// Performs the operation `calls` times; returns the seconds that this rank spent in it.
  virtual double seconds(bool native, int calls) = 0;
};

} // namespace bench

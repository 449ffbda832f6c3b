// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/selection.hpp"

/// This is a model of how long algorithms take among ranks of several nodes. It is to tell which of them is
/// the faster, and depends on nothing but what all ranks know alike.
namespace helper::collective {

/// Says what messages between nodes cost (LogGP), and work on bytes, in seconds.
struct NetworkCosts {
  double latency;       ///< from the end of sending to the begin of receiving
  double local_latency; ///< the same within a node
  double overhead;      ///< of a processor, for each message that it sends and receives
  double per_byte;      ///< of the link of a node, which all of its ranks share
  double local_byte;    ///< of a byte that goes from rank to rank within a node
  double reduced_byte;  ///< of a byte that one thread combines with another
  double team;          ///< threads that reduce together
};

/// These are those of 100 Gbit/s of InfiniBand or RoCE, and of a processor and a team of today's. Which size
/// a team has must not decide.
inline constexpr NetworkCosts network_costs{1.5e-6, 0.5e-6, 0.4e-6, 1 / 12.5e9, 1 / 10e9, 1 / 5e9, 4};

/// Native MPI is chosen where it takes less than this part of the time of the library's fastest algorithm.
inline constexpr double native_gain = 0.98;

/// Tells whether model_seconds() knows the operation's algorithms, and native MPI's.
bool is_modelled(Operation operation) noexcept;

/// Returns how long the operation takes by the algorithm in the situation, which is on several nodes. Native
/// MPI is taken for MPICH, with its thresholds between algorithms.
double model_seconds(Operation operation, Algorithm algorithm, const Situation& situation) noexcept;

} // namespace helper::collective

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "common/crew.hpp"
#include "report.hpp"
#include "workload.hpp"

#include <chrono>
#include <vector>

namespace bench {

/// Measures one workload with every variant in turn, again and again until `seconds` have passed; at least 5
/// and at most 100 times. To be called by all ranks, from what `crew` runs. Throws std::runtime_error, on all
/// ranks, if a variant's result is wrong.
Point measure(Workload& workload, Crew& crew, const std::vector<Variant>& variants,
              std::chrono::duration<double> time);

} // namespace bench

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>

namespace bench {

/// The colour of the n-th curve, in hexadecimal: native MPI, the first, is grey; the others take turns at
/// colours that the colour-blind can tell apart.
std::string colour(std::size_t curve);

/// Has gnuplot execute a script. Throws std::runtime_error if it fails.
void run_gnuplot(std::string script);

} // namespace bench

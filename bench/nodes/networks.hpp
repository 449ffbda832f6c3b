// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "collective/network.hpp"

#include <array>

namespace bench::nodes {

using helper::collective::Network;

/// Those that are modelled: what `team` costs is set for each cell.
inline constexpr std::array networks{helper::collective::networks[1], helper::collective::networks[3],
                                     helper::collective::networks[4]};

} // namespace bench::nodes

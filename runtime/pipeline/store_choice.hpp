// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "pipeline/choice.hpp"

namespace helper::pipeline {

/// How to write memory that another core has read and will read. A plain store first fetches the line from
/// wherever it is, which between cores that share no cache runs at 3 GB/s. A streaming store goes past the
/// caches, always at 29 GB/s, but then the reader finds the line in memory, at 19 GB/s, and not in a cache,
/// at 45.
enum class Stores { plain, streaming };

/// The faster ones, writing and reading together.
using StoreChoice = Choice<Stores>;
using StoreChoices = Choices<Stores>;

} // namespace helper::pipeline

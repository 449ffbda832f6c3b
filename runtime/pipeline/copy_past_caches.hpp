// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>

namespace helper::pipeline {

/// Copies by streaming stores, which do not fetch the lines that they write. `target` is aligned to 16 bytes.
/// The copy is visible to whoever learns of it by a release.
void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

} // namespace helper::pipeline

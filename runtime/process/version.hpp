// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace helper::process {

/// Returns the library's version, such as "0.9.0". All processes of a job must have the same version, since
/// the messages between them change with it.
const char* version() noexcept;

} // namespace helper::process

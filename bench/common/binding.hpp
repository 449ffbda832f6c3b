// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace bench {

/// Binds the calling thread to a core. Indices 0 and 1 are different cores if there are two.
void bind_to_core(unsigned index);

} // namespace bench

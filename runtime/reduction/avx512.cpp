// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "reduction/kernels.hpp"

constexpr helper::reduction::Table helper::reduction::avx512 = make_table("avx512");

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

/// These are the reasons for leaving a call to native MPI, as Member::decline() is given them.
namespace helper::collective::reason {

inline constexpr const char* arguments = "nothing to do, or arguments for MPI to judge";
inline constexpr const char* kernel = "no kernel for this operation on this type";
inline constexpr const char* shadow = "a communicator without shadow";
inline constexpr const char* one_rank = "one rank";
inline constexpr const char* selection = "native MPI is the faster, or was asked for";

} // namespace helper::collective::reason

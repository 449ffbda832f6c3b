// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

/// This is the hash of Fowler, Noll and Vo, variant 1a, of 64 bits: the same at all processes for the same
/// numbers, which are words here where the authors have bytes, and as good as never for others.
namespace helper::transport::fnv1a {

/// This is the hash of no numbers at all.
constexpr std::uint64_t basis = 0xcbf29ce484222325;

/// Returns the hash of the numbers that have `hash`, and of one more behind them.
constexpr std::uint64_t add(std::uint64_t hash, std::uint64_t number) noexcept {
  return (hash ^ number) * 0x100000001b3;
}

} // namespace helper::transport::fnv1a

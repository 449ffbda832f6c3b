// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>

// An imitated GPU runtime. Its memory is mapped twice: at addresses that the CPU cannot touch, like a GPU's,
// which the library gets, and at others that the CPU can touch.
namespace stand_in {

extern "C" {

/// Returns the GPU address of `bytes` bytes. One thread at a time may call these three functions.
void* stand_in_allocate(std::size_t bytes);
void stand_in_free(void* address);

/// Lets the CPU touch all of the GPU's memory, or forbids it.
void stand_in_open(bool open);

/// Returns the distance from a GPU address to the CPU's address of the same byte; 0 for any other address.
std::ptrdiff_t stand_in_distance(const void* address);
}

/// Returns the CPU's address for an address of the GPU.
template <class Item>
Item* by_cpu(Item* address) {
  return reinterpret_cast<Item*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(stand_in_distance(address)));
}

} // namespace stand_in

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>

// An imitated GPU runtime. Its memory is mapped twice. The library gets the addresses of the first mapping,
// which the CPU cannot touch, like GPU addresses. The CPU can touch the second mapping.
namespace stand_in {

extern "C" {

/// Allocates memory and returns its GPU address. One thread at a time may call these functions.
void* stand_in_allocate(std::size_t bytes);
void stand_in_free(void* address);

/// Lets the CPU touch all GPU addresses, or forbids it.
void stand_in_open(bool open);

/// Returns the distance from a GPU address to the CPU's address of the same byte, or 0 for other addresses.
std::ptrdiff_t stand_in_distance(const void* address);
}

/// Returns the address at which the CPU sees what is at a GPU address.
template <class Item>
Item* by_cpu(Item* address) {
  return reinterpret_cast<Item*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(stand_in_distance(address)));
}

} // namespace stand_in

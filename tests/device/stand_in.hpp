// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>

// A GPU's runtime that is none. Its memory is there twice: at addresses that the CPU cannot touch, as those
// of a GPU, which are all that the library learns of, and at others where it can.
namespace stand_in {

extern "C" {

/// The address on the GPU of so many bytes. These three are for one thread at a time.
void* stand_in_allocate(std::size_t bytes);
void stand_in_free(void* address);

/// Lets the CPU touch all of the GPU's memory, or no more.
void stand_in_open(bool open);

/// How far behind an address of the GPU the same byte is for the CPU; 0 for any other address.
std::ptrdiff_t stand_in_distance(const void* address);
}

/// Where the CPU has what is at an address of the GPU.
template <class Item>
Item* by_cpu(Item* address) {
  return reinterpret_cast<Item*>(reinterpret_cast<std::uintptr_t>(address) +
                                 static_cast<std::uintptr_t>(stand_in_distance(address)));
}

} // namespace stand_in

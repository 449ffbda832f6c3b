// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstddef>

/// Segments of shared memory, for the processes of one user on one node. They remain mapped until the process
/// ends, and exist by name only until all have mapped them.
namespace helper::transport::segment {

/// A segment's name, of equal length everywhere so that it can be sent.
using Name = std::array<char, 64>;

/// A name that no other segment has.
Name new_name();

/// How many bytes there are left for segments, of all processes, on this node; those of MPI and of the
/// program among them.
std::size_t room() noexcept;

/// Whether this process may make a file of so many bytes. Where its limit does not let it, it would be ended.
bool may_make_file(std::size_t bytes) noexcept;

/// Makes and maps a segment of zeros, of which every page is there; nullptr if the system does not let us.
std::byte* create(const Name& name, std::size_t bytes);

/// Maps another process's segment, to read or also to write; nullptr if the system does not let us.
enum class Access { read, write };
std::byte* open(const Name& name, std::size_t bytes, Access access);

/// After the last has opened it.
void unlink(const Name& name);

} // namespace helper::transport::segment

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Makes the objects of the library, in a test that includes this file, behave like the shared library. The
// shared library defines this function, and carries partitioned and contiguous messages.
extern "C" void mpi_helper_tools_bind() noexcept;
void mpi_helper_tools_bind() noexcept {}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// A test that includes this file makes the library's objects behave like the shared library, which defines
// this function, and which carries partitioned and contiguous messages.
extern "C" void mpi_helper_tools_bind() noexcept;
void mpi_helper_tools_bind() noexcept {}

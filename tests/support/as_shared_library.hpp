// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// A test that includes this has the library's objects behave as in the shared library, which alone has this
// function, and carries partitioned messages and dense ones.
extern "C" void mpi_helper_tools_bind() noexcept;
void mpi_helper_tools_bind() noexcept {}

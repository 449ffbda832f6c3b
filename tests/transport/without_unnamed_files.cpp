// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Imitates a system that has no files without a name.

#include <sys/mman.h>

#include <cerrno>

extern "C" int memfd_create(const char*, unsigned) noexcept {
  errno = ENOSYS;
  return -1;
}

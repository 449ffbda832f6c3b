// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// A program without MPI.

#include <stdio.h>

int main(int argc, char** argv) {
  printf("%d arguments, the last is <%s>\n", argc - 1, argv[argc - 1]);
  return 7;
}

/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers */
/* SPDX-License-Identifier: BSD-3-Clause */

/* `host PROGRAM ARGUMENT...` is a program without MPI that loads one with MPI, as Python does. PROGRAM is a
 * shared object with a main function. It is loaded with RTLD_LOCAL. */

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* program = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*run)(int, char**) = NULL;
  int result;
  if (program == NULL) {
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no program");
    return 1;
  }
  *(void**)&run = dlsym(program, "main");
  result = run(argc - 1, argv + 1);
  dlclose(program);
  return result;
}

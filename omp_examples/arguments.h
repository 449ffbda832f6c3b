/* SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads the arguments of an example, which are integers. */

#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct argument {
  const char* name;
  int fallback; /* the value if the argument is missing */
  int least, most;
};

static inline int read_number(const char* text, const struct argument* argument, int* value) {
  char* end;
  errno = 0;
  const long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || number < argument->least || number > argument->most)
    return 0;
  *value = (int)number;
  return 1;
}

/* Sets the values from the arguments; the last ones may be missing. `word`, unless NULL, may follow all of
 * them. On an error rank 0 prints the usage, and all processes exit. All processes call it after MPI_Init. */
static inline void read_arguments(int argc, char** argv, int count, const struct argument* arguments,
                                  int* values, const char* word) {
  const char* wrong = NULL;
  int rank;
  for (int i = 0; i < count; ++i) values[i] = arguments[i].fallback;
  for (int i = 1; i < argc && wrong == NULL; ++i) {
    const int is_word = i == count + 1 && word != NULL && strcmp(argv[i], word) == 0;
    if (!is_word && (i > count || !read_number(argv[i], &arguments[i - 1], &values[i - 1]))) wrong = argv[i];
  }
  if (wrong == NULL) return;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    if (strcmp(wrong, "--help") != 0) fprintf(stderr, "Not an argument of this program: %s\n", wrong);
    fprintf(stderr, "Usage: %s", argv[0]);
    for (int i = 0; i < count; ++i) fprintf(stderr, " [%s", arguments[i].name);
    if (word != NULL) fprintf(stderr, " [%s]", word);
    for (int i = 0; i < count; ++i) fprintf(stderr, "]");
    for (int i = 0; i < count; ++i)
      fprintf(stderr, "\n  %s: from %d to %d, default %d", arguments[i].name, arguments[i].least,
              arguments[i].most, arguments[i].fallback);
    fprintf(stderr, "\n");
  }
  MPI_Finalize();
  exit(strcmp(wrong, "--help") == 0 ? EXIT_SUCCESS : 2);
}

#endif

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <array>
#include <set>
#include <string>

/// The program every_function. At two ranks, each function here calls some of the intercepted functions.
namespace every_function {

void messages();
void collectives();
/// Spawns `program`, which only disconnects from its parent.
void objects(const char* program);

inline std::set<std::string> called;

// CALL names the function to call. BOTH calls it, and also its large-count form with the same arguments.
#define CALL(name) (called.insert(#name), name)
#define BOTH(name, ...)                                                                                      \
  do {                                                                                                       \
    CALL(name)(__VA_ARGS__);                                                                                 \
    CALL(name##_c)(__VA_ARGS__);                                                                             \
  } while (false)
// For functions whose last argument is a request. BEGIN completes the request, MAKE starts and completes it
// if it is persistent. The _BOTH forms call the large-count form as well.
#define BEGIN(name, ...)                                                                                     \
  do {                                                                                                       \
    MPI_Request begun;                                                                                       \
    CALL(name)(__VA_ARGS__, &begun);                                                                         \
    MPI_Wait(&begun, MPI_STATUS_IGNORE);                                                                     \
  } while (false)
#define BEGIN_BOTH(name, ...)                                                                                \
  do {                                                                                                       \
    BEGIN(name, __VA_ARGS__);                                                                                \
    BEGIN(name##_c, __VA_ARGS__);                                                                            \
  } while (false)
#define MAKE(name, ...)                                                                                      \
  do {                                                                                                       \
    MPI_Request made;                                                                                        \
    CALL(name)(__VA_ARGS__, &made);                                                                          \
    MPI_Start(&made);                                                                                        \
    MPI_Wait(&made, MPI_STATUS_IGNORE);                                                                      \
    MPI_Request_free(&made);                                                                                 \
  } while (false)
#define MAKE_BOTH(name, ...)                                                                                 \
  do {                                                                                                       \
    MAKE(name, __VA_ARGS__);                                                                                 \
    MAKE(name##_c, __VA_ARGS__);                                                                             \
  } while (false)

inline constexpr int n = 4;
inline std::array<int, 16> in{};
inline std::array<int, 16> out{};
inline int* const a = in.data();
inline int* const b = out.data();
inline int rank = 0;
inline int other = 0; // the other rank
inline MPI_Comm all = MPI_COMM_NULL;
inline MPI_Status* const ignored = MPI_STATUS_IGNORE;

} // namespace every_function

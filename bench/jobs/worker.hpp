// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace bench {

/// Returns the first line of the MPI library's version, without how it was built.
inline std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  PMPI_Get_library_version(text, &length);
  std::string mpi(text, static_cast<std::size_t>(length));
  std::ranges::replace(mpi, '\t', ' ');
  return mpi.substr(0, mpi.find_first_of(",\n"));
}

/// Returns the number of untimed calls before `timed` timed ones. Untimed calls bring the ranks together,
/// warm the caches and wake helpers. There are at least two: a rank that slept in the first call, because
/// others came late, is late in the next.
constexpr int untimed_calls(int timed) {
  return 2 + timed / 8;
}

/// One operation on messages of one size, to be measured. All ranks of MPI_COMM_WORLD call the functions.
/// `native` chooses PMPI_X over MPI_X, which differ only within a phase.
class Subject {
public:
  virtual ~Subject() = default;

  /// Performs the operation once. Returns whether this rank has the right result, to the bit.
  virtual bool is_right(bool native) = 0;

  /// Performs the operation `calls` times; returns the seconds that this rank spent in it.
  virtual double seconds(bool native, int calls) = 0;
};

/// Makes the subject for commands about an operation and a size.
using MakeSubject = std::function<std::unique_ptr<Subject>(int operation, std::size_t bytes)>;

/// The main function of the processes of a Job, from MPI_Init to MPI_Finalize. It executes commands, and
/// sleeps between them. The last argument is the job's socket.
int work(int argc, char** argv, const MakeSubject& make);

} // namespace bench

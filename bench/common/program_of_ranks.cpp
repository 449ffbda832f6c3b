// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"

#include <cstdlib>
#include <exception>

#include <mpi.h>

namespace bench {

int Program::run_ranks(int argc, char** argv, const std::function<void(int rank)>& run) {
  int provided = 0;
  int rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = EXIT_SUCCESS;
  try {
    parse(argc, argv);
    run(rank);
  } catch (const CLI::ParseError& answer) { // --help, too
    status = rank == 0 ? exit(answer) : answer.get_exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: rank {}: {}\n", get_name(), rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return status;
}

} // namespace bench

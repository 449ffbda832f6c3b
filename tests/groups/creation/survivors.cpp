// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// One rank is killed, and the launcher tells the other ranks by SIGUSR1. They make a communicator with the
// algorithm that the first argument names, and reduce on it. Each then prints "regrouped". If the second
// argument is "in_phase", all this happens in a phase with a helper. The ranks exit without MPI_Finalize,
// which would wait for the dead rank.

#include <mpi_helper.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Returns a communicator of all ranks of MPI_COMM_WORLD except `dead`, or MPI_COMM_NULL if that fails.
MPI_Comm create_without(int dead, int size, const char* algorithm) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group living = MPI_GROUP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &dead, &living);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_group_algorithm", algorithm);
  const int code = MPIX_Group_comm_create_info(MPI_COMM_WORLD, living, 0, info, &made);
  if (code != MPI_SUCCESS) std::printf("rank of %d survivors: error %d\n", size - 1, code);
  MPI_Info_free(&info);
  MPI_Group_free(&living);
  MPI_Group_free(&all);
  return made;
}

/// Reduces a small and a large message, which use different algorithms. Returns whether the sums are right.
bool reduces(MPI_Comm comm, int size) {
  for (const std::size_t count : std::array<std::size_t, 2>{1, 100'000}) {
    const std::vector<int> ones(count, 1);
    std::vector<int> sums(count);
    const int code = MPI_Allreduce(ones.data(), sums.data(), static_cast<int>(count), MPI_INT, MPI_SUM, comm);
    if (code != MPI_SUCCESS || sums != std::vector<int>(count, size)) return false;
  }
  return true;
}

/// One rank of MPI_COMM_WORLD kills itself, of which the launcher tells the other ranks by a signal in
/// `told`. Returns a communicator of the other ranks, or MPI_COMM_NULL if that fails.
MPI_Comm survive(int rank, int size, const sigset_t& told, const char* algorithm) {
  const int victim = size / 2;
  if (!reduces(MPI_COMM_WORLD, size)) return MPI_COMM_NULL;
  if (rank == victim) std::raise(SIGKILL);
  int signal = 0;
  sigwait(&told, &signal);
  MPI_Comm living = create_without(victim, size, algorithm);
  return living != MPI_COMM_NULL && reduces(living, size - 1) ? living : MPI_COMM_NULL;
}

/// Calls `work` in a phase, with another thread as helper.
template <class Work>
void in_phase(const Work& work) {
  const auto take_part = [](const auto& then) {
    MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
    MPI_Helper_team_create(0, 2, &team);
    MPI_Helper_join(team);
    MPI_Helper_fence(team); // now both threads are in the phase
    then();
    MPI_Helper_leave(team);
  };
  std::thread helper(take_part, [] {});
  take_part(work);
  helper.join();
}

} // namespace

int main(int argc, char** argv) {
  sigset_t told; // blocked before MPI_Init, so also in the threads of MPI
  sigemptyset(&told);
  sigaddset(&told, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &told, nullptr);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm living = MPI_COMM_NULL;
  const auto regroup = [&] { living = survive(rank, size, told, argv[1]); };
  if (argv[2] == std::string("in_phase"))
    in_phase(regroup);
  else
    regroup();
  if (living == MPI_COMM_NULL) return EXIT_FAILURE;
  std::puts("regrouped");
  std::fflush(stdout);
  MPI_Barrier(living); // when one process exits, the launcher may end all
  std::_Exit(EXIT_SUCCESS);
}

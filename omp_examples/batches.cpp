// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tasks that need several processes each, such as the quantum mechanical parts of a QM/MM calculation. For
// each task, process 0 puts idle processes into a group, as many as the task wants, while other groups work.
// The members make a communicator with MPIX_Group_comm_create, without the other processes. They divide the
// task among their processes and threads, and sum the results. Argument: number of tasks. At least two
// processes.

#include "communication.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using namespace example;

constexpr int idle_tag = 1, batch_tag = 2, first_creation_tag = 3;
constexpr int no_task = -1;

/// A molecule in which every two atoms attract each other. Nobody knows beforehand how long a task takes.
struct Task {
  std::vector<double> atoms; ///< places
  int wanted;                ///< processes

  explicit Task(int number) {
    std::mt19937 random(static_cast<unsigned>(number) + 1);
    atoms.resize(100 + random() % 900);
    for (double& atom : atoms) atom = std::uniform_real_distribution(0.0, 1.0)(random);
    wanted = static_cast<int>(random() % 4) + 1;
  }
};

/// Returns the forces on all atoms. Each process of `comm` computes a share; MPI_COMM_NULL: one process
/// computes all.
std::vector<double> forces(const Task& task, MPI_Comm comm, bool helped, double& seconds) {
  const int count = static_cast<int>(task.atoms.size());
  int size = 1, rank = 0;
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
  }
  std::vector<double> sums(task.atoms.size());
  const Share own = share(count, size, rank);
  double spent = 0;
#pragma omp parallel reduction(+ : spent)
  {
    Communication communication(helped);
#pragma omp for
    for (int i = own.first; i < own.first + own.count; ++i)
      for (const double other : task.atoms) {
        const double distance = other - task.atoms[static_cast<std::size_t>(i)];
        sums[static_cast<std::size_t>(i)] += distance / (0.01 + std::abs(distance));
      }
    communication([&] {
      if (comm != MPI_COMM_NULL) MPI_Allreduce(MPI_IN_PLACE, sums.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    });
    spent += communication.seconds();
  }
  seconds += spent;
  return sums;
}

double norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// A message to process 0: this process is idle, and the result of the task that it has led.
struct Idle {
  int task = no_task;
  double result = 0;
};

/// Process 0: gives each task to as many idle processes as it wants. Returns the results.
std::vector<double> hand_out(int tasks, int workers) {
  std::vector<double> results(static_cast<std::size_t>(tasks));
  std::vector<int> idle;
  int next = 0;
  const auto hear = [&] {
    Idle message;
    MPI_Status status;
    MPI_Recv(&message, sizeof message, MPI_BYTE, MPI_ANY_SOURCE, idle_tag, MPI_COMM_WORLD, &status);
    if (message.task != no_task) results[static_cast<std::size_t>(message.task)] = message.result;
    idle.push_back(status.MPI_SOURCE);
  };
  for (; next < tasks; ++next) {
    const auto wanted = static_cast<std::size_t>(std::min(Task(next).wanted, workers));
    while (idle.size() < wanted) hear();
    std::vector<int> batch{next};
    batch.insert(batch.end(), idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(wanted));
    idle.erase(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(wanted));
    for (std::size_t i = 1; i < batch.size(); ++i)
      MPI_Send(batch.data(), static_cast<int>(batch.size()), MPI_INT, batch[i], batch_tag, MPI_COMM_WORLD);
  }
  while (idle.size() < static_cast<std::size_t>(workers)) hear();
  for (const int worker : idle) MPI_Send(&no_task, 1, MPI_INT, worker, batch_tag, MPI_COMM_WORLD);
  return results;
}

/// All other processes: work on tasks in groups until there are no more.
void work(int workers, bool helped, double& seconds) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  Idle own;
  for (;;) {
    std::vector<int> batch(static_cast<std::size_t>(workers) + 1);
    MPI_Status status;
    int count = 0;
    MPI_Send(&own, sizeof own, MPI_BYTE, 0, idle_tag, MPI_COMM_WORLD);
    own = {};
    MPI_Recv(batch.data(), static_cast<int>(batch.size()), MPI_INT, 0, batch_tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    if (batch.front() == no_task) break;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group_incl(world, count - 1, batch.data() + 1, &group);
    MPIX_Group_comm_create(MPI_COMM_WORLD, group, first_creation_tag + batch.front(), &comm);
    const double result = norm(forces(Task(batch.front()), comm, helped, seconds));
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) own = {batch.front(), result};
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
  }
  MPI_Group_free(&world);
}

/// Returns how far process 0's results are from those of a single process.
double difference(const std::vector<double>& results) {
  double most = 0, unused = 0;
  for (std::size_t i = 0; i < results.size(); ++i)
    most = std::max(
        most, std::abs(results[i] - norm(forces(Task(static_cast<int>(i)), MPI_COMM_NULL, false, unused))));
  return most;
}

} // namespace

int main(int argc, char** argv) {
  const World world = start(argc, argv);
  const int size = world.size, rank = world.rank;
  const auto [tasks] = read(argc, argv, {{"TASKS", 16, 1, 1000000}});

  if (size == 1) {
    std::printf("One process hands out tasks, so that there must be others\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }

  double seconds[2] = {}, error = 0;
  for (const bool helped : {false, true}) {
    if (rank == 0)
      error = std::max(error, difference(hand_out(tasks, size - 1)));
    else
      work(size - 1, helped, seconds[helped]);
  }
  double most[2];
  MPI_Reduce(seconds, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  show("Allreduce of batches", most[false], most[true]);
  const int result = status(error, 1e-9);
  MPI_Finalize();
  return result;
}

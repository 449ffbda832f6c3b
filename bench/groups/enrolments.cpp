// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "trees/study.hpp"

#include <mpi_helper.h>

namespace {

std::size_t sent = 0;

} // namespace

// The linker (--wrap) redirects the sends of the library in this program to this function.
extern "C" int __real_PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
extern "C" int __wrap_PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                                 MPI_Comm comm, MPI_Request* request) {
  ++sent;
  return __real_PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

namespace {

using namespace bench;
using helper::groups::tree::Rank;
using helper::groups::tree::Scheme;

constexpr auto description =
    R"(Enrolments in system-ranked groups by real ranks, of which a random fraction participates: their messages, compared with
the model that `trees` uses, and the time of the slowest rank. Fails if the numbers of messages differ. Run it with
mpiexec.)";

struct Enrolments {
  std::size_t messages; ///< of all ranks, in one enrolment
  double microseconds;  ///< the median
};

Enrolments enrol(MPIX_Sysgroup all, bool participates, const Scheme& scheme, int repetitions) {
  constexpr std::array algorithms{"centralised", "balance", "hash"}, fillers{"none", "child", "leaf"};
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_scheme", algorithms.at(static_cast<std::size_t>(scheme.algorithm)));
  if (scheme.algorithm != Scheme::SchemeAlgorithm::centralised) // which needs none
    MPI_Info_set(info, "mpi_helper_filler", fillers.at(static_cast<std::size_t>(scheme.filler)));
  std::vector<double> times;
  std::size_t messages = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    MPIX_Sysgroup_barrier(all); // ranks without a core sleep in it
    sent = 0;
    MPIX_Sysgroup group = MPIX_SYSGROUP_NULL;
    double time = -MPI_Wtime();
    MPIX_Sysgroup_enroll(all, participates ? 1 : 0, info, &group);
    time += MPI_Wtime();
    messages = sent;
    if (group != MPIX_SYSGROUP_NULL) MPIX_Sysgroup_free(&group);
    times.push_back(time * 1e6);
  }
  MPI_Info_free(&info);
  PMPI_Allreduce(MPI_IN_PLACE, times.data(), repetitions, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &messages, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
  return {messages, median(times)};
}

/// Returns the messages that ranks send and the model leaves out. Each member of the new group and its parent
/// exchange their identities. With hash, a message from the bottom to the top and back shows all members that
/// all are done. Messages of a process to itself do not count.
std::size_t expected_messages(const model::Enrolled& model, const Scheme& scheme, Rank processes,
                              Rank participants) {
  const Rank ends = scheme.algorithm == Scheme::SchemeAlgorithm::hash ? 2 * (processes - 1) : 0;
  return model.messages - model.to_itself + static_cast<std::size_t>(2 * (participants - 1) + ends);
}

void measure(int repetitions, Lines& lines, int rank) {
  Rank processes;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_helper_branching", "3"); // the model's
  MPIX_Sysgroup all = MPIX_SYSGROUP_NULL;
  MPIX_Sysgroup_from_comm(MPI_COMM_WORLD, info, &all);
  MPI_Info_free(&info);
  for (const double fraction : {0.01, 0.1, 0.3, 0.6, 0.9, 1.0}) {
    const auto participants = std::max(1, static_cast<Rank>(std::lround(fraction * processes)));
    const auto drawn = draw_participants(participants, processes);
    for (const auto& [name, scheme, in_paper] : named_schemes()) {
      const auto [messages, microseconds] =
          enrol(all, drawn[static_cast<std::size_t>(rank)], scheme, repetitions);
      const auto expected =
          expected_messages(model::enrol(model::blue_gene, drawn, scheme), scheme, processes, participants);
      lines.add({{"ranks", processes},
                 {"fraction", fraction},
                 {"scheme", name},
                 {"messages", messages},
                 {"model_messages", expected},
                 {"microseconds", microseconds}});
      if (rank == 0 && messages != expected) throw std::runtime_error("not as many messages as in the model");
    }
  }
  MPIX_Sysgroup_free(&all);
}

} // namespace

int main(int argc, char** argv) {
  int repetitions = 15;
  Program program("enrolments", description);
  program.add_repetitions(repetitions);
  return program.run_ranks(argc, argv, [&](int rank, Lines& lines) { measure(repetitions, lines, rank); });
}

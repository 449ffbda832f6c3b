// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/crew.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"

#include <fmt/format.h>
#include <mpi_helper.h>

#include <optional>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(Partitioned messages of native MPI and of teams, of contiguous doubles and of single ones with gaps, from rank 0 to
rank 1: rank 0 computes one partition after the other and makes each ready. The time of all (total), and the time from the
last MPI_Pready until the message is complete at both ends (last), in us. Run it with mpiexec.)";

struct Settings {
  int repetitions = 20;
  std::vector<int> teams{1, 2};
  std::vector<std::size_t> sizes{std::size_t{128} << 10, std::size_t{1} << 20, std::size_t{4} << 20,
                                 std::size_t{16} << 20};
};

constexpr int partitions = 16;

/// The functions of native MPI, or those that the library intercepts.
struct Functions {
  decltype(&MPI_Psend_init) send_init;
  decltype(&MPI_Precv_init) receive_init;
  decltype(&MPI_Start) start;
  decltype(&MPI_Pready) pready;
  decltype(&MPI_Wait) wait;
  decltype(&MPI_Request_free) free;
};
constexpr Functions native{PMPI_Psend_init, PMPI_Precv_init, PMPI_Start,
                           PMPI_Pready,     PMPI_Wait,       PMPI_Request_free};
constexpr Functions own{MPI_Psend_init, MPI_Precv_init, MPI_Start, MPI_Pready, MPI_Wait, MPI_Request_free};

/// The doubles of a message, `stride` apart.
struct Buffer {
  Buffer(std::size_t bytes, bool is_scattered)
      : each(bytes / sizeof(double) / partitions), stride(is_scattered ? 2 : 1),
        values(each * partitions * stride) {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(each), 1, static_cast<int>(stride), MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(each * stride * sizeof(double)), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&vector);
  }
  ~Buffer() { MPI_Type_free(&type); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void compute(int partition, double value) {
    const std::size_t first = static_cast<std::size_t>(partition) * each;
    for (std::size_t i = first; i < first + each; ++i) values[i * stride] = value + static_cast<double>(i);
  }
  bool holds(double value) const {
    for (std::size_t i = 0; i < each * partitions; ++i)
      if (values[i * stride] != value + static_cast<double>(i)) return false;
    return true;
  }

  std::size_t each; ///< doubles of a partition
  std::size_t stride;
  std::vector<double> values;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Times in microseconds: natively (team 0) or with a team.
struct Samples {
  int team;
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<double> total = {}, last = {};

  const Functions& functions() const { return team == 0 ? native : own; }

  void make(Buffer& buffer, int rank) {
    if (rank == 0)
      functions().send_init(buffer.values.data(), partitions, 1, buffer.type, 1, 0, MPI_COMM_WORLD,
                            MPI_INFO_NULL, &request);
    else
      functions().receive_init(buffer.values.data(), partitions, 1, buffer.type, 0, 0, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request);
  }

  /// Passes a message. Returns whether what was received is right.
  bool pass(Buffer& buffer, int rank, double value) {
    functions().start(&request);
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    double ready = begin;
    for (int partition = 0; rank == 0 && partition < partitions; ++partition) {
      buffer.compute(partition, value);
      ready = MPI_Wtime();
      functions().pready(partition, request);
    }
    functions().wait(&request, MPI_STATUS_IGNORE);
    if (rank != 0) {
      PMPI_Send(nullptr, 0, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
      return buffer.holds(value);
    }
    PMPI_Recv(nullptr, 0, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double end = MPI_Wtime();
    total.push_back((end - begin) * 1e6);
    last.push_back((end - ready) * 1e6);
    return true;
  }
};

void report(Lines& lines, bool is_scattered, std::size_t bytes, const std::vector<Samples>& all) {
  for (const Samples& each : all) {
    const double total = quantiles(each.total).median;
    const double last = quantiles(each.last).median;
    lines.add({{"data", is_scattered ? "vector" : "dense"},
               {"bytes", bytes},
               {"team", each.team},
               {"total", total},
               {"last", last},
               {"speedup", quantiles(all.front().total).median / total},
               {"speedup of last", quantiles(all.front().last).median / last}});
  }
}

void measure(const Settings& settings, Lines& lines, Crew& crew, int rank) {
  std::optional<int> wrong; // the first team that received wrong data
  for (const bool is_scattered : {false, true}) {
    for (const std::size_t bytes : settings.sizes) {
      Buffer buffer(bytes, is_scattered);
      std::vector<Samples> samples{{0}};
      for (const int team : settings.teams) samples.push_back({team});
      for (Samples& each : samples) crew.phase(each.team, [&] { each.make(buffer, rank); });
      for (int repetition = 0; repetition <= settings.repetitions; ++repetition) {
        for (Samples& each : samples)
          crew.phase(each.team, [&] {
            if (!each.pass(buffer, rank, repetition + each.team) && !wrong) wrong = each.team;
          });
      }
      for (Samples& each : samples) {
        each.functions().free(&each.request);
        if (rank != 0) continue;
        each.total.erase(each.total.begin()); // the first start, which MPI handles
        each.last.erase(each.last.begin());
      }
      if (rank == 0) report(lines, is_scattered, bytes, samples);
    }
  }
  if (wrong) throw std::runtime_error(fmt::format("wrong data, first by team {} (0: native)", *wrong));
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("partitioned", description);
  program.add_repetitions(settings.repetitions);
  program.add_teams(settings.teams);
  program.add_bytes("--sizes", settings.sizes, "Bytes of the message");
  return program.run_ranks(argc, argv, [&](int rank, Lines& lines) {
    Crew crew(settings.teams);
    crew.run([&] { measure(settings, lines, crew, rank); });
  });
}

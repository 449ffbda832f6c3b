// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/crew.hpp"
#include "common/ranks.hpp"
#include "types.hpp"

namespace {

using namespace bench;

constexpr auto description =
    R"(Partitioned messages of native MPI and of teams, of contiguous doubles and of single ones with gaps, from rank 0 to
rank 1: rank 0 computes one partition after the other and makes each ready. The time of all (total), and the time from the
last MPI_Pready until the message is complete at both ends (last), in us. Run it with mpiexec.)";

struct Settings {
  int repetitions = 20;
  std::vector<int> teams{1, 2};
  std::vector<std::size_t> sizes{128 * KiB, MiB, 4 * MiB, 16 * MiB};
};

constexpr int partitions = 16;

struct Buffer {
  Buffer(std::size_t bytes, bool is_scattered)
      : each(bytes / sizeof(double) / partitions), stride(is_scattered ? 2 : 1),
        values(each * partitions * stride), part(part_of(each, stride), 1) {}

  static MPI_Datatype part_of(std::size_t each, std::size_t stride) {
    MPI_Datatype vector, type;
    MPI_Type_vector(static_cast<int>(each), 1, static_cast<int>(stride), MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(each * stride * sizeof(double)), &type);
    MPI_Type_free(&vector);
    return type;
  }

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
  Elements part;
};

/// Microseconds, at rank 0.
struct Times {
  double total = 0, last = 0;
};

/// A way to pass a message: natively (team 0) or with a team.
struct Way {
  int team;
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_right = true; ///< what was received

  bool native() const { return team == 0; }

  void make(Buffer& buffer) {
    if (own_rank() == 0)
      (native() ? PMPI_Psend_init : MPI_Psend_init)(buffer.values.data(), partitions, 1, buffer.part.type(),
                                                    1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
      (native() ? PMPI_Precv_init : MPI_Precv_init)(buffer.values.data(), partitions, 1, buffer.part.type(),
                                                    0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }

  Times pass(Buffer& buffer, double value) {
    const bool sends = own_rank() == 0;
    (native() ? PMPI_Start : MPI_Start)(&request);
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    double ready = begin;
    for (int partition = 0; sends && partition < partitions; ++partition) {
      buffer.compute(partition, value);
      ready = MPI_Wtime();
      (native() ? PMPI_Pready : MPI_Pready)(partition, request);
    }
    (native() ? PMPI_Wait : MPI_Wait)(&request, MPI_STATUS_IGNORE);
    if (sends) {
      PMPI_Recv(nullptr, 0, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double end = MPI_Wtime();
      return {(end - begin) * 1e6, (end - ready) * 1e6};
    }
    PMPI_Send(nullptr, 0, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    is_right &= buffer.holds(value);
    return {};
  }

  void free() { (native() ? PMPI_Request_free : MPI_Request_free)(&request); }
};

void measure(const Settings& settings, Lines& lines, Crew& crew) {
  for (const bool is_scattered : {false, true}) {
    for (const std::size_t bytes : settings.sizes) {
      Buffer buffer(bytes, is_scattered);
      std::vector<Way> ways{{0}};
      for (const int team : settings.teams) ways.push_back({team});
      for (Way& way : ways) crew.phase(way.team, [&] { way.make(buffer); });
      double value = 0;
      const auto times = take_warm(ways.size(), settings.repetitions, [&](std::size_t i) {
        return crew.phase(ways[i].team, [&] { return ways[i].pass(buffer, ++value); });
      });
      const auto& native = times.front();
      for (std::size_t i = 0; i < ways.size(); ++i) {
        ways[i].free();
        if (!ways[i].is_right)
          throw std::runtime_error(fmt::format("wrong data by team {} (0: native)", ways[i].team));
        const double total = median(times[i], &Times::total), last = median(times[i], &Times::last);
        lines.add({{"data", is_scattered ? "vector" : "dense"},
                   {"bytes", bytes},
                   {"team", ways[i].team},
                   {"total", total},
                   {"last", last},
                   {"speedup", median(native, &Times::total) / total},
                   {"speedup of last", median(native, &Times::last) / last}});
      }
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("partitioned", description);
  program.add_repetitions(settings.repetitions);
  program.add_teams(settings.teams);
  program.add_bytes("--sizes", settings.sizes, "Bytes of the message");
  return program.run_ranks(argc, argv, [&](int, Lines& lines) {
    Crew crew(settings.teams);
    crew.run([&] { measure(settings, lines, crew); });
  });
}

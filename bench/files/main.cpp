// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/bench.hpp"
#include "common/crew.hpp"
#include "common/ranks.hpp"
#include "types.hpp"

namespace {

using namespace bench;

constexpr auto description =
    R"(Files and one-sided operations with single doubles in memory, a gap behind each: native MPI (native), packed by hand for
native MPI (by hand), and the library with a team of one. Medians in microseconds. Blocks of 16 doubles of all ranks
alternate in the file. One-sided operations are those of rank 0, completed by MPI_Win_fence. To be run under mpiexec.)";

enum class Way { native, by_hand, library };

struct Data {
  explicit Data(std::size_t doubles)
      : count(static_cast<int>(doubles)), elements(types::vector<1>(doubles * sizeof(double))),
        apart(2 * doubles, 1), packed(doubles), in_window(doubles) {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(count / 16, 16, 16 * rank_count(), MPI_DOUBLE, &vector);
    const Elements blocks(vector, 1);
    MPI_File_open(MPI_COMM_WORLD, "/dev/shm/mpi_helper_bench_files",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, MPI_Offset{16 * sizeof(double)} * own_rank(), MPI_DOUBLE, blocks.type(), "native",
                      MPI_INFO_NULL);
    MPI_Win_create(in_window.data(), static_cast<MPI_Aint>(doubles * sizeof(double)), sizeof(double),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
  }
  ~Data() {
    MPI_Win_free(&window);
    MPI_File_close(&file);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  void pack() {
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = apart[2 * i];
  }
  void unpack() {
    for (std::size_t i = 0; i < packed.size(); ++i) apart[2 * i] = packed[i];
  }

  int count;
  int target = own_rank() == 0 ? 1 : MPI_PROC_NULL;
  Elements elements;
  MPI_File file = MPI_FILE_NULL;
  MPI_Win window = MPI_WIN_NULL;
  std::vector<double> apart, packed, in_window;
};

struct Operation {
  const char* name;
  std::function<void(Data& data, Way way)> run;
};

template <auto native, auto own>
Operation of_file(const char* name, bool reads) {
  return {name, [=](Data& d, Way way) {
            if (way != Way::by_hand) {
              const auto function = way == Way::native ? native : own;
              function(d.file, 0, d.apart.data(), 1, d.elements.type(), MPI_STATUS_IGNORE);
              return;
            }
            if (!reads) d.pack();
            native(d.file, 0, d.packed.data(), d.count, MPI_DOUBLE, MPI_STATUS_IGNORE);
            if (reads) d.unpack();
          }};
}

template <auto native, auto own, class... Op>
Operation of_window(const char* name, bool reads, Op... op) {
  return {name, [=](Data& d, Way way) {
            const bool packs = way == Way::by_hand && d.target != MPI_PROC_NULL;
            if (packs && !reads) d.pack();
            if (way == Way::by_hand) {
              native(d.packed.data(), d.count, MPI_DOUBLE, d.target, 0, d.count, MPI_DOUBLE, op..., d.window);
            } else {
              const auto function = way == Way::native ? native : own;
              function(d.apart.data(), 1, d.elements.type(), d.target, 0, d.count, MPI_DOUBLE, op...,
                       d.window);
            }
            (way == Way::library ? MPI_Win_fence : PMPI_Win_fence)(0, d.window);
            if (packs && reads) d.unpack();
          }};
}

void measure(const std::vector<std::size_t>& sizes, int repetitions, Crew& crew, Lines& lines) {
  const Operation operations[] = {
      of_file<PMPI_File_write_at, MPI_File_write_at>("MPI_File_write_at", false),
      of_file<PMPI_File_write_at_all, MPI_File_write_at_all>("MPI_File_write_at_all", false),
      of_file<PMPI_File_read_at, MPI_File_read_at>("MPI_File_read_at", true),
      of_file<PMPI_File_read_at_all, MPI_File_read_at_all>("MPI_File_read_at_all", true),
      of_window<PMPI_Put, MPI_Put>("MPI_Put", false),
      of_window<PMPI_Get, MPI_Get>("MPI_Get", true),
      of_window<PMPI_Accumulate, MPI_Accumulate>("MPI_Accumulate", false, MPI_SUM),
  };
  for (const Operation& operation : operations) {
    for (const std::size_t bytes : sizes) {
      Data data(bytes / sizeof(double));
      const auto samples = take_warm(3, repetitions, [&](std::size_t way) {
        const auto act = [&] {
          operation.run(data, static_cast<Way>(way));
          PMPI_Barrier(MPI_COMM_WORLD);
        };
        return crew.phase(static_cast<Way>(way) == Way::library ? 1 : 0, [&] { return time_of(act); });
      });
      const double native = median(samples[0]), by_hand = median(samples[1]), library = median(samples[2]);
      lines.add({{"operation", operation.name},
                 {"bytes", bytes},
                 {"native", native},
                 {"by hand", by_hand},
                 {"library", library},
                 {"native / library", native / library},
                 {"by hand / library", by_hand / library}});
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  int repetitions = 25;
  std::vector<std::size_t> sizes{16 * KiB, 256 * KiB, MiB, 4 * MiB};
  Program program("files", description);
  program.add_repetitions(repetitions);
  program.add_bytes("--sizes", sizes, "Bytes of each rank");
  return program.run_ranks(argc, argv, [&](int, Lines& lines) {
    if (rank_count() < 2) throw std::runtime_error("needs 2 ranks");
    Crew crew({1});
    crew.run([&] { measure(sizes, repetitions, crew, lines); });
  });
}

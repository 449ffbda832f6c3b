// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/crew.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "common/statistics.hpp"

#include <mpi_helper.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bench;

constexpr auto description =
    R"(Files and one-sided operations with single doubles in memory, a gap behind each: native MPI (native), packed by hand for
native MPI (by hand), and the library with a team. Medians in microseconds. Blocks of 16 doubles of all ranks alternate in
the file. One-sided operations are those of rank 0, completed by MPI_Win_fence. To be run under mpiexec.)";

struct Settings {
  int repetitions = 25;
  int team = 1;
  std::vector<std::size_t> sizes{std::size_t{16} << 10, std::size_t{256} << 10, std::size_t{1} << 20,
                                 std::size_t{4} << 20};
  std::string folder = "/dev/shm";
};

enum class Way { native, by_hand, library };
constexpr std::array ways{Way::native, Way::by_hand, Way::library};

/// The file, the window and the buffers that the operations use.
class Data {
public:
  Data(int doubles, const std::string& folder, int rank, int ranks)
      : count(doubles), path_(folder + "/mpi_helper_bench_files"), apart(2 * size(), 1), packed(size()),
        in_window(size()) {
    MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_vector(count / 16, 16, 16 * ranks, MPI_DOUBLE, &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_view(file, MPI_Offset{16 * sizeof(double)} * rank, MPI_DOUBLE, blocks, "native",
                      MPI_INFO_NULL);
    MPI_Type_free(&blocks);
    MPI_Win_create(in_window.data(), static_cast<MPI_Aint>(size() * sizeof(double)), sizeof(double),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    target = rank == 0 ? 1 : MPI_PROC_NULL;
  }
  ~Data() {
    MPI_Win_free(&window);
    MPI_File_close(&file);
    MPI_Type_free(&type);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  void pack() {
    for (std::size_t i = 0; i < size(); ++i) packed[i] = apart[2 * i];
  }
  void unpack() {
    for (std::size_t i = 0; i < size(); ++i) apart[2 * i] = packed[i];
  }

  int count;
  int target;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_File file = MPI_FILE_NULL;
  MPI_Win window = MPI_WIN_NULL;

private:
  std::size_t size() const { return static_cast<std::size_t>(count); }
  std::string path_;

public:
  std::vector<double> apart, packed, in_window;
};

struct Operation {
  const char* name;
  void (*run)(Data& data, Way way);
};

/// Defines the operation `name` of a file or window. `before` and `after` are the hand-written packing and
/// unpacking.
#define FILE_OPERATION(name, before, after)                                                                  \
  {                                                                                                          \
#name, [](Data& d, Way way) {                                                                             \
     if (way == Way::native) PMPI_##name(d.file, 0, d.apart.data(), 1, d.type, MPI_STATUS_IGNORE);           \
     if (way == Way::library) MPI_##name(d.file, 0, d.apart.data(), 1, d.type, MPI_STATUS_IGNORE);           \
     if (way != Way::by_hand) return;                                                                        \
     before;                                                                                                 \
     PMPI_##name(d.file, 0, d.packed.data(), d.count, MPI_DOUBLE, MPI_STATUS_IGNORE);                        \
     after;                                                                                                  \
   }  \
  }
#define WINDOW_OPERATION(name, before, after, ...)                                                           \
  {                                                                                                          \
#name, [](Data& d, Way way) {                                                                             \
     const bool is_origin = d.target != MPI_PROC_NULL;                                                       \
     double* const apart = d.apart.data();                                                                   \
     double* const packed = d.packed.data();                                                                 \
     if (way == Way::native) {                                                                               \
       PMPI_##name(apart, 1, d.type, d.target, 0, d.count, MPI_DOUBLE __VA_ARGS__, d.window);                \
       PMPI_Win_fence(0, d.window);                                                                          \
     } else if (way == Way::library) {                                                                       \
       MPI_##name(apart, 1, d.type, d.target, 0, d.count, MPI_DOUBLE __VA_ARGS__, d.window);                 \
       MPI_Win_fence(0, d.window);                                                                           \
     } else {                                                                                                \
       if (is_origin) before;                                                                                \
       PMPI_##name(packed, d.count, MPI_DOUBLE, d.target, 0, d.count, MPI_DOUBLE __VA_ARGS__, d.window);     \
       PMPI_Win_fence(0, d.window);                                                                          \
       if (is_origin) after;                                                                                 \
     }                                                                                                       \
   }  \
  }
#define NOTHING static_cast<void>(0)

const std::vector<Operation> operations{
    FILE_OPERATION(File_write_at, d.pack(), NOTHING),
    FILE_OPERATION(File_write_at_all, d.pack(), NOTHING),
    FILE_OPERATION(File_read_at, NOTHING, d.unpack()),
    FILE_OPERATION(File_read_at_all, NOTHING, d.unpack()),
    WINDOW_OPERATION(Put, d.pack(), NOTHING),
    WINDOW_OPERATION(Get, NOTHING, d.unpack()),
    WINDOW_OPERATION(Accumulate, d.pack(), NOTHING, , MPI_SUM),
};

void measure(const Settings& settings, Crew& crew, int rank, Lines& lines) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) throw std::runtime_error("needs 2 ranks");
  for (const Operation& operation : operations) {
    for (const std::size_t bytes : settings.sizes) {
      Data data(static_cast<int>(bytes / sizeof(double)), settings.folder, rank, ranks);
      MPI_Win_fence(0, data.window);
      std::array<std::vector<double>, ways.size()> samples;
      for (int repetition = 0; repetition <= settings.repetitions; ++repetition) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
          crew.phase(ways[i] == Way::library ? settings.team : 0, [&] {
            PMPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            operation.run(data, ways[i]);
            PMPI_Barrier(MPI_COMM_WORLD);
            if (repetition != 0) samples[i].push_back((MPI_Wtime() - begin) * 1e6);
          });
        }
      }
      const auto median = [&](Way way) { return quantiles(samples[static_cast<std::size_t>(way)]).median; };
      const double library = median(Way::library);
      lines.add({{"operation", std::string("MPI_") + operation.name},
                 {"bytes", bytes},
                 {"native", median(Way::native)},
                 {"by hand", median(Way::by_hand)},
                 {"library", library},
                 {"native / library", median(Way::native) / library},
                 {"by hand / library", median(Way::by_hand) / library}});
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  Settings settings;
  Program program("files", description);
  program.add_repetitions(settings.repetitions);
  program.add_number("--team", settings.team, "Size of the team");
  program.add_bytes("--sizes", settings.sizes, "Bytes of each rank");
  program.add("--folder", settings.folder, "Where to write the file", "FOLDER");
  return program.run_ranks(argc, argv, [&](int rank, Lines& lines) {
    Crew crew({settings.team});
    crew.run([&] { measure(settings, crew, rank, lines); });
  });
}

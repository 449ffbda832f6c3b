// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Communicates in teams of two, or in transparent mode, and observes that from before MPI_Init until after
// MPI_Finalize. Arguments: the file for standard error of rank 0; the prefix of the file of observations of
// each rank, with a line for each variable; "transparent" or "team".

#include <mpi_helper.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <string>
#include <thread>
#include <vector>

#include "observe/observer.hpp"

using namespace test_support;

namespace {

constexpr int rounds = 5;
constexpr int sums = 1 << 16;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "WRONG: %s\n", what);
  std::abort();
}

/// Observes all performance variables of the library.
class Observation {
public:
  Observation() {
    int provided = 0;
    require(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "MPI_T before MPI_Init");
    MPI_T_pvar_session_create(&session_);
    int own = -1;
    MPI_T_category_get_index("mpi_helper", &own);
    for (const int index : category<MPI_T_category_get_info, MPI_T_category_get_cvars,
                                    MPI_T_category_get_pvars, MPI_T_category_get_categories>(own)
                               .pvars) {
      Variable variable{performance_info<MPI_T_pvar_get_info>(index), MPI_T_PVAR_HANDLE_NULL};
      int count = 0;
      require(MPI_T_pvar_handle_alloc(session_, index, nullptr, &variable.handle, &count) == MPI_SUCCESS,
              "a handle before MPI_Init");
      variables_.push_back(variable);
    }
  }

  /// Returns the values of the variables. Times are in seconds.
  std::vector<double> values() const {
    std::vector<double> all;
    for (const auto& [info, handle] : variables_) {
      unsigned long long count = 0;
      double seconds = 0;
      const bool is_time = info.datatype == MPI_DOUBLE;
      void* const value = is_time ? static_cast<void*>(&seconds) : &count;
      require(MPI_T_pvar_read(session_, handle, value) == MPI_SUCCESS, "a value can be read");
      all.push_back(is_time ? seconds : static_cast<double>(count));
    }
    return all;
  }

  void write(const std::vector<double>& values, const std::string& path) const {
    std::ofstream file(path);
    for (std::size_t i = 0; i < values.size(); ++i)
      file << variables_[i].info.name << ' ' << std::setprecision(15) << values[i] << '\n';
  }

  void end() {
    require(MPI_T_pvar_session_free(&session_) == MPI_SUCCESS, "the session is freed after MPI_Finalize");
#ifndef OPEN_MPI // crashes with Open MPI
    require(MPI_T_finalize() == MPI_SUCCESS, "MPI_T is finalised after MPI_Finalize");
    unsigned long long value = 0;
    require(MPI_T_pvar_read(session_, variables_.front().handle, &value) == MPI_T_ERR_NOT_INITIALIZED,
            "nothing is read then");
#endif
  }

private:
  struct Variable {
    PerformanceInfo info;
    MPI_T_pvar_handle handle;
  };

  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  std::vector<Variable> variables_;
};

std::string text_of_setting(const char* name) {
  int index = -1;
  int count = 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  MPI_T_cvar_get_index(name, &index);
  MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count);
  std::string text(static_cast<std::size_t>(count), '\0');
  MPI_T_cvar_read(handle, text.data());
  return text.c_str();
}

/// Checks the value of the setting mpi_helper_spin. Before MPI_Init it is the current value in the
/// environment. Afterwards it is the value that the environment had at MPI_Init.
void check_setting(const char* value) {
  require(text_of_setting("mpi_helper_spin") == value, "the setting in force");
}

void communicate() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> data(sums);
  std::vector<double> result(sums);
  for (int round = 0; round < rounds; ++round) {
    MPI_Bcast(data.data(), sums, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(data.data(), result.data(), sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
      MPI_Send(data.data(), sums, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(data.data(), sums, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void take_part(bool communicates) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  MPI_Helper_team_create(7, 2, &team);
  MPI_Helper_join(team);
  if (communicates) communicate();
  MPI_Helper_leave(team);
  MPI_Helper_team_free(&team);
}

} // namespace

int main(int argc, char** argv) {
  require(argc == 4, "three arguments");
  Observation observation;
  check_setting("auto");
  setenv("MPI_HELPER_SPIN", "7", 1);
  check_setting("7");
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  setenv("MPI_HELPER_SPIN", "8", 1);
  check_setting("7");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && std::freopen(argv[1], "w", stderr) == nullptr) return EXIT_FAILURE;
  if (std::strcmp(argv[3], "transparent") == 0) {
    communicate();
  } else {
    std::thread helper(take_part, false);
    take_part(true);
    helper.join();
  }

  const auto observed = observation.values();
  const int code = MPI_Finalize();
  const auto after = observation.values();
  for (std::size_t i = 0; i < after.size(); ++i)
    require(after[i] >= observed[i], "what was observed is there after MPI_Finalize");
  observation.write(after,
                    argv[2] + std::to_string(rank)); // after MPI_Finalize, in which transparent helpers leave
  check_setting("7");
  observation.end();
  return code;
}

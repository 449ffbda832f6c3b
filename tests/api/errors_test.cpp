// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi_helper.h>

#include <sched.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/handles.hpp"
#include "support/mpi_support.hpp"

// Shows how a program hears of its misuse of the interface: the error handler of MPI_COMM_WORLD gets an error
// of the right class, whose text names the argument and its value. tests/team tests what each state of a team
// allows.

namespace {

int handled = 0;
int handled_code = MPI_SUCCESS;

void count_error(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_code = *code;
}

/// Sets count_error as the error handler of MPI_COMM_WORLD while the object lives.
struct Counted : test_support::UnnamedHandler {
  Counted() : UnnamedHandler(count_error) { handled = 0; }
};

struct Error {
  explicit Error(int code) {
    int length = 0;
    text.resize(MPI_MAX_ERROR_STRING);
    MPI_Error_class(code, &error_class);
    MPI_Error_string(code, text.data(), &length);
    text.resize(static_cast<std::size_t>(length));
  }

  int error_class = MPI_SUCCESS;
  std::string text;
};

/// Expects that the handler was called once, with `code`, that the class of `code` is `error_class`, and that
/// its text contains all of `parts`.
void require_error(int code, int error_class, const std::vector<std::string>& parts) {
  REQUIRE(handled == 1);
  REQUIRE(handled_code == code);
  handled = 0;
  const Error error(code);
  REQUIRE(error.error_class == error_class);
  for (const std::string& part : parts) REQUIRE_THAT(error.text, Catch::Contains(part));
}

MPI_Helper_team create(int id, int size) {
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  REQUIRE(MPI_Helper_team_create(id, size, &team) == MPI_SUCCESS);
  return team;
}

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

} // namespace

TEST_CASE("Handles begin and end") {
  MPI_Helper_team team = create(1, 1);
  REQUIRE(team != MPI_HELPER_TEAM_NULL);
  REQUIRE(MPI_Helper_join(team) == MPI_SUCCESS);
  REQUIRE(MPI_Helper_fence(team) == MPI_SUCCESS);
  REQUIRE(MPI_Helper_leave(team) == MPI_SUCCESS);
  REQUIRE(MPI_Helper_team_free(&team) == MPI_SUCCESS);
  REQUIRE(team == MPI_HELPER_TEAM_NULL);
}

TEST_CASE("CREATE reports what is wrong with its arguments") {
  const Counted counted;
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;
  require_error(MPI_Helper_team_create(7, 0, &team), MPI_ERR_ARG,
                {"MPI_Helper_team_create", "team_size 0", "7"});
  require_error(MPI_Helper_team_create(7, 1, nullptr), MPI_ERR_ARG, {"MPI_Helper_team_create", "null"});
  team = create(7, 2);
  MPI_Helper_team again = MPI_HELPER_TEAM_NULL;
  require_error(MPI_Helper_team_create(7, 2, &again), MPI_ERR_OTHER, {"already a member", "7"});
  int code = MPI_SUCCESS;
  std::thread([&] {
    MPI_Helper_team others = MPI_HELPER_TEAM_NULL;
    code = MPI_Helper_team_create(7, 3, &others);
  }).join();
  require_error(code, MPI_ERR_ARG, {"team_size 3", "7", "2"});
  MPI_Helper_team_free(&team);
}

TEST_CASE("JOIN, LEAVE, FENCE and FREE report handles and moments that are wrong") {
  const Counted counted;
  MPI_Helper_team unknown = 123456;
  require_error(MPI_Helper_join(unknown), MPI_ERR_ARG, {"MPI_Helper_join", "123456"});
  require_error(MPI_Helper_leave(unknown), MPI_ERR_ARG, {"MPI_Helper_leave", "123456"});
  require_error(MPI_Helper_fence(unknown), MPI_ERR_ARG, {"MPI_Helper_fence", "123456"});
  require_error(MPI_Helper_team_free(&unknown), MPI_ERR_ARG, {"MPI_Helper_team_free", "123456"});
  require_error(MPI_Helper_team_free(nullptr), MPI_ERR_ARG, {"MPI_Helper_team_free", "null"});

  MPI_Helper_team team = create(3, 1);
  require_error(MPI_Helper_leave(team), MPI_ERR_OTHER, {"MPI_Helper_leave", "3"});
  require_error(MPI_Helper_fence(team), MPI_ERR_OTHER, {"MPI_Helper_fence", "3"});
  MPI_Helper_join(team);
  require_error(MPI_Helper_join(team), MPI_ERR_OTHER, {"MPI_Helper_join", "3"});
  require_error(MPI_Helper_team_free(&team), MPI_ERR_OTHER, {"MPI_Helper_team_free", "3"});
  REQUIRE(MPI_Helper_leave(team) == MPI_SUCCESS);
  REQUIRE(MPI_Helper_team_free(&team) == MPI_SUCCESS);
}

TEST_CASE("Memory is allocated, and what is wrong with the arguments reported") {
  const Counted counted;
  for (const MPI_Aint size : {MPI_Aint{0}, MPI_Aint{1}, MPI_Aint{100'000}}) {
    char* memory = nullptr;
    REQUIRE(MPIX_Helper_alloc(size, MPI_INFO_NULL, MPI_COMM_SELF, &memory) == MPI_SUCCESS);
    std::fill_n(memory, size, 'x');
    REQUIRE(MPIX_Helper_free(memory) == MPI_SUCCESS);
  }
  void* memory = nullptr;
  require_error(MPIX_Helper_alloc(1, MPI_INFO_NULL, MPI_COMM_NULL, &memory), MPI_ERR_COMM,
                {"MPIX_Helper_alloc", "MPI_COMM_NULL"});
  require_error(MPIX_Helper_alloc(-3, MPI_INFO_NULL, MPI_COMM_WORLD, &memory), MPI_ERR_ARG,
                {"MPIX_Helper_alloc", "-3"});
  require_error(MPIX_Helper_alloc(1, MPI_INFO_NULL, MPI_COMM_WORLD, nullptr), MPI_ERR_ARG,
                {"MPIX_Helper_alloc", "null"});
}

TEST_CASE("Strings of errors stay apart as long as they are looked at soon") {
  const Counted counted;
  std::vector<int> codes;
  for (int handle = 900001; handle <= 900010; ++handle) codes.push_back(MPI_Helper_join(handle));
  for (int i = 0; i < 10; ++i) {
    REQUIRE_THAT(Error(codes[static_cast<std::size_t>(i)]).text, Catch::Contains(std::to_string(900001 + i)));
  }
}

TEST_CASE("MPI's own error classes are left alone") {
  int error_class = MPI_SUCCESS;
  REQUIRE(MPI_Error_class(MPI_ERR_TRUNCATE, &error_class) == MPI_SUCCESS);
  REQUIRE(error_class == MPI_ERR_TRUNCATE);
}

TEST_CASE("Placement by an info key binds the thread until FREE, and reports what it cannot read") {
  const Counted counted;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Helper_team team = MPI_HELPER_TEAM_NULL;

  MPI_Info_set(info, "mpi_helper_placement", "sideways");
  require_error(MPIX_Helper_team_create_info(5, 1, info, &team), MPI_ERR_INFO_VALUE, {"sideways", "compact"});
  REQUIRE(team == MPI_HELPER_TEAM_NULL);

  const cpu_set_t before = affinity();
  MPI_Info_set(info, "mpi_helper_placement", "compact");
  MPI_Info_set(info, "no_such_key", "is ignored");
  REQUIRE(MPIX_Helper_team_create_info(5, 1, info, &team) == MPI_SUCCESS);
  const cpu_set_t bound = affinity();
  REQUIRE(CPU_COUNT(&bound) == 1);
  REQUIRE(MPI_Helper_team_free(&team) == MPI_SUCCESS);
  const cpu_set_t after = affinity();
  REQUIRE(CPU_EQUAL(&before, &after));

  REQUIRE(MPIX_Helper_team_create_info(5, 1, MPI_INFO_NULL, &team) == MPI_SUCCESS);
  const cpu_set_t unbound = affinity();
  REQUIRE(CPU_EQUAL(&before, &unbound));
  REQUIRE(MPI_Helper_team_free(&team) == MPI_SUCCESS);
  MPI_Info_free(&info);
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "observe/observer.hpp"
#include "support/catch.hpp"
#include "support/helpers.hpp"

using namespace test_support;

namespace {

constexpr int sums = 1000;

/// A session of MPI's tool interface. The interface stays initialised to the end: MPICH 4.0.2 crashes if it
/// is finalised and then initialised again.
class Tool {
public:
  Tool() {
    static const int code = [] {
      int provided = 0;
      return MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    }();
    REQUIRE(code == MPI_SUCCESS);
    REQUIRE(MPI_T_pvar_session_create(&session_) == MPI_SUCCESS);
  }
  ~Tool() { MPI_T_pvar_session_free(&session_); }
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  MPI_T_pvar_session session() const { return session_; }

  MPI_T_pvar_handle allocate(const char* name, int variable_class) const {
    int index = -1;
    REQUIRE(MPI_T_pvar_get_index(name, variable_class, &index) == MPI_SUCCESS);
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = 0;
    REQUIRE(MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle, &count) == MPI_SUCCESS);
    REQUIRE(count == 1);
    return handle;
  }

  unsigned long long count(MPI_T_pvar_handle handle) const {
    unsigned long long value = ~0ULL;
    REQUIRE(MPI_T_pvar_read(session_, handle, &value) == MPI_SUCCESS);
    return value;
  }
  double seconds(MPI_T_pvar_handle handle) const {
    double value = -1;
    REQUIRE(MPI_T_pvar_read(session_, handle, &value) == MPI_SUCCESS);
    return value;
  }

private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
};

void reduce(int times) {
  std::vector<double> mine(sums);
  std::vector<double> sum(sums);
  for (int i = 0; i < times; ++i)
    MPI_Allreduce(mine.data(), sum.data(), sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

std::vector<int> own_controls() {
  return own_indices<MPI_T_cvar_get_num, PMPI_T_cvar_get_num>();
}
std::vector<int> own_statistics() {
  return own_indices<MPI_T_pvar_get_num, PMPI_T_pvar_get_num>();
}

std::string read_text(int index) {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  REQUIRE(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS);
  std::string text(static_cast<std::size_t>(count), '?');
  CHECK(MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_write(handle, text.data()) == MPI_T_ERR_CVAR_SET_NEVER);
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
  CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
  return text.substr(0, text.find('\0'));
}

/// Checks that `function` and `native` find the same variable.
template <auto function, auto native, class... Arguments>
void check_index(Arguments... arguments) {
  int natively = -1;
  int here = -1;
  CHECK(function(arguments..., &here) == native(arguments..., &natively));
  CHECK(here == natively);
}

} // namespace

TEST_CASE("Before the tool interface is initialised functions say so") {
  int number = 0;
  char name[] = "mpi_helper_threads";
  const int said = is_mpich_5_0() ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED; // its MPI_Init initialises it
  CHECK(MPI_T_cvar_get_num(&number) == said);
  CHECK(MPI_T_pvar_get_num(&number) == said);
  CHECK(MPI_T_category_get_num(&number) == said);
  CHECK(MPI_T_cvar_get_index(name, &number) == said);
}

TEST_CASE("MPI's own variables and categories are as MPI shows them") {
  const Tool tool;
  int number = 0;
  PMPI_T_cvar_get_num(&number);
  for (int index = 0; index < number; ++index) {
    const auto info = control_info<MPI_T_cvar_get_info>(index);
    CHECK(info == control_info<PMPI_T_cvar_get_info>(index));
    check_index<MPI_T_cvar_get_index, PMPI_T_cvar_get_index>(info.name.c_str());
  }
  PMPI_T_pvar_get_num(&number);
  for (int index = 0; index < number; ++index) {
    const auto info = performance_info<MPI_T_pvar_get_info>(index);
    CHECK(info == performance_info<PMPI_T_pvar_get_info>(index));
    check_index<MPI_T_pvar_get_index, PMPI_T_pvar_get_index>(info.name.c_str(), info.variable_class);
  }
  PMPI_T_category_get_num(&number);
  for (int index = 0; index < number; ++index) {
    const auto here = category<MPI_T_category_get_info, MPI_T_category_get_cvars, MPI_T_category_get_pvars,
                               MPI_T_category_get_categories>(index);
    const auto natively = category<PMPI_T_category_get_info, PMPI_T_category_get_cvars,
                                   PMPI_T_category_get_pvars, PMPI_T_category_get_categories>(index);
    CHECK(here == natively);
  }
}

TEST_CASE("Handles of MPI's own variables are MPI's") {
  const Tool tool;
  int number = 0;
  PMPI_T_cvar_get_num(&number);
  for (int index = 0; index < number; ++index) {
    MPI_T_cvar_handle here = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_cvar_handle natively = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    int native_count = 0;
    if (PMPI_T_cvar_handle_alloc(index, nullptr, &natively, &native_count) != MPI_SUCCESS) continue;
    REQUIRE(MPI_T_cvar_handle_alloc(index, nullptr, &here, &count) == MPI_SUCCESS);
    REQUIRE(count == native_count);
    std::vector<char> value(static_cast<std::size_t>(count) * 16);
    std::vector<char> native_value = value;
    CHECK(MPI_T_cvar_read(here, value.data()) == PMPI_T_cvar_read(natively, native_value.data()));
    CHECK(value == native_value);
    CHECK(MPI_T_cvar_handle_free(&here) == MPI_SUCCESS);
    PMPI_T_cvar_handle_free(&natively);
  }
  PMPI_T_pvar_get_num(&number);
  for (int index = 0; index < number; ++index) {
    const auto info = performance_info<PMPI_T_pvar_get_info>(index);
    if (info.bind != MPI_T_BIND_NO_OBJECT) continue;
    if (info.name.starts_with("mtl_psm")) continue; // Open MPI crashes without that network
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = 0;
    REQUIRE(MPI_T_pvar_handle_alloc(tool.session(), index, nullptr, &handle, &count) == MPI_SUCCESS);
    std::vector<char> value(static_cast<std::size_t>(count) * 16);
    CHECK(MPI_T_pvar_read(tool.session(), handle, value.data()) ==
          PMPI_T_pvar_read(tool.session(), handle, value.data()));
    CHECK(MPI_T_pvar_handle_free(tool.session(), &handle) == MPI_SUCCESS);
    CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
  }
}

TEST_CASE("Settings are control variables with the text that is in force") {
  const Tool tool;
  const auto own = own_controls();
  REQUIRE_FALSE(own.empty());
  bool has_threads = false;
  for (const int index : own) {
    const auto info = control_info<MPI_T_cvar_get_info>(index);
    INFO(info.name);
    CHECK(info.name.starts_with("mpi_helper_"));
    CHECK(info.description.starts_with("MPI_HELPER_"));
    CHECK(info.datatype == MPI_CHAR);
    CHECK(info.bind == MPI_T_BIND_NO_OBJECT);
    CHECK(info.scope == MPI_T_SCOPE_READONLY);
    int found = -1;
    CHECK(MPI_T_cvar_get_index(info.name.c_str(), &found) == MPI_SUCCESS);
    CHECK(found == index);
    const std::string text = read_text(index);
    if (info.name != "mpi_helper_threads") continue;
    has_threads = true;
    const char* const set = std::getenv("MPI_HELPER_THREADS");
    CHECK(text == (set == nullptr ? "0" : set));
    setenv("MPI_HELPER_THREADS", "77", 1); // too late for the library
    CHECK(read_text(index) == text);
    if (set != nullptr) setenv("MPI_HELPER_THREADS", text.c_str(), 1);
  }
  CHECK(has_threads);
}

TEST_CASE("What is recorded are performance variables that can be read at any time") {
  const Tool tool;
  const auto own = own_statistics();
  REQUIRE_FALSE(own.empty());
  for (const int index : own) {
    const auto info = performance_info<MPI_T_pvar_get_info>(index);
    INFO(info.name);
    CHECK(info.name.starts_with("mpi_helper_"));
    CHECK_FALSE(info.description.empty());
    CHECK(info.datatype ==
          (info.variable_class == MPI_T_PVAR_CLASS_TIMER ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG));
    CHECK(info.bind == MPI_T_BIND_NO_OBJECT);
    CHECK(info.readonly == 1);
    CHECK(info.continuous == 1);
    CHECK(info.atomic == 0);
    int found = -1;
    CHECK(MPI_T_pvar_get_index(info.name.c_str(), info.variable_class, &found) == MPI_SUCCESS);
    CHECK(found == index);
    CHECK(MPI_T_pvar_get_index(info.name.c_str(), MPI_T_PVAR_CLASS_STATE, &found) == MPI_T_ERR_INVALID_NAME);
  }
}

TEST_CASE("One category has the library's variables, and they are in no other") {
  const Tool tool;
  int index = -1;
  REQUIRE(MPI_T_category_get_index("mpi_helper", &index) == MPI_SUCCESS);
  CHECK(own_indices<MPI_T_category_get_num, PMPI_T_category_get_num>() == std::vector{index});
  const auto own = category<MPI_T_category_get_info, MPI_T_category_get_cvars, MPI_T_category_get_pvars,
                            MPI_T_category_get_categories>(index);
  CHECK(own.name == "mpi_helper");
  CHECK(own.cvars == own_controls());
  CHECK(own.pvars == own_statistics());
  CHECK(own.categories.empty());
  std::array<int, 2> two{-7, -7};
  CHECK(MPI_T_category_get_pvars(index, 1, two.data()) == MPI_SUCCESS);
  CHECK(two == std::array{own.pvars[0], -7});
#if MPI_VERSION >= 4
  int events = -1;
  CHECK(MPI_T_category_get_num_events(index, &events) == MPI_SUCCESS);
  CHECK(events == 0);
  CHECK(MPI_T_category_get_events(index, 2, two.data()) == MPI_SUCCESS);
#endif
}

TEST_CASE("Texts are cut to the buffer, and their length is said") {
  const Tool tool;
  const int index = own_controls().front();
  const auto name = control_info<MPI_T_cvar_get_info>(index).name;
  std::array<char, 6> text{"?????"};
  int length = 5;
  MPI_T_cvar_get_info(index, text.data(), &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                      nullptr);
  CHECK(text.data() == name.substr(0, 4));
  CHECK(length == static_cast<int>(name.size()) + 1);
}

TEST_CASE("A variable counts what members do, and cannot be changed") {
  const Tool tool;
  auto calls = tool.allocate("mpi_helper_calls_carried_MPI_Allreduce", MPI_T_PVAR_CLASS_COUNTER);
  const auto all_calls = tool.allocate("mpi_helper_calls_carried", MPI_T_PVAR_CLASS_COUNTER);
  const auto others = tool.allocate("mpi_helper_calls_carried_MPI_Reduce", MPI_T_PVAR_CLASS_COUNTER);
  const auto bytes = tool.allocate("mpi_helper_bytes_MPI_Allreduce", MPI_T_PVAR_CLASS_AGGREGATE);
  const auto time = tool.allocate("mpi_helper_time_MPI_Allreduce", MPI_T_PVAR_CLASS_TIMER);
  const auto calls_before = tool.count(calls);
  const auto all_before = tool.count(all_calls);
  const auto others_before = tool.count(others);
  const auto bytes_before = tool.count(bytes);
  const double time_before = tool.seconds(time);
  Helpers helpers; // made after the handles, so that all its calls count
  helpers.phase([] { reduce(3); });
  CHECK(tool.count(calls) == calls_before + 3);
  CHECK(tool.count(all_calls) == all_before + 3);
  CHECK(tool.count(others) == others_before);
  CHECK(tool.count(bytes) == bytes_before + 3 * sums * sizeof(double));
  CHECK(tool.seconds(time) > time_before);

  unsigned long long value = 0;
  CHECK(MPI_T_pvar_start(tool.session(), calls) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK(MPI_T_pvar_stop(tool.session(), calls) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK(MPI_T_pvar_reset(tool.session(), calls) == MPI_T_ERR_PVAR_NO_WRITE);
  CHECK(MPI_T_pvar_write(tool.session(), calls, &value) == MPI_T_ERR_PVAR_NO_WRITE);
  CHECK(MPI_T_pvar_readreset(tool.session(), calls, &value) == MPI_T_ERR_PVAR_NO_ATOMIC);
  CHECK(tool.count(calls) == calls_before + 3);
  CHECK(MPI_T_pvar_handle_free(tool.session(), &calls) == MPI_SUCCESS);
  CHECK(calls == MPI_T_PVAR_HANDLE_NULL);
}

// Indices of performance variables are left out: MPICH 4.0.2 does not check them and crashes.
TEST_CASE("Errors are MPI's") {
  const Tool tool;
  int cvars = 0;
  int categories = 0;
  MPI_T_cvar_get_num(&cvars);
  MPI_T_category_get_num(&categories);
  for (const int index : {-1, cvars})
    CHECK(MPI_T_cvar_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                              nullptr) == PMPI_T_cvar_get_info(index, nullptr, nullptr, nullptr, nullptr,
                                                               nullptr, nullptr, nullptr, nullptr, nullptr));
  for (const int index : {-1, categories})
    CHECK(MPI_T_category_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ==
          MPI_T_ERR_INVALID_INDEX);
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int count = 0;
  CHECK(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, own_statistics().front(), nullptr, &handle,
                                &count) == MPI_T_ERR_INVALID_SESSION);
  int index = 0;
  CHECK(MPI_T_cvar_get_index("mpi_helper_nothing", &index) == MPI_T_ERR_INVALID_NAME);
}

TEST_CASE("Members that were made before are recorded when they join") {
  Helpers helpers;
  helpers.phase([] { reduce(1); });
  const Tool tool;
  const auto calls = tool.allocate("mpi_helper_calls_carried_MPI_Allreduce", MPI_T_PVAR_CLASS_COUNTER);
  const auto before = tool.count(calls);
  helpers.phase([] { reduce(4); });
  CHECK(tool.count(calls) == before + 4);
}

TEST_CASE("A thread can read while a team works") {
  const Tool tool;
  const auto calls = tool.allocate("mpi_helper_calls_carried_MPI_Allreduce", MPI_T_PVAR_CLASS_COUNTER);
  const auto waiting = tool.allocate("mpi_helper_waiting", MPI_T_PVAR_CLASS_TIMER);
  const auto before = tool.count(calls);
  std::atomic<bool> over{false};
  bool grows = true;
  std::thread reader([&] {
    unsigned long long last = 0;
    double last_waiting = 0;
    while (!over) {
      unsigned long long now = 0;
      double now_waiting = 0;
      MPI_T_pvar_read(tool.session(), calls, &now);
      MPI_T_pvar_read(tool.session(), waiting, &now_waiting);
      grows = grows && now >= last && now_waiting >= last_waiting;
      last = now;
      last_waiting = now_waiting;
      std::this_thread::yield();
    }
  });
  {
    Helpers helpers;
    for (int phase = 0; phase < 20; ++phase) helpers.phase([] { reduce(10); });
  }
  over = true;
  reader.join();
  CHECK(grows);
  CHECK(tool.count(calls) == before + 200);
}

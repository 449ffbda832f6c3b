// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "support/catch.hpp"
#include "topology/machine.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

using namespace helper::topology;

namespace {

// Has all indices of a Cpuset. The kernel refuses masks that are shorter than its own.
using Mask = std::array<cpu_set_t, 65536 / CPU_SETSIZE>;

/// Returns where the calling thread may run, according to the kernel.
Cpuset kernel_binding() {
  Mask mask{};
  if (sched_getaffinity(0, sizeof mask, mask.data()) != 0)
    throw std::system_error(errno, std::generic_category());
  Cpuset set;
  for (int pu = 0; pu < 65536; ++pu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(pu), sizeof mask, mask.data())) set |= Cpuset::of(pu);
  }
  return set;
}

void kernel_bind(const Cpuset& set) {
  Mask mask{};
  for (const int pu : set.pus()) CPU_SET_S(static_cast<std::size_t>(pu), sizeof mask, mask.data());
  if (sched_setaffinity(0, sizeof mask, mask.data()) != 0)
    throw std::system_error(errno, std::generic_category());
}

/// Runs `body` in a new thread, so that bindings end with the thread. Returns the result.
template <class Body>
auto in_thread(Body&& body) {
  decltype(body()) result{};
  std::thread([&] { result = body(); }).join();
  return result;
}

const Machine& machine() {
  return Machine::local();
}

Cpuset first_pu() {
  return machine().pus(machine().usable()).front();
}

} // namespace

TEST_CASE("this machine: what the process may use is what the kernel says") {
  const Cpuset usable = machine().usable();
  CHECK_FALSE(usable.empty());
  CHECK(usable == kernel_binding());
  CHECK(std::ssize(machine().pus(usable)) == usable.size());
  CHECK(std::ssize(machine().scattered_pus(usable)) == usable.size());
  CHECK(machine().cores(usable).size() <= machine().pus(usable).size());
  CHECK(machine().numa_nodes(usable).size() >= 1);
}

TEST_CASE("a thread is bound, and afterwards as before") {
  for (const Cpuset& pu : machine().pus(machine().usable())) {
    const auto [before, during, after] = in_thread([&] {
      std::array<Cpuset, 3> seen;
      seen[0] = kernel_binding();
      const auto undo = bind_until_undone(machine(), pu);
      seen[1] = kernel_binding();
      undo();
      seen[2] = kernel_binding();
      return seen;
    });
    CHECK(during == pu);
    CHECK(before == machine().usable());
    CHECK(after == before);
  }
}

TEST_CASE("a binding from before is restored") {
  const auto after = in_thread([] {
    kernel_bind(first_pu());
    bind_until_undone(machine(), machine().usable())();
    return kernel_binding();
  });
  CHECK(after == first_pu());
}

TEST_CASE("undoing leaves a binding alone that another has made since") {
  const Cpuset usable = machine().usable();
  const Cpuset last_pu = machine().pus(usable).back();
  const auto after = in_thread([&] {
    const auto undo = bind_until_undone(machine(), first_pu());
    kernel_bind(last_pu);
    undo();
    return kernel_binding();
  });
  CHECK(after == (usable.size() == 1 ? usable : last_pu));
}

TEST_CASE("a binding that the system refuses leaves the thread as it was") {
  const auto [failed, after] = in_thread([] {
    bool refused = false;
    try {
      bind_until_undone(machine(), Cpuset());
    } catch (const std::system_error&) {
      refused = true;
    }
    return std::pair(refused, kernel_binding());
  });
  CHECK(failed);
  CHECK(after == machine().usable());
}

TEST_CASE("who is bound already") {
  const Cpuset usable = machine().usable();
  CHECK_FALSE(bound_already(machine(), usable));
  CHECK_FALSE(bound_already(machine(), first_pu()));
  const bool bound = in_thread([&] {
    kernel_bind(first_pu());
    return bound_already(machine(), usable);
  });
  CHECK(bound == (usable.size() > 1));
}

TEST_CASE("a bound thread does not shrink what the process may use") {
  const Cpuset usable = machine().usable();
  CHECK(in_thread([] {
          kernel_bind(first_pu());
          return machine().usable();
        }) == usable);
}

TEST_CASE("all this holds in a process that was given one processing unit", "[one]") {
  const pid_t child = fork();
  if (child == 0) {
    kernel_bind(first_pu());
    execl("/proc/self/exe", "test_topology_binding", "~[one]", nullptr);
    _exit(127);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdlib>
#include <system_error>

#include "process/state.hpp"
#include "process/unfollowed.hpp"
#include "topology/machine.hpp"

namespace helper::process {

using topology::Cpuset;
using topology::Machine;

namespace {

/// Returns the variables that make the program's OpenMP runtime bind threads, with their values: " (A=B)".
std::string variables_of_openmp() {
  std::string found;
  for (const char* const name :
       {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_HW_SUBSET"}) {
    if (const char* const value = std::getenv(name))
      found += std::string(found.empty() ? " (" : ", ") + name + "=" + value;
  }
  return found.empty() ? found : found + ")";
}

void say_refused(const Cpuset& place, const char* why) {
  print_once_on_node(Notice::placement_refused, "a thread is not bound to processing unit " + place.str() +
                                                    " and stays where it is: " + why);
}

/// Prints that nothing is bound, if hwloc describes another machine than this one.
void say_if_imagined(const Machine& machine) {
  if (!machine.is_this_system())
    print_once_on_node(Notice::placement_imagined,
                       "no thread is bound: hwloc describes another machine, since HWLOC_SYNTHETIC or "
                       "HWLOC_XMLFILE is set and HWLOC_THISSYSTEM=1 is not");
}

} // namespace

void bind_helper(const std::string& placement, const Cpuset& place) noexcept {
  try {
    Machine::local().bind_thread(place);
  } catch (const std::system_error& refused) {
    if (placement != "none") say_refused(place, refused.what());
  }
}

std::function<void()> bind_member(const std::string& placement, const Cpuset& given, const Cpuset& place) {
  const Machine& machine = Machine::local();
  if (topology::bound_already(machine, given)) {
    print_once_on_node(Notice::placement_of_bound_thread,
                       "placement " + placement + " is not followed: a member's thread was bound to " +
                           machine.thread_binding().str() + " before" + variables_of_openmp() +
                           ", and that binding stays");
    return nullptr;
  }
  say_if_imagined(machine);
  try {
    return topology::bind_until_undone(machine, place);
  } catch (const std::system_error& refused) {
    say_refused(place, refused.what());
    return nullptr;
  }
}

void say_if_placement_is_unused(const std::string& placement, int helpers, bool by_openmp) {
  if (placement == "none") return;
  if (helpers != 0) return say_if_imagined(Machine::local());
  print_once_on_node(
      Notice::placement_unused,
      "MPI_HELPER_PLACEMENT=" + placement + " binds no thread in transparent mode: " +
          (by_openmp ? "OMP_PROC_BIND and OMP_PLACES bind those of OpenMP" : "the library starts none"));
}

} // namespace helper::process

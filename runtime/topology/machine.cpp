// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "topology/machine.hpp"

#include <hwloc.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

// Functions of OpenMP. Null if the program does not have OpenMP.
extern "C" {
[[gnu::weak]] int omp_get_num_places(void);
[[gnu::weak]] int omp_get_place_num_procs(int place);
[[gnu::weak]] void omp_get_place_proc_ids(int place, int* ids);
}

namespace helper::topology {

namespace {

void check(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

Cpuset cpuset_of(hwloc_const_bitmap_t bitmap) {
  Cpuset set;
  if (hwloc_bitmap_copy(set.bitmap(), bitmap) < 0) throw std::bad_alloc();
  return set;
}

/// Returns the PUs of all places that OpenMP may bind a thread to.
Cpuset openmp_places() {
  Cpuset set;
  if (!omp_get_num_places || !omp_get_place_num_procs || !omp_get_place_proc_ids) return set;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> pus(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, pus.data());
    for (const int pu : pus) set |= Cpuset::of(pu);
  }
  return set;
}

/// Returns each PU of `set` in hwloc's logical order.
std::vector<hwloc_obj_t> pu_objects(hwloc_topology_t topology, const Cpuset& set) {
  std::vector<hwloc_obj_t> pus;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
    if (hwloc_bitmap_isset(set.bitmap(), pu->os_index)) pus.push_back(pu);
  }
  return pus;
}

/// Returns the intersection of `set` with each object that `around(pu)` returns for a PU of `set`.
template <class Around>
std::vector<Cpuset> parts(hwloc_topology_t topology, const Cpuset& set, Around&& around) {
  std::vector<Cpuset> parts;
  Cpuset rest = set;
  for (hwloc_obj_t pu : pu_objects(topology, set)) {
    if (!hwloc_bitmap_isset(rest.bitmap(), pu->os_index)) continue;
    parts.push_back(cpuset_of(around(pu)->cpuset) & set);
    rest -= parts.back();
  }
  return parts;
}

/// Returns each PU of `set` below `object`, taking one from each of its children in rotation.
std::vector<Cpuset> deal(hwloc_obj_t object, const Cpuset& set) {
  Cpuset mine = cpuset_of(object->cpuset) & set;
  if (mine.empty()) return {};
  if (object->type == HWLOC_OBJ_PU) return {mine};

  std::vector<std::vector<Cpuset>> hands;
  for (hwloc_obj_t child = object->first_child; child; child = child->next_sibling) {
    hands.push_back(deal(child, mine));
  }
  std::vector<Cpuset> dealt;
  for (std::size_t turn = 0; dealt.size() < static_cast<std::size_t>(mine.size()); ++turn) {
    for (const auto& hand : hands) {
      if (turn < hand.size()) dealt.push_back(hand[turn]);
    }
  }
  return dealt;
}

} // namespace

Machine::Machine() : topology_(nullptr, hwloc_topology_destroy) {
  hwloc_topology* topology = nullptr;
  check(hwloc_topology_init(&topology), "hwloc_topology_init");
  topology_.reset(topology);
}

const Machine& Machine::local() {
  // Never destroyed: helper threads may still bind themselves while the program exits.
  static const auto& machine = *new Machine([] {
    Machine local;
    // Otherwise hwloc moves this thread from PU to PU to query each.
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#if HWLOC_API_VERSION >= 0x00020800 // The library needs none of these.
    flags |=
        HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    hwloc_topology_set_type_filter(local.topology_.get(), HWLOC_OBJ_L1CACHE, HWLOC_TYPE_FILTER_KEEP_NONE);
    check(hwloc_topology_set_flags(local.topology_.get(), flags), "hwloc_topology_set_flags");
    check(hwloc_topology_load(local.topology_.get()), "hwloc cannot read the topology");
    return local;
  }());
  return machine;
}

Machine Machine::described(const std::string& description) {
  Machine machine;
  hwloc_topology* topology = machine.topology_.get();
  const int size = static_cast<int>(description.size()) + 1; // with the terminating zero
  const bool is_xml = description.starts_with('<');
  const int result = is_xml ? hwloc_topology_set_xmlbuffer(topology, description.c_str(), size)
                            : hwloc_topology_set_synthetic(topology, description.c_str());
  if (result < 0 || hwloc_topology_load(topology) < 0)
    throw std::invalid_argument("hwloc does not understand the topology" +
                                (is_xml ? "'s XML" : " '" + description + "'"));
  return machine;
}

bool Machine::is_this_system() const noexcept {
  return hwloc_topology_is_thissystem(topology_.get()) != 0;
}

Cpuset Machine::usable() const {
  const Cpuset allowed = cpuset_of(hwloc_topology_get_allowed_cpuset(topology_.get()));
  Cpuset bound;
  // On Linux hwloc returns the union of the bindings of the process's threads, which it finds in /proc.
  if (hwloc_get_cpubind(topology_.get(), bound.bitmap(), HWLOC_CPUBIND_PROCESS) < 0) return allowed;
  return (bound | openmp_places()) & allowed;
}

std::size_t Machine::second_level_cache() const {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology_.get(), HWLOC_OBJ_L2CACHE, 0);
  return cache == nullptr ? 0 : cache->attr->cache.size;
}

std::vector<Cpuset> Machine::pus(const Cpuset& set) const {
  return parts(topology_.get(), set, [](hwloc_obj_t pu) { return pu; });
}

int Machine::position(const Cpuset& set) const {
  const auto pus = pu_objects(topology_.get(), set);
  return pus.empty() ? 0 : static_cast<int>(pus.front()->logical_index);
}

std::vector<Cpuset> Machine::cores(const Cpuset& set) const {
  return parts(topology_.get(), set, [this](hwloc_obj_t pu) {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_.get(), HWLOC_OBJ_CORE, pu);
    return core ? core : pu; // not every system reports cores
  });
}

std::vector<Cpuset> Machine::numa_nodes(const Cpuset& set) const {
  return parts(topology_.get(), set, [](hwloc_obj_t object) {
    while (object->memory_arity == 0 && object->parent) object = object->parent;
    return object;
  });
}

std::vector<Cpuset> Machine::scattered_pus(const Cpuset& set) const {
  std::vector<Cpuset> all;
  for (Cpuset rest = set; !rest.empty();) {
    Cpuset one_of_each_core = rest;
    check(hwloc_bitmap_singlify_per_core(topology_.get(), one_of_each_core.bitmap(), 0),
          "hwloc_bitmap_singlify_per_core");
    for (const Cpuset& pu : deal(hwloc_get_root_obj(topology_.get()), one_of_each_core)) all.push_back(pu);
    rest -= one_of_each_core;
  }
  return all;
}

std::vector<Cpuset> Machine::pus_near(const Cpuset& place, const Cpuset& set) const {
  std::vector<Cpuset> all;
  Cpuset rest = set;
  hwloc_obj_t around = hwloc_get_obj_covering_cpuset(topology_.get(), place.bitmap());
  if (!around) around = hwloc_get_root_obj(topology_.get()); // `place` is empty, or not of this machine
  for (; around; around = around->parent) {
    const Cpuset within = cpuset_of(around->cpuset);
    for (const Cpuset& pu : pus(rest & within)) all.push_back(pu);
    rest -= within;
  }
  return all;
}

std::string Machine::summary() const {
  const unsigned version = hwloc_get_api_version(); // as 0x00020900
  const auto count = [this](hwloc_obj_type_t type, const char* name) {
    const int objects = hwloc_get_nbobjs_by_type(topology_.get(), type);
    return std::to_string(objects) + " " + name + (objects == 1 ? "" : "s");
  };
  return count(HWLOC_OBJ_PACKAGE, "package") + ", " + count(HWLOC_OBJ_NUMANODE, "NUMA node") + ", " +
         count(HWLOC_OBJ_CORE, "core") + ", " + count(HWLOC_OBJ_PU, "processing unit") + " (hwloc " +
         std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff) + ")";
}

Cpuset Machine::thread_binding() const {
  Cpuset set;
  check(hwloc_get_cpubind(topology_.get(), set.bitmap(), HWLOC_CPUBIND_THREAD),
        "cannot tell where the thread may run");
  return set;
}

void Machine::bind_thread(const Cpuset& set) const {
  check(hwloc_set_cpubind(topology_.get(), set.bitmap(), HWLOC_CPUBIND_THREAD), "cannot bind the thread");
}

bool bound_already(const Machine& machine, const Cpuset& usable) {
  return !machine.thread_binding().includes(usable);
}

std::function<void()> bind_until_undone(const Machine& machine, const Cpuset& set) {
  const Cpuset before = machine.thread_binding();
  machine.bind_thread(set);
  // Reads the new binding back: the system has left out disallowed PUs.
  return [&machine, before, bound = machine.thread_binding()] {
    if (machine.thread_binding() == bound) machine.bind_thread(before);
  };
}

} // namespace helper::topology

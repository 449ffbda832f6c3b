// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <hwloc.h>

#include <limits>

namespace bench {

/// Binds the calling thread to a core. Indices 0 and 1 are different cores if there are two.
inline void bind_to_core(int index) {
  hwloc_topology_t topology;
  hwloc_topology_init(&topology);
  hwloc_topology_load(topology);
  hwloc_obj_t machine = hwloc_get_root_obj(topology);
  hwloc_cpuset_t apart[2];
  hwloc_distrib(topology, &machine, 1, apart, 2, std::numeric_limits<int>::max(), 0);
  hwloc_bitmap_singlify(apart[index]);
  hwloc_set_cpubind(topology, apart[index], HWLOC_CPUBIND_THREAD);
  for (const hwloc_cpuset_t set : apart) hwloc_bitmap_free(set);
  hwloc_topology_destroy(topology);
}

} // namespace bench

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// How MPICH over UCX waits: it calls this function until there is what it waits for.

#include <dlfcn.h>

#include "message/patience.hpp"

extern "C" {

// Declared as in ucp.h, which need not be installed.
unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  using helper::message::Patience;
  static const auto next =
      reinterpret_cast<unsigned (*)(void*)>(dlsym(RTLD_NEXT, "ucp_worker_progress")); // UCX's own
  const unsigned made = next(worker);
  if (Patience* const patience = Patience::of_this_thread()) [[unlikely]] {
    if (made != 0)
      patience->progressed();
    else
      patience->in_vain();
  }
  return made;
}

} // extern "C"

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/not_engaged.hpp"

#include <cstdlib>
#include <mutex>
#include <new>
#include <stdexcept>

#include "process/print.hpp"
#include "settings/settings.hpp"

namespace helper::process {

bool is_asked() noexcept {
  try {
    const settings::Settings set = settings::read(settings::environment());
    return set.threads > 0 || set.stats || set.trace != "off" || set.report;
  } catch (const std::invalid_argument&) {
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

int rank_by_launcher() noexcept {
  for (const char* const name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    if (const char* const rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

void say_not_engaged(const std::string& why, const std::string& what_to_do) {
  static std::once_flag once;
  std::call_once(once,
                 [&] { print("not engaged, all communication is left to MPI: " + why + ". " + what_to_do); });
}

} // namespace helper::process

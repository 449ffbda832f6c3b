// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "common/crew.hpp"
#include "jobs/worker.hpp"

#include <cstdlib>

namespace bench {

void run_phases(int count, const char* const* sizes, const std::function<void(const Phase&)>& body) {
  std::vector<int> teams;
  for (int i = 0; i < count; ++i) teams.push_back(std::atoi(sizes[i]));
  Crew crew(teams);
  crew.run([&] { body([&](int team, const std::function<void()>& inner) { crew.phase(team, inner); }); });
}

} // namespace bench

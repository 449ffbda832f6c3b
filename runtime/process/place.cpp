// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <string>

#include "process/state.hpp"
#include "shm/peer_memory.hpp"
#include "shm/region.hpp"
#include "transport/patience.hpp"

namespace helper::process {

namespace {

/// Returns a text about threads that block in native MPI.
std::string describe_patience() {
  const char* const function = transport::Patience::progress_function();
  return function == nullptr ? "occupy their threads" : "lend their threads (" + std::string(function) + ")";
}

} // namespace

std::string describe_crowding(const ProcessPlace& place, int threads) {
  const int cores = place.given.size();
  if (threads * place.sharers <= cores) return {};
  return std::to_string(place.sharers) + (place.sharers == 1 ? " rank" : " ranks") + " with " +
         std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
         (place.sharers == 1 ? "" : " each") + " on " + std::to_string(cores) +
         (cores == 1 ? " core" : " cores") + ": oversubscribed, expect no gain from helpers";
}

std::string describe(const ProcessPlace& place, int threads) {
  const int others = place.sharers - 1;
  std::string text = "cores: " + place.given.str();
  if (others != 0)
    text += ", shared with " + std::to_string(others) + (others == 1 ? " other rank" : " other ranks") +
            "; own share " + place.share.str();
  text += "\n    shared memory: " + std::to_string(shm::arena().size() / 1024) +
          " KiB\n    MPI_Alloc_mem: " + (shm::can_map() ? "shared" : "not shared") +
          "\n    copies between processes: " + (shm::peer_memory::can_copy() ? "allowed" : "not allowed") +
          "\n    functions that block in MPI: " + describe_patience();
  if (const std::string crowding = describe_crowding(place, threads); !crowding.empty())
    text += "\n    " + crowding;
  return text;
}

} // namespace helper::process

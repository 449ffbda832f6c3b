// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/state.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "message/message.hpp"
#include "pipeline/staging.hpp"
#include "process/process.hpp"
#include "ranks/world.hpp"
#include "reduction/user_function.hpp"
#include "shm/node_context.hpp"
#include "shm/peer_memory.hpp"
#include "shm/region.hpp"
#include "topology/machine.hpp"
#include "topology/placement.hpp"
#include "transport/patience.hpp"
#include "transport/shadow.hpp"

namespace helper::process {

using topology::Machine;

namespace {

// Made at first use. It is never destroyed: a process may exit without MPI_Finalize while helper threads run.
// The release of the complete object pairs with the acquire in present_state().
std::atomic<State*> state{nullptr};
std::mutex making_state;

// The environment from which the settings were read. It is never destroyed, so that tools can always read it.
// The store is a release of the complete object and pairs with the acquire in setting().
std::atomic<const settings::Environment*> environment_read{nullptr};

/// Returns how much of a process's staging is in the arena: half, cut to a part for messages and whole slots.
std::size_t shared_staging(const settings::Settings& settings) {
  const std::size_t half = settings.staging / 2;
  const std::size_t share = message::arena_share(half);
  const std::size_t slot = shm::slot_stride(settings.chunk);
  return share + (half - share) / slot * slot;
}

/// Reads the file that MPI_HELPER_TUNE names. Throws std::invalid_argument.
collective::Tuned read_tuned(const std::string& path) {
  if (path == "off") return {};
  try {
    std::ifstream file(path);
    if (!file.is_open()) throw std::system_error(errno, std::generic_category());
    file.exceptions(std::ios::badbit);
    return collective::parse_tuned(std::string(std::istreambuf_iterator<char>(file), {}));
  } catch (const std::exception& wrong) { // the file cannot be read, or its text is malformed
    throw std::invalid_argument("MPI_HELPER_TUNE=" + path + ": " + wrong.what());
  }
}

/// Returns the part of the state that needs no other processes. Throws std::invalid_argument.
std::unique_ptr<State> read_settings() {
  auto made = std::make_unique<State>();
  auto environment = std::make_unique<const settings::Environment>(settings::environment());
  made->settings = settings::read(*environment);
  const settings::Settings& set = made->settings;
  settings::parsed("MPI_HELPER_PLACEMENT", set.placement, [](const std::string& text) {
    return topology::parse_policy(text, Machine::local().usable());
  });
  made->overrides = settings::parsed("MPI_HELPER_ALGORITHM", set.algorithm, collective::parse_overrides);
  made->group = {
      settings::parsed("MPI_HELPER_GROUP_ALGORITHM", set.group_algorithm, groups::creation::parse_algorithm),
      settings::parsed("MPI_HELPER_GROUP_OUTSIDER", set.group_outsider, groups::creation::parse_outsider)};
  made->tuned = read_tuned(set.tune);
  pipeline::set_staging(set.staging - shared_staging(set));
  environment_read.store(environment.release(), std::memory_order_release);
  return made;
}

/// Returns a text about threads that block in native MPI.
std::string describe_patience() {
  const char* const function = transport::Patience::progress_function();
  return function == nullptr ? "occupy their threads" : "lend their threads (" + std::string(function) + ")";
}

} // namespace

shm::Wanted wanted_of_arena(const settings::Settings& settings) {
  return {shared_staging(settings), settings.chunk,
          shm::RoomBuffer::circular_bytes(Machine::local().second_level_cache())};
}

State* present_state() noexcept {
  return state.load(std::memory_order_acquire);
}

State& current() {
  if (State* const running = present_state()) return *running;
  const std::lock_guard lock(making_state);
  if (state.load(std::memory_order_relaxed) == nullptr) {
    auto made = read_settings();
    made->rank = ranks::world::own_rank();
    made->place.given = made->place.share = Machine::local().usable();
    transport::offer({made->settings.chunk, collective::fingerprint()});
    if (made->settings.user_operations_by_team) reduction::UserFunction::keep_all();
    state.store(made.release(), std::memory_order_release);
  }
  return *state.load(std::memory_order_relaxed);
}

std::string setting(const settings::Variable& variable) {
  const auto* const read = environment_read.load(std::memory_order_acquire);
  return settings::text(variable, read != nullptr ? *read : settings::environment());
}

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

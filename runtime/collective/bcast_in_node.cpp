// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/algorithms.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collective/peer_copy.hpp"
#include "collective/slots.hpp"
#include "pipeline/lane.hpp"
#include "pipeline/staging.hpp"
#include "ranks/mpi_error.hpp"
#include "shm/division.hpp"

namespace helper::collective {

namespace {

using pipeline::Lane;
using pipeline::SharedStaging;
using pipeline::Stores;
namespace peer_memory = shm::peer_memory;

/// What the root tells the other ranks before the data.
struct Plan {
  std::uint64_t bytes; // of the message
  std::uint64_t chunk; // bytes; 0: the data are copied from process to process
  SlotOffer slots;     // used alternately by the chunks, if there are any
};

/// A rank's buffer, which the other side reads or writes; `begin` is null if the buffer is not contiguous.
struct Dense {
  pid_t process;
  std::byte* begin;
};

// The note of the first flag is the plan. Each slot has a flag that counts the chunks packed, or taken out.
constexpr std::size_t planned = 0;
constexpr std::size_t flag_of_slot(std::size_t slot) {
  return 1 + slot;
}
// A flag with two meanings. At the root: the root has written its part to all ranks. At another rank: the
// root may write to that rank's buffer. The note is the address of the rank's buffer.
constexpr std::size_t copied = flag_of_slot(0);
// The note of this flag is true if the system has refused a copy. At the root, it refused the root's part for
// some rank. At another rank, this rank lacks data, so the root sends them as a message.
constexpr std::size_t refused = flag_of_slot(1);
static_assert(flag_of_slot(lanes) <= std::tuple_size_v<decltype(shm::ControlBlock::flags)>);

constexpr const char* operation = "MPI_Bcast";

/// Returns the size of the chunks of `bytes` bytes: at most `most`, the size of a slot. Small data make one
/// chunk per slot; larger data use slots again. `members` members of the root's team have a core, and each
/// needs a part of every chunk. If they `sleep` between chunks, a part must be worth waking them.
std::size_t chunk_of(std::size_t bytes, std::size_t members, bool sleep, std::size_t most) noexcept {
  constexpr std::size_t least = std::size_t{8} * 1024;
  constexpr std::size_t part_of_woken = std::size_t{256} * 1024;
  constexpr std::size_t most_at_once = std::size_t{128} * 1024;
  constexpr std::size_t reusing = std::size_t{32} * 1024;
  const std::size_t alone = bytes <= lanes * most_at_once ? std::max(bytes / lanes, least) : reusing;
  const std::size_t parts =
      members * (sleep ? std::min(part_of_woken, bytes / lanes / members) : pipeline::grain);
  const std::size_t of_all = members == 1 ? alone : std::max(alone, parts);
  const std::size_t countable = bytes / SharedOperation::most_steps + 1;
  return std::min(shm::slot_stride(std::max(of_all, countable)), most);
}

/// Returns whether `bytes` bytes go through rooms instead of slots: see pipeline::are_better_in_rooms().
/// Larger messages are not faster there; after other work they are slower, since rooms are not in the cache.
bool are_in_rooms(std::size_t bytes, Stores stores) noexcept {
  return bytes <= std::size_t{64} * 1024 && pipeline::are_better_in_rooms(bytes, stores);
}

class Broadcast {
public:
  Broadcast(team::Member& member, const Shadow& shadow, const Stream& stream, int root)
      : member_(member), shadow_(shadow), stream_(stream), root_(root), shared_(operation, member, shadow) {}

  /// send() and receive() return false, having done nothing, if the root has no free slot.

  bool send(Algorithm algorithm) {
    Plan& plan = shared_.note<Plan>(planned);
    if (algorithm == Algorithm::cma && stream_.is_dense() && !peer_memory::is_refused()) {
      plan = {stream_.size(), 0, {}};
      send_by_copying();
      return true;
    }
    record(member_, Algorithm::shm_cico);
    const Stores stores = pipeline::stores_of(stream_.size(), shared_.shares_cache());
    const team::Team& team = member_.team();
    const auto members = static_cast<std::size_t>(team.at_work());
    const auto spin = team.waiting().time_to_spin(team::Oversubscription::by_threads());
    const pipeline::Chunks chunks(stream_.size(),
                                  chunk_of(stream_.size(), members, spin == spin.zero(), shadow_.chunk()));
    const SharedStaging& slots =
        slots_.emplace(std::min(lanes, chunks.count()), chunks.size(0), are_in_rooms(stream_.size(), stores));
    plan = {stream_.size(), chunks.bytes(), SlotOffer::of(slots)};
    shared_.show(planned, 1);
    shared_.look(stream_.size());
    if (slots.count() != 0) send_by_slots(chunks, slots, stores);
    shared_.finish();
    return slots.count() != 0;
  }

  bool receive() {
    const auto root = static_cast<std::size_t>(root_);
    shared_.await(root, planned, 1);
    shared_.look(stream_.size(), 1);
    const Plan plan = shared_.note<Plan>(root, planned);
    if (plan.bytes != stream_.size()) throw ranks::MpiError(shadow_.user(), MPI_ERR_TRUNCATE);
    record(member_, plan.chunk == 0 ? Algorithm::cma : Algorithm::shm_cico);
    if (plan.chunk == 0) return receive_by_copying(), true;
    if (plan.slots.count != 0) receive_from_slots(plan);
    shared_.finish({});
    return plan.slots.count != 0;
  }

private:
  std::vector<Lane> make_lanes(std::size_t slots) const {
    std::vector<Lane> made;
    for (std::size_t index = 0; index < slots; ++index) made.emplace_back(member_, shadow_);
    return made;
  }
  /// Returns how many bytes the root writes to each contiguous buffer, from byte 0 on; ranks read the rest.
  std::size_t written() const { return stream_.size() / static_cast<std::size_t>(shadow_.size()); }

  void send_by_copying() {
    shared_.note<Dense>(copied) = {getpid(), stream_.dense()};
    shared_.show(planned, 1);
    const auto ranks = static_cast<std::size_t>(shadow_.size());
    bool is_refused = false;
    for (std::size_t step = 1; step < ranks; ++step) {
      const std::size_t rank = (static_cast<std::size_t>(root_) + step) % ranks;
      shared_.await(rank, copied, 1);
      const auto [process, room] = shared_.note<Dense>(rank, copied);
      if (room == nullptr) continue;
      const auto write = [&, process = process, room = room](std::size_t begin, std::size_t end) noexcept {
        return peer_memory::write(process, stream_.dense() + begin, room + begin, end - begin);
      };
      if (!run_copying(written(), member_, write)) is_refused = true;
    }
    shared_.note<bool>(refused) = is_refused;
    shared_.show(copied, 1);
    send_to_refused();
  }

  /// Sends the data to ranks that lack them. Returns when all ranks have all data.
  void send_to_refused() {
    std::vector<int> lacking;
    for (int rank = 0; rank < shadow_.size(); ++rank) {
      if (rank == root_) continue;
      shared_.await(static_cast<std::size_t>(rank), refused, 1);
      if (shared_.note<bool>(static_cast<std::size_t>(rank), refused)) lacking.push_back(rank);
    }
    shared_.finish({}); // no rank copies any more
    if (lacking.empty()) return;
    auto in_flight = make_lanes(std::min(lanes, lacking.size()));
    pipeline::run(operation, in_flight, lacking.size(), [&](Lane& lane, std::size_t index) {
      lane.send(stream_.dense(), stream_.size(), lacking[index], 0);
    });
  }

  void receive_by_copying() {
    const auto root = static_cast<std::size_t>(root_);
    const auto [process, data] = shared_.note<Dense>(root, copied);
    shared_.note<Dense>(copied) = {getpid(), stream_.is_dense() ? stream_.dense() : nullptr};
    shared_.show(copied, 1);
    const std::size_t first = stream_.is_dense() ? written() : 0;
    const auto read = [&, process = process, data = data](std::size_t begin, std::size_t end) noexcept {
      return read_into(stream_, first + begin, first + end,
                       [=](std::size_t at, std::byte* to, std::size_t bytes) noexcept {
                         return peer_memory::read(process, data + at, to, bytes);
                       });
    };
    const bool has_read = !peer_memory::is_refused() && run_copying(stream_.size() - first, member_, read);
    shared_.await(root, copied, 1);
    const bool lacks = !has_read || (first != 0 && shared_.note<bool>(root, refused));
    shared_.note<bool>(refused) = lacks;
    shared_.show(refused, 1);
    shared_.finish({});
    if (lacks) receive_message();
  }

  void receive_message() {
    std::unique_ptr<std::byte[]> packed;
    if (!stream_.is_dense()) packed = std::make_unique_for_overwrite<std::byte[]>(stream_.size());
    std::byte* const to = packed != nullptr ? packed.get() : stream_.dense();
    auto in_flight = make_lanes(1);
    pipeline::run(operation, in_flight, 1,
                  [&](Lane& lane, std::size_t) { lane.receive(to, stream_.size(), root_, 0); });
    if (packed != nullptr) stream_.unpack(0, stream_.size(), packed.get());
  }

  void send_by_slots(const pipeline::Chunks& chunks, const SharedStaging& slots, Stores stores) {
    auto in_flight = make_lanes(slots.count());
    pipeline::run(
        operation, in_flight, chunks.count(),
        [&](Lane& lane, std::size_t chunk) {
          const std::size_t before = chunk / slots.count(); // this many chunks have used the slot
          for (int rank = 0; before != 0 && rank < shadow_.size(); ++rank) {
            if (rank == root_) continue;
            shared_.await(lane, static_cast<std::size_t>(rank), flag_of_slot(chunk % slots.count()), before);
          }
        },
        [&](Lane& lane, std::size_t chunk) {
          lane.pack(stream_, chunks.begin(chunk), chunks.size(chunk), slots[chunk % slots.count()], stores);
        },
        [&](Lane&, std::size_t chunk) {
          shared_.show(flag_of_slot(chunk % slots.count()), chunk / slots.count() + 1);
        });
  }

  void receive_from_slots(const Plan& plan) {
    const SlotOffer& slots = plan.slots;
    const pipeline::Chunks chunks(plan.bytes, plan.chunk);
    if (slots.count > lanes) throw ranks::MpiError(shadow_.user(), MPI_ERR_INTERN);
    auto in_flight = make_lanes(slots.count);
    pipeline::run(
        operation, in_flight, chunks.count(),
        [&](Lane& lane, std::size_t chunk) {
          shared_.await(lane, static_cast<std::size_t>(root_), flag_of_slot(chunk % slots.count),
                        chunk / slots.count + 1);
        },
        [&](Lane& lane, std::size_t chunk) {
          lane.unpack(
              stream_, chunks.begin(chunk), chunks.size(chunk),
              slots.find(shadow_, static_cast<std::size_t>(root_), chunk % slots.count, chunks.size(0)));
        },
        [&](Lane&, std::size_t chunk) {
          shared_.show(flag_of_slot(chunk % slots.count), chunk / slots.count + 1);
        });
  }

  team::Member& member_;
  const Shadow& shadow_;
  const Stream& stream_;
  const int root_;
  std::optional<SharedStaging> slots_; // outlives shared_, after whose end nobody reads the slots
  SharedOperation shared_;
};

} // namespace

bool bcast_in_node(team::Member& member, const Shadow& shadow, const Stream& stream, int root,
                   Algorithm algorithm) {
  Broadcast broadcast(member, shadow, stream, root);
  return shadow.rank() == root ? broadcast.send(algorithm) : broadcast.receive();
}

} // namespace helper::collective

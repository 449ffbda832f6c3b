// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/sysgroup/operations.hpp"

#include <optional>
#include <string>
#include <vector>

#include "pipeline/lane.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::groups::sysgroup {

namespace {

/// The words of an announcement, after the rank of the addressee.
enum : std::size_t { source = 1, process, message_tag, high_bytes, low_bytes };

std::int64_t bytes_of(const Words& announcement) {
  return std::int64_t{announcement[high_bytes]} << 32 | static_cast<std::uint32_t>(announcement[low_bytes]);
}

/// The words of an answer: whether the sender shall send the data, and with which tag.
enum : std::size_t { is_wanted, data_tag };

/// Waits for a message of the topic for which `is_wanted(words)` is true.
template <class IsWanted>
ControlMessage await(team::Member& member, const Sysgroup& group, const char* function, std::int32_t topic,
                     const IsWanted& is_wanted) {
  GroupChannel::Subscription subscription(group.channel(), {group.name(), topic});
  std::optional<ControlMessage> message;
  pipeline::wait_until(
      [&] {
        message = subscription.next(is_wanted);
        return message.has_value();
      },
      function, member, group.channel().shadow(), team::Woken::perhaps);
  return std::move(*message);
}

/// Starts an operation with `start(lane)` and waits until it has finished.
template <class Start>
void carry(team::Member& member, const Sysgroup& group, const char* function, const Start& start) {
  std::vector<pipeline::Lane> lanes;
  lanes.emplace_back(member, group.channel().shadow());
  pipeline::run(function, lanes, 1, [&](pipeline::Lane& lane, std::size_t) { start(lane); });
}

} // namespace

void send(team::Member& member, const Sysgroup& group, const Transfer& transfer) {
  const std::int64_t bytes = transfer.bytes;
  group.channel().announce(group.name(), transfer.peer,
                           {group.place().rank, group.place().id, transfer.tag,
                            static_cast<std::int32_t>(bytes >> 32), static_cast<std::int32_t>(bytes)});
  const ControlMessage answer =
      await(member, group, transfer.function, Topic::answers, GroupChannel::Subscription::is_any);
  if (answer.words[is_wanted] == 0) return;
  carry(member, group, transfer.function, [&](pipeline::Lane& lane) {
    const auto& data = transfer.data;
    lane.send(data.base, data.count, data.type, static_cast<std::size_t>(bytes), answer.from,
              answer.words[data_tag]);
  });
}

Received receive(team::Member& member, const Sysgroup& group, const Transfer& transfer) {
  const ControlMessage announcement =
      await(member, group, transfer.function, Topic::announcements, [&](const Words& words) {
        return (transfer.peer == MPI_ANY_SOURCE || transfer.peer == words[source]) &&
               (transfer.tag == MPI_ANY_TAG || transfer.tag == words[message_tag]);
      });
  const std::int64_t bytes = bytes_of(announcement.words);
  const int sender = announcement.words[process];
  const std::int64_t room = transfer.bytes;
  const bool is_wanted = bytes > 0 && bytes <= room;
  const int data_tag = group.port() + GroupChannel::tags_of_operations;
  Outbox out(group.channel().shadow());
  carry(member, group, transfer.function, [&](pipeline::Lane& lane) {
    const auto& data = transfer.data;
    if (is_wanted)
      lane.receive(data.base, data.count, data.type, static_cast<std::size_t>(bytes), sender, data_tag);
    out.send({group.name(), Topic::answers}, sender, {is_wanted ? 1 : 0, data_tag});
  });
  pipeline::wait_until([&] { return out.is_empty(); }, transfer.function, member, group.channel().shadow(),
                       team::Woken::perhaps);
  if (bytes > room)
    throw ranks::Rejected(MPI_ERR_TRUNCATE, "a message of " + std::to_string(bytes) +
                                                " bytes came, and there is room for " + std::to_string(room));
  return {announcement.words[source], announcement.words[message_tag], bytes};
}

} // namespace helper::groups::sysgroup

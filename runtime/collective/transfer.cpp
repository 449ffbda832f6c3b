// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/transfer.hpp"

#include <array>

#include "pipeline/lane.hpp"
#include "transport/message.hpp"

namespace helper::collective {

void transfer(const char* operation, team::Member& member, const transport::Shadow& shadow, Outgoing out,
              Incoming in, std::size_t bytes, MessageKind message) {
  std::array<transport::Message, 2> messages;
  transport::Message& incoming = messages[0];
  transport::Message& outgoing = messages[1];
  trace::Transit sending(trace::Stage::send);
  trace::Transit receiving(trace::Stage::receive);
  try {
    if (in.peer != MPI_PROC_NULL) {
      transport::receive(incoming, shadow, in.data, bytes, in.peer, tag(message, 0));
      receiving.add(member.track(), bytes);
    }
    if (out.peer != MPI_PROC_NULL) {
      transport::send(outgoing, shadow, out.data, bytes, out.peer, tag(message, 0));
      sending.add(member.track(), bytes);
    }
    pipeline::wait_until(
        [&] { return transport::settled(incoming, shadow) && transport::settled(outgoing, shadow); },
        operation, member, shadow, team::Woken::perhaps);
    receiving.arrived(member.track());
    sending.arrived(member.track());
  } catch (...) {
    transport::abandon(messages, shadow, member);
    throw;
  }
}

} // namespace helper::collective

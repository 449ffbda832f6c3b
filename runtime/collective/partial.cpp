// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "collective/partial.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "pipeline/lane.hpp"
#include "transport/message.hpp"

namespace helper::collective {

void transfer(const char* operation, team::Member& member, const Shadow& shadow, Outgoing out, Incoming in,
              std::size_t bytes, MessageKind message) {
  struct UnderWay {
    std::array<transport::Message, 2> messages{};
    const Shadow& shadow;
    team::Member& member;
    void abandon() noexcept { transport::abandon(messages, shadow, member); }
  } under_way{.shadow = shadow, .member = member};
  transport::Message& incoming = under_way.messages[0];
  transport::Message& outgoing = under_way.messages[1];
  const team::OnJump jump([](void* all) { static_cast<UnderWay*>(all)->abandon(); }, &under_way);
  const auto count = static_cast<MPI_Count>(bytes);
  trace::Transit sending(trace::Stage::send);
  trace::Transit receiving(trace::Stage::receive);
  try {
    if (in.peer != MPI_PROC_NULL) {
      transport::receive(incoming, shadow, in.data, count, MPI_BYTE, in.peer, tag(message, 0));
      receiving.add(member.track(), bytes);
    }
    if (out.peer != MPI_PROC_NULL) {
      transport::send(outgoing, shadow, out.data, count, MPI_BYTE, out.peer, tag(message, 0));
      sending.add(member.track(), bytes);
    }
    const auto are_settled = [&] {
      const bool sent = transport::settled(outgoing, shadow); // as in Lane::settled()
      return transport::settled(incoming, shadow) && sent;
    };
    pipeline::wait_until(
        [&] {
          return team::Oversubscription::by_threads() ? are_settled() : transport::poll_in_a_row(are_settled);
        },
        operation, member, shadow, team::Woken::perhaps);
    receiving.arrived(member.track());
    sending.arrived(member.track());
  } catch (...) {
    under_way.abandon();
    throw;
  }
}

Partial::Partial(const Reduction& reduction, const Stream& from)
    : reduction_(reduction), bytes_(from.size()), value_(from.is_dense() ? from.dense() : own_.data()) {
  if (!from.is_dense()) from.pack(0, bytes_, own_.data());
}

void Partial::exchange(int to, int from) {
  transfer(reduction_.operation, reduction_.member, reduction_.shadow, {value_, to}, {received_.data(), from},
           bytes_, MessageKind::partial);
}

void Partial::shift(int to, int from) {
  exchange(to, from);
  if (from == MPI_PROC_NULL) return;
  std::memcpy(own_.data(), received_.data(), bytes_);
  value_ = own_.data();
}

void Partial::combine(int to, int from, bool lower) {
  exchange(to, from);
  if (from == MPI_PROC_NULL) return;
  const std::array operands{lower ? received_.data() : value_, lower ? value_ : received_.data()};
  reduction_.reducer.reduce(operands, 0, bytes_ / reduction_.reducer.element(), own_.data());
  value_ = own_.data();
}

void reduce_to_all(Partial& partial) {
  // The first 2 * folded ranks pair up, so that a power of two of them takes part; the order of ranks is
  // kept.
  const int rank = partial.rank();
  const int participants = static_cast<int>(std::bit_floor(static_cast<unsigned>(partial.ranks())));
  const int folded = partial.ranks() - participants;
  const bool in_pair = rank < 2 * folded;
  if (in_pair && rank % 2 == 0) {
    partial.shift(rank + 1, MPI_PROC_NULL);
    partial.shift(MPI_PROC_NULL, rank + 1);
    return;
  }
  if (in_pair) partial.combine(MPI_PROC_NULL, rank - 1, true);
  const int position = in_pair ? rank / 2 : rank - folded;
  for (int distance = 1; distance < participants; distance *= 2) {
    const int other = position ^ distance;
    const int peer = other < folded ? 2 * other + 1 : other + folded;
    partial.combine(peer, peer, other < position);
  }
  if (in_pair) partial.shift(rank - 1, MPI_PROC_NULL);
}

// The ranks [low, high) reduce to `holder`, one of them. Its half reduces to it. The other half reduces to a
// holder of its own, which then sends its result to `holder`.
void reduce_to_root(Partial& partial, int root) {
  const int rank = partial.rank();
  std::vector<int> others; // this rank receives from them, the last first
  int receiver = MPI_PROC_NULL;
  int low = 0;
  int high = partial.ranks();
  int holder = root;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    const int other = holder < middle ? middle : low;
    if (rank == holder) {
      others.push_back(other);
    } else if ((rank < middle) != (holder < middle)) {
      if (rank == other) receiver = holder;
      holder = other;
    }
    (rank < middle ? high : low) = middle;
  }
  for (; !others.empty(); others.pop_back())
    partial.combine(MPI_PROC_NULL, others.back(), others.back() < rank);
  partial.shift(receiver, MPI_PROC_NULL);
}

void reduce_prefixes(Partial& partial, int first) {
  const int rank = partial.rank();
  const int ranks = partial.ranks();
  if (rank < first) return;
  for (int distance = 1; distance < ranks - first; distance *= 2) {
    const int to = rank + distance < ranks ? rank + distance : MPI_PROC_NULL;
    const int from = rank - distance >= first ? rank - distance : MPI_PROC_NULL;
    partial.combine(to, from, true);
  }
}

} // namespace helper::collective

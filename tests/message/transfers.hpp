// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <memory>
#include <string>

#include "message/flavours.hpp"

/// Random transfers among all ranks, with all ways to send, receive and complete.
namespace test_support {

/// A message between two ranks, on a communicator on which no other rank sends. If `sender` is MPI_PROC_NULL:
/// a call of MPI_Comm_split by all ranks, which blocks in MPI.
struct Transfer {
  int sender;
  int receiver;
  int tag;
  int ints;
  std::size_t sending;
  std::size_t receiving;
  bool any_source;
  bool any_tag;
};

/// Returns all ways to send but ready sends, whose receives would have to be posted before.
inline const std::vector<Sending>& unready_sendings() {
  static const std::vector<Sending> all = [] {
    std::vector<Sending> some = sendings();
    std::erase_if(some, [](const Sending& sending) { return sending.needs_receive; });
    return some;
  }();
  return all;
}

/// Draws `count` transfers among at least two ranks, the same at all ranks. Each rank starts its parts in
/// this order, so that no rank waits for something that another rank does later.
inline std::vector<Transfer> draw_transfers(Draw& shared, int ranks, int count) {
  std::vector<Transfer> all(static_cast<std::size_t>(count));
  for (Transfer& transfer : all) {
    const int sender = shared.upto(ranks - 1);
    transfer = {shared.upto(30) == 0 ? MPI_PROC_NULL : sender,
                (sender + 1 + shared.upto(ranks - 2)) % ranks,
                shared.upto(2),
                draw_ints(shared, 40'000),
                static_cast<std::size_t>(shared.upto(static_cast<int>(unready_sendings().size()) - 1)),
                static_cast<std::size_t>(shared.upto(static_cast<int>(receivings().size()) - 1)),
                shared.upto(4) == 0,
                shared.upto(4) == 0};
  }
  return all;
}

/// The part of this rank in transfers. It has one communicator for each sender.
class Part {
public:
  explicit Part(const std::vector<Comm>& of_senders) : comms_(of_senders), rank_(of_senders.front().rank()) {}

  /// Starts the part of this rank in the transfer, or makes the call if it blocks. The data equal message
  /// `key`. Returns what went wrong, or an empty text.
  std::string start(const Transfer& transfer, int key, Draw& own) {
    if (transfer.sender == MPI_PROC_NULL) {
      MPI_Comm made = MPI_COMM_NULL;
      const int code = MPI_Comm_split(comms_.front(), 0, 0, &made);
      if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
      return code == MPI_SUCCESS ? "" : "MPI_Comm_split";
    }
    if (transfer.sender != rank_ && transfer.receiver != rank_) return {};
    const MPI_Comm comm = comms_[static_cast<std::size_t>(transfer.sender)];
    Pending& pending = *pending_.emplace_back(std::make_unique<Pending>(transfer, key, own));
    int code = MPI_ERR_OTHER;
    if (transfer.sender == rank_) {
      pending.data.put(key);
      code = unready_sendings()[transfer.sending].start(pending.data, {comm, transfer.receiver, transfer.tag},
                                                        &pending.request);
    } else {
      const Envelope from{comm, transfer.any_source ? MPI_ANY_SOURCE : transfer.sender,
                          transfer.any_tag ? MPI_ANY_TAG : transfer.tag};
      code = receivings()[transfer.receiving].start(pending.data, from, &pending.status, &pending.request);
    }
    return code == MPI_SUCCESS ? "" : pending.description() + ": an error";
  }

  /// Completes some transfers that have been started, or all. Returns what went wrong, or an empty text.
  std::string complete_some(bool all, Draw& own) {
    std::vector<Pending*> chosen;
    for (auto& pending : pending_)
      if (all || own.coin()) chosen.push_back(pending.get());
    std::vector<MPI_Request> requests;
    std::vector<MPI_Status> statuses;
    for (const Pending* pending : chosen) {
      requests.push_back(pending->request);
      statuses.push_back(pending->status);
    }
    const std::vector<MPI_Request> before = requests;
    std::string wrong = complete_shuffled(requests, statuses, own) == MPI_SUCCESS ? "" : "an error; ";
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (before[i] != MPI_REQUEST_NULL) chosen[i]->status = statuses[i];
      if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]); // it is persistent
      wrong += wrong_in(*chosen[i]);
    }
    std::erase_if(pending_, [&](const auto& each) { return std::ranges::count(chosen, each.get()) != 0; });
    return wrong;
  }

private:
  struct Pending {
    Pending(const Transfer& of, int number, Draw& own) : transfer(of), key(number), data(own, of.ints) {}
    std::string description() const {
      return fmt::format("{} to {}, {} ints", unready_sendings()[transfer.sending].name,
                         receivings()[transfer.receiving].name, transfer.ints);
    }
    Transfer transfer;
    int key;
    Data data;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status{};
  };

  std::string wrong_in(const Pending& pending) const {
    const Transfer& transfer = pending.transfer;
    std::string wrong = pending.data.holds(pending.key, transfer.ints) ? "" : "data";
    if (transfer.receiver == rank_)
      wrong +=
          test_support::wrong_in(pending.status, transfer.sender, transfer.tag, pending.data, transfer.ints);
    return wrong.empty() ? "" : pending.description() + ": " + wrong + "; ";
  }

  const std::vector<Comm>& comms_;
  int rank_;
  std::vector<std::unique_ptr<Pending>> pending_;
};

} // namespace test_support

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/roles.hpp"

#include <cstdlib>

// Random transfers among all ranks, each rank in a phase or not as it likes, with any way to send, receive
// and complete. TEST_ROUNDS says how many rounds of them; each begins anew from the seed and its number.

using namespace test_support;

namespace {

int rounds() {
  const char* const value = std::getenv("TEST_ROUNDS");
  return value == nullptr ? 12 : std::atoi(value);
}

/// A message from a rank to another, over a communicator on which that rank alone sends. Without a sender it
/// is a call of MPI_Comm_split, which blocks in MPI, by all ranks.
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

/// Ready sends aside, whose receivers would have to be asked.
const std::vector<Sending>& unready_sendings() {
  static const std::vector<Sending> all = [] {
    std::vector<Sending> some = sendings();
    std::erase_if(some, [](const Sending& sending) { return sending.needs_receive; });
    return some;
  }();
  return all;
}

/// All ranks draw the same. In this order each rank starts, or does, what is its part; so nobody waits for
/// what another does later.
std::vector<Transfer> draw_transfers(Draw& shared, int ranks) {
  std::vector<Transfer> all(static_cast<std::size_t>(10 + shared.upto(50)));
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

/// One rank's part in the transfers.
class Part {
public:
  Part(const std::vector<Comm>& of_senders, Draw& own)
      : comms_(of_senders), own_(own), rank_(of_senders.front().rank()) {}

  void start(const Transfer& transfer, int key) {
    if (transfer.sender == MPI_PROC_NULL) {
      MPI_Comm made = MPI_COMM_NULL;
      CHECK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made) == MPI_SUCCESS);
      MPI_Comm_free(&made);
      return;
    }
    if (transfer.sender != rank_ && transfer.receiver != rank_) return;
    const MPI_Comm comm = comms_[static_cast<std::size_t>(transfer.sender)];
    Pending& pending = *pending_.emplace_back(std::make_unique<Pending>(transfer, key, own_));
    if (transfer.sender == rank_) {
      pending.data.put(key);
      CHECK(unready_sendings()[transfer.sending].start(pending.data, {comm, transfer.receiver, transfer.tag},
                                                       &pending.request) == MPI_SUCCESS);
    } else {
      const Envelope from{comm, transfer.any_source ? MPI_ANY_SOURCE : transfer.sender,
                          transfer.any_tag ? MPI_ANY_TAG : transfer.tag};
      CHECK(receivings()[transfer.receiving].start(pending.data, from, &pending.status, &pending.request) ==
            MPI_SUCCESS);
    }
  }

  /// Completes some of what has been started, or all.
  void complete_some(bool all) {
    std::vector<Pending*> chosen;
    for (auto& pending : pending_)
      if (all || own_.coin()) chosen.push_back(pending.get());
    std::vector<MPI_Request> requests;
    std::vector<MPI_Status> statuses;
    for (const Pending* pending : chosen) {
      requests.push_back(pending->request);
      statuses.push_back(pending->status);
    }
    const std::vector<MPI_Request> before = requests;
    CHECK(complete_shuffled(requests, statuses, own_) == MPI_SUCCESS);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (before[i] != MPI_REQUEST_NULL) chosen[i]->status = statuses[i];
      if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]); // a persistent one
      check(*chosen[i]);
    }
    std::erase_if(pending_, [&](const auto& each) { return std::ranges::count(chosen, each.get()) != 0; });
  }

private:
  struct Pending {
    Pending(const Transfer& of, int number, Draw& own) : transfer(of), key(number), data(own, of.ints) {}
    Transfer transfer;
    int key;
    Data data;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status{};
  };

  void check(const Pending& pending) const {
    const Transfer& transfer = pending.transfer;
    INFO(unready_sendings()[transfer.sending].name << " to " << receivings()[transfer.receiving].name << ", "
                                                   << transfer.ints << " ints");
    CHECK(pending.data.holds(pending.key, transfer.ints));
    if (transfer.receiver == rank_)
      check_status(pending.status, transfer.sender, transfer.tag, pending.data, transfer.ints);
  }

  const std::vector<Comm>& comms_;
  Draw& own_;
  int rank_;
  std::vector<std::unique_ptr<Pending>> pending_;
};

} // namespace

TEST_CASE("Random transfers, in phases and out of them, bring what was sent") {
  Helpers helpers;
  const AttachedBuffer buffer;
  const Comm world(MPI_COMM_WORLD);
  std::vector<Comm> comms;
  for (int sender = 0; sender < world.size(); ++sender) {
    MPI_Comm copy = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
    comms.emplace_back(copy);
  }
  PMPI_Barrier(MPI_COMM_WORLD); // all have made their team
  if (world.size() == 1) return;
  for (int round = 0; round < rounds(); ++round) {
    INFO("round " << round);
    Draw shared(seed() + static_cast<std::uint64_t>(round));
    Draw own(seed() + static_cast<std::uint64_t>(1'000'000 * (world.rank() + 1) + round));
    const std::vector<Transfer> transfers = draw_transfers(shared, world.size());
    Part part(comms, own);
    for (std::size_t next = 0; next < transfers.size();) {
      const std::size_t end = std::min(transfers.size(), next + 1 + static_cast<std::size_t>(own.upto(10)));
      const auto some = [&] {
        for (; next < end; ++next) {
          part.start(transfers[next], static_cast<int>(next));
          if (own.upto(5) == 0) part.complete_some(false);
        }
      };
      if (own.coin()) {
        helpers.phase(some);
      } else {
        some();
      }
    }
    const auto rest = [&] { part.complete_some(true); };
    if (own.coin()) {
      helpers.phase(rest);
    } else {
      rest();
    }
  }
}

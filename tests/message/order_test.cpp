// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <deque>

#include "message/roles.hpp"

// Messages between the same ranks match in the order of MPI, however they travel and in whatever order they
// are completed. They are small and large, contiguous and non-contiguous.

using namespace test_support;

namespace {

/// Transfers of this rank that are in progress.
class Batch {
public:
  /// Adds a transfer, with a buffer for `ints` ints and a place for its request. Returns the buffer.
  Data& add(Draw& own, int ints) {
    requests_.push_back(MPI_REQUEST_NULL);
    statuses_.emplace_back();
    return data_.emplace_back(own, ints);
  }
  MPI_Request* request() { return &requests_.back(); }
  MPI_Status* status() { return &statuses_.back(); }

  /// Completes all requests that are left, and frees the persistent ones.
  void finish(Draw& own) {
    std::vector<MPI_Request> requests;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests.push_back(requests_[i]);
      indices.push_back(i);
    }
    std::vector<MPI_Status> statuses(requests.size());
    CHECK(complete_shuffled(requests, statuses, own) == MPI_SUCCESS);
    for (std::size_t i = 0; i < indices.size(); ++i) statuses_[indices[i]] = statuses[i];
    for (MPI_Request& request : requests) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }

  std::size_t size() const { return data_.size(); }
  const Data& data(std::size_t index) const { return data_[index]; }
  const MPI_Status& status(std::size_t index) const { return statuses_[index]; }

private:
  std::deque<Data> data_; // a deque, because MPI has the addresses of elements
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
};

struct Message {
  int tag;
  int ints;
};

/// Draws mostly small messages and some large ones, with few different tags.
std::vector<Message> draw_messages(Draw& shared, int number) {
  std::vector<Message> messages;
  for (int i = 0; i < number; ++i)
    messages.push_back({shared.upto(2), shared.coin() ? draw_ints(shared) : shared.upto(8)});
  return messages;
}

void send_all(const std::vector<Message>& messages, MPI_Comm comm, int destination, Draw& own) {
  Batch batch;
  int key = 0;
  for (const Message& message : messages) {
    const Sending* way = &own.of(sendings());
    while (way->needs_receive) way = &own.of(sendings());
    Data& data = batch.add(own, message.ints);
    data.put(key++);
    INFO("by " << way->name);
    CHECK(way->start(data, {comm, destination, message.tag}, batch.request()) == MPI_SUCCESS);
  }
  batch.finish(own);
  for (std::size_t i = 0; i < batch.size(); ++i) CHECK(batch.data(i).unchanged());
}

/// Receives the messages in order, each with its tag or MPI_ANY_TAG.
void receive_in_order(const std::vector<Message>& messages, MPI_Comm comm, int source, bool two_ranks,
                      Draw& own) {
  Batch batch;
  for (const Message& message : messages) {
    const Receiving& way = own.of(receivings());
    const Envelope from{comm, two_ranks && own.coin() ? MPI_ANY_SOURCE : source,
                        own.coin() ? message.tag : MPI_ANY_TAG};
    INFO("by " << way.name);
    const Data& data = batch.add(own, message.ints);
    CHECK(way.start(data, from, batch.status(), batch.request()) == MPI_SUCCESS);
  }
  batch.finish(own);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    INFO("message " << i);
    CHECK(batch.data(i).holds(static_cast<int>(i), messages[i].ints));
    check_status(batch.status(i), source, messages[i].tag, batch.data(i), messages[i].ints);
  }
}

/// Posts all receives before it completes any. Their tags are in another order than the tags of the sends.
/// Receives with the same tag must match in order.
void receive_shuffled(std::vector<Message> messages, MPI_Comm comm, int source, Draw& own) {
  std::array<std::deque<int>, 3> of_tag; // the messages of each tag
  int number = 0;
  for (const Message& message : messages) of_tag[static_cast<std::size_t>(message.tag)].push_back(number++);
  std::vector<int> tags;
  for (const Message& message : messages) tags.push_back(message.tag);
  own.shuffle(tags);
  Batch batch;
  std::vector<int> expected;
  for (int tag : tags) {
    auto& waiting = of_tag[static_cast<std::size_t>(tag)];
    const Receiving* way = &own.of(receivings());
    while (!way->posts) way = &own.of(receivings());
    expected.push_back(waiting.front());
    const Data& data = batch.add(own, messages[static_cast<std::size_t>(waiting.front())].ints);
    waiting.pop_front();
    CHECK(way->start(data, {comm, source, tag}, batch.status(), batch.request()) == MPI_SUCCESS);
  }
  batch.finish(own);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    INFO("receive " << i << ", message " << expected[i]);
    CHECK(batch.data(i).holds(expected[i], batch.data(i).ints()));
    check_status(batch.status(i), source, tags[i], batch.data(i), batch.data(i).ints());
  }
}

} // namespace

TEST_CASE("Messages match in the order in which they are sent") {
  Helpers helpers;
  const AttachedBuffer buffer;
  const std::vector<Comm> comms = all_communicators();
  for (int repetition = 0; repetition < 30; ++repetition) {
    Draw shared(seed() + static_cast<std::uint64_t>(repetition));
    Draw own(seed() + static_cast<std::uint64_t>(1000 * (comms.front().rank() + 1) + repetition));
    const Comm& comm = shared.of(comms);
    const std::vector<Message> messages = draw_messages(shared, 16);
    const bool shuffled = shared.coin();
    const Role role = draw_role(shared, comm);
    INFO("repetition " << repetition << (shuffled ? ", shuffled" : ", in order"));
    helpers.phase([&] {
      if (role.kind == Role::sender) send_all(messages, comm, role.peer, own);
      if (role.kind != Role::receiver) return;
      if (shuffled) {
        receive_shuffled(messages, comm, role.peer, own);
      } else {
        receive_in_order(messages, comm, role.peer, comm.size() == 2, own);
      }
    });
  }
}

TEST_CASE("Everybody sends many large messages to everybody, all at once") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  const int size = world.size();
  const int each = 60 / size;
  constexpr int ints = 20'000;
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  const auto key = [&](int source, int destination, int tag) {
    return (source * size + destination) * each + tag;
  };
  Batch sent;
  Batch received;
  helpers.phase([&] {
    for (int tag = 0; tag < each; ++tag) {
      for (int peer = 0; peer < size; ++peer) {
        Data& data = sent.add(own, ints);
        data.put(key(world.rank(), peer, tag));
        send_later<MPI_Isend>(data, {world, peer, tag}, sent.request());
      }
    }
    for (int tag = each - 1; tag >= 0; --tag) {
      for (int peer = 0; peer < size; ++peer) {
        const Data& data = received.add(own, ints);
        receive_later<MPI_Irecv>(data, {world, MPI_ANY_SOURCE, tag}, nullptr, received.request());
      }
    }
    received.finish(own);
    sent.finish(own);
  });
  for (std::size_t i = 0; i < received.size(); ++i) {
    const MPI_Status& status = received.status(i);
    const int tag = each - 1 - static_cast<int>(i) / size;
    CHECK(received.data(i).holds(key(status.MPI_SOURCE, world.rank(), tag), ints));
    check_status(status, status.MPI_SOURCE, tag, received.data(i), ints);
  }
}

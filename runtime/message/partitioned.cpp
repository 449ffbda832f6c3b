// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// MPICH 4.0 sends a partitioned message when its last partition is ready, and slowly. Here it is cut into
// units of whole partitions of the sender's, each of which is a message of its own, which goes as soon as it
// is ready: announced, if it is scattered, on the private communicator.
//
// The first start of a request is MPI's. With it goes a note, a native partitioned message of the same
// envelope, so that MPI matches it as it does the requests: the receiver learns from it what the sender has
// decided when it made its request. When the receiver starts its request again it has the note, since it has
// the data of the first start. So it knows then what to post, and neither side ever waits for an answer.

#include <mpi.h>

#if MPI_VERSION >= 4

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "lifetime/never_destroyed.hpp"
#include "message/message.hpp"
#include "message/partitioned_operation.hpp"
#include "message/peers.hpp"
#include "message/wait.hpp"

namespace helper::message::partitioned {

namespace {

namespace world = transport::world;

// Other MPIs send partitions by themselves, or have not been measured.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr bool are_sent_late = true;
#else
constexpr bool are_sent_late = false;
#endif

// MPI is as fast with smaller messages. More units would be more streams than there are.
constexpr MPI_Count least_bytes = MPI_Count{128} * 1024;
constexpr MPI_Count least_unit = MPI_Count{32} * 1024;
constexpr int most_units = 8;

/// The note that goes with a request's first start.
class Note {
public:
  explicit Note(const Agreement& agreement) : content_(agreement) {}
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;

  ~Note() {
    if (request_ != MPI_REQUEST_NULL) PMPI_Request_free(&request_);
  }

  /// Makes its request by `init`, MPI_Psend_init or MPI_Precv_init.
  template <class Init>
  void make(const Init& init, int peer, int tag, MPI_Comm comm) {
    transport::check(
        init(&content_, 1, sizeof content_, MPI_BYTE, peer, tag, comm, MPI_INFO_NULL, &request_));
  }

  void start() {
    transport::check(PMPI_Start(&request_));
    is_under_way_ = true;
  }
  void send() {
    start();
    transport::check(PMPI_Pready(0, request_));
  }

  /// What it says: it has been sent, and a receiver waits until it is here.
  const Agreement& content() const noexcept { return content_; }

  /// Whether MPI has nothing under way for it.
  bool is_over() noexcept {
    int over = is_under_way_ ? 0 : 1;
    if (is_under_way_) PMPI_Test(&request_, &over, MPI_STATUS_IGNORE);
    return over != 0;
  }
  void await(team::Member& member) {
    if (!is_under_way_) return;
    is_under_way_ = false;
    MPI_Status status;
    transport::check(wait_for(member, "MPI_Start", MPI_COMM_NULL, request_, &status));
  }

private:
  Agreement content_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool is_under_way_ = false;
};

/// The notes of requests that have been freed, as long as MPI has something under way for them: MPICH 4.0.2
/// frees memory twice where an active partitioned request is freed.
struct LateNotes {
  std::mutex mutex; // guards the rest
  std::list<std::unique_ptr<Note>> notes;
};

constexpr auto& late = lifetime::sole<LateNotes>;

/// Frees the notes of a list that are over, and keeps the others.
void retire(std::list<std::unique_ptr<Note>>& one) noexcept {
  const std::lock_guard lock(late().mutex);
  late().notes.splice(late().notes.end(), one);
  std::erase_if(late().notes, [](const auto& note) { return note->is_over(); });
}

/// What is done when a request is started.
class PartitionedRequest : public persistent::Operation {
public:
  PartitionedRequest(Partitions&& what, const Agreement& agreement) : what_(std::move(what)) {
    note_.push_back(std::make_unique<Note>(agreement));
  }
  ~PartitionedRequest() override { retire(note_); }

  Note& note() const noexcept { return *note_.front(); }

  std::optional<int> start(team::Member& member, MPI_Request& request) const override {
    if (requests::find(&request) != nullptr) // MPI, which has not started it, would not see that
      throw transport::MpiError(transport::unnamed_comm(), MPI_ERR_REQUEST);
    if (!started_by_mpi()) {
      tell();
      return std::nullopt;
    }
    hear(member);
    const Agreement& agreed = note().content();
    if (agreed.unit == 0) return member.decline("little data in partitions, or made outside of a phase");
    int is_inactive = 0;
    transport::check(look_at_native(request, &is_inactive, MPI_STATUS_IGNORE));
    if (is_inactive == 0) return std::nullopt; // an error, for MPI to report
    if (trace::Track* const track = member.track()) track->went(trace::Way::carried);
    return transport::charged_to(transport::unnamed_comm(), [&] {
      begin(agreed, request);
      return MPI_SUCCESS;
    });
  }

protected:
  /// Has the note go, or come, with the first start.
  virtual void tell() const = 0;
  virtual void hear(team::Member&) const {}

  virtual void begin(const Agreement& agreed, MPI_Request request) const = 0;

  const Partitions what_;

private:
  // One, in a list, since to keep it must not take memory. The thread that starts the request uses it.
  std::list<std::unique_ptr<Note>> note_;
};

class SendRequest final : public PartitionedRequest {
  using PartitionedRequest::PartitionedRequest;

  void tell() const override { note().send(); }
  void begin(const Agreement& agreed, MPI_Request request) const override {
    requests::track(request, requests::entry_of(std::make_shared<PartitionedSend>(what_, agreed)));
  }
};

class ReceiveRequest final : public PartitionedRequest {
  using PartitionedRequest::PartitionedRequest;

  void tell() const override { note().start(); }
  void hear(team::Member& member) const override { note().await(member); }
  void begin(const Agreement& agreed, MPI_Request request) const override {
    const auto operation = std::make_shared<PartitionedReceive>(what_, agreed);
    auto entry = requests::entry_of(operation);
    operation->post();
    requests::track(request, std::move(entry));
  }
};

/// The arguments of a request, if both sides know that there may be units: that hangs on what they know
/// alike.
std::optional<Partitions> candidate(const Arguments& call) {
  if (!are_sent_late || !peers::all_announce() || call.peer < 0 || world::comm() == MPI_COMM_NULL)
    return std::nullopt;
  const int peer = transport::charged_to(call.comm, [&] { return world::rank(call.comm, call.peer); });
  if (peer == MPI_UNDEFINED || peer == world::own_rank()) return std::nullopt;
  MPI_Count element = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  PMPI_Type_size_x(call.type, &element);
  PMPI_Type_get_extent_x(call.type, &lower, &extent);
  return Partitions{call.buffer, call.partitions, call.count, duplicate(call.type), element, extent,
                    peer,        call.peer,       call.tag};
}

/// What the sender decides: how many partitions go together.
Agreement decide(const Partitions& what, bool is_in_phase) {
  const Agreement native{0, 0, 0};
  MPI_Count partition = 0;
  MPI_Count bytes = 0;
  if (!is_in_phase || !world::takes_more() || __builtin_mul_overflow(what.count, what.element, &partition) ||
      __builtin_mul_overflow(partition, what.number, &bytes) || bytes < least_bytes)
    return native;
  const auto up = [](MPI_Count a, MPI_Count b) { return (a + b - 1) / b; };
  const MPI_Count group = std::max(up(what.number, most_units), up(least_unit, partition));
  return {bytes, std::min<MPI_Count>(group, what.number) * partition, tags::draw(most_units)};
}

/// Makes the request's note, and keeps what is done at starts.
template <class Request, class Init>
void keep(MPI_Request request, const Arguments& call, Partitions&& what, const Agreement& agreed,
          const Init& init) {
  act_outside(); // whoever starts and completes the request, in a phase or outside, does so here
  transport::charged_to(call.comm, [&] {
    auto kept = std::make_shared<Request>(std::move(what), agreed);
    kept->note().make(init, call.peer, call.tag, call.comm);
    persistent::keep(request, std::move(kept));
  });
}

/// The operation of an active request, if it is of that kind. Throws MpiError where it is of the other.
template <class Operation>
std::shared_ptr<Operation> find(MPI_Request request) {
  const auto found = std::dynamic_pointer_cast<PartitionedOperation>(requests::find(&request));
  auto operation = std::dynamic_pointer_cast<Operation>(found);
  if (found != nullptr && operation == nullptr)
    throw transport::MpiError(transport::unnamed_comm(), MPI_ERR_REQUEST);
  return operation;
}

} // namespace

std::unique_lock<std::recursive_mutex> lock() {
  static std::recursive_mutex making; // MPI may call an error handler of the user's meanwhile
  return std::unique_lock(making);
}

void keep_send(MPI_Request request, const Arguments& call, bool is_in_phase) {
  persistent::forget(request);
  if (auto what = candidate(call)) {
    const Agreement agreed = decide(*what, is_in_phase);
    keep<SendRequest>(request, call, std::move(*what), agreed, PMPI_Psend_init);
  }
}

void keep_receive(MPI_Request request, const Arguments& call) {
  persistent::forget(request);
  if (auto what = candidate(call)) keep<ReceiveRequest>(request, call, std::move(*what), {}, PMPI_Precv_init);
}

std::optional<int> pready(team::Member& member, int partition, MPI_Request request) {
  return pready_range(member, partition, partition, request);
}

std::optional<int> pready_range(team::Member& member, int low, int high, MPI_Request request) {
  const auto operation = find<PartitionedSend>(request);
  if (operation == nullptr) return std::nullopt;
  operation->set_ready(member, low, high);
  return MPI_SUCCESS;
}

std::optional<int> pready_list(team::Member& member, int length, const int* partitions, MPI_Request request) {
  const auto operation = find<PartitionedSend>(request);
  if (operation == nullptr || length < 0 || (length > 0 && partitions == nullptr)) return std::nullopt;
  std::for_each_n(partitions, length,
                  [&](int partition) { operation->set_ready(member, partition, partition); });
  return MPI_SUCCESS;
}

std::optional<int> parrived(team::Member& member, MPI_Request request, int partition, int* flag) {
  const auto operation = find<PartitionedReceive>(request);
  if (operation == nullptr || flag == nullptr) return std::nullopt;
  requests::advance_one(member);
  operation->advance(member);
  *flag = operation->has_arrived(partition) ? 1 : 0;
  return MPI_SUCCESS;
}

} // namespace helper::message::partitioned

#endif

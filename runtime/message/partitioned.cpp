// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// MPI sends a partitioned message slowly, and only when its last partition is ready (quirk
// partitions_wait_for_last). The library cuts the message into units of whole partitions of the sender. A
// ready unit is sent as a message on the private communicator, announced if its data are non-contiguous.
//
// MPI performs the first start of a request. A note goes with the request: a native partitioned message with
// the same envelope, so that MPI matches notes as it matches requests. The note contains what the sender
// decided when it made its request. Each side makes and starts its note before its request, so the note
// arrives before the data. A receiver that starts its request again has the note. Neither side ever waits for
// an answer.

#include "message/message.hpp"

#ifdef MPI_HELPER_PARTITIONED

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "lifetime/never_destroyed.hpp"
#include "message/partitioned_operation.hpp"
#include "message/wait.hpp"
#include "ranks/arguments.hpp"
#include "shm/traffic.hpp"

namespace helper::message::partitioned {

namespace {

namespace world = ranks::world;

// Smaller messages are as fast in MPI. Smaller units would need more streams than there are.
constexpr MPI_Count least_bytes = MPI_Count{128} * 1024;
constexpr MPI_Count least_unit = MPI_Count{32} * 1024;

// Whether requests may have units. start() sets it, before any request can be made.
bool may_be_carried = false;

/// What MPI uses to match requests.
struct PartitionedEnvelope {
  MPI_Comm comm;
  int peer;
  int tag;
  bool is_send;

  friend bool operator==(const PartitionedEnvelope&, const PartitionedEnvelope&) = default;
};

/// The note that goes with a request's first start. One thread at a time uses it.
class PartitionedNote {
public:
  explicit PartitionedNote(const PartitionedEnvelope& envelope) noexcept : envelope_(envelope) {}
  PartitionedNote(const PartitionedNote&) = delete;
  PartitionedNote& operator=(const PartitionedNote&) = delete;

  const PartitionedEnvelope& envelope() const noexcept { return envelope_; }
  bool is_made() const noexcept { return request_ != MPI_REQUEST_NULL; }

  /// Makes the note's request, unless it has one.
  void make(const PartitionedAgreement& content, MPI_Info info) {
    content_ = content;
    if (is_made()) return;
    const auto [comm, peer, tag, is_send] = envelope_;
    constexpr MPI_Count size = sizeof content_;
    ranks::check(is_send ? PMPI_Psend_init(&content_, 1, size, MPI_BYTE, peer, tag, comm, info, &request_)
                         : PMPI_Precv_init(&content_, 1, size, MPI_BYTE, peer, tag, comm, info, &request_));
  }

  /// Starts the note. If it throws MpiError, a later call does the steps that remain.
  void start() {
    if (!is_started_) ranks::check(PMPI_Start(&request_));
    is_started_ = true;
    if (envelope_.is_send && !is_ready_) ranks::check(PMPI_Pready(0, request_));
    is_ready_ = true;
  }

  /// Returns whether MPI has nothing in flight for the note. If so, a started note has the sender's content.
  bool is_over() noexcept {
    if (is_started_ && !is_over_) {
      const ErrorsReturn errors(world::comm());
      int flag = 0;
      is_over_ = PMPI_Test(&request_, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0;
    }
    return !is_started_ || is_over_;
  }
  const PartitionedAgreement& content() const noexcept { return content_; }

  void free() noexcept { PMPI_Request_free(&request_); }

private:
  const PartitionedEnvelope envelope_;
  PartitionedAgreement content_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool is_started_ = false;
  bool is_ready_ = false;
  bool is_over_ = false;
};

using Notes = std::list<std::unique_ptr<PartitionedNote>>; // even a single note is in a list, so that moving
                                                           // it allocates no memory

/// Notes that belong to no request.
struct NoteStore {
  std::mutex mutex; // guards the rest; MPI is not called while it is held
  // Notes of requests that were freed while MPI had something in flight: quirk frees_partitioned_twice.
  Notes late;
  // Notes of requests that MPI could not make. MPI at the other side may know such a note. So the next
  // request with the same envelope uses this note: MPI would match a new note with the wrong request.
  Notes spare;
  Notes abandoned; // MPI may still use them, although it ends or has ended
  bool has_ended = true;
};

constexpr auto& store = lifetime::sole<NoteStore>;

/// Frees those of `notes` and of the late notes that have finished. Keeps the others as late notes.
void retire(Notes& notes) noexcept {
  {
    const std::lock_guard lock(store().mutex);
    if (store().has_ended) return store().abandoned.splice(store().abandoned.end(), notes);
    notes.splice(notes.end(), store().late);
  }
  std::erase_if(notes, [](const auto& note) {
    if (!note->is_over()) return false;
    note->free();
    return true;
  });
  const std::lock_guard lock(store().mutex);
  store().late.splice(store().late.end(), notes);
}

/// Keeps a note for the next request with the same envelope.
void put_aside(Notes& note) noexcept {
  const std::lock_guard lock(store().mutex);
  store().spare.splice(store().spare.end(), note);
}

/// Replaces `note` by a spare note with the same envelope, if there is one.
void prefer_spare(Notes& note) noexcept {
  const std::lock_guard lock(store().mutex);
  const auto found = std::ranges::find_if(
      store().spare, [&](const auto& each) { return each->envelope() == note.front()->envelope(); });
  if (found == store().spare.end()) return;
  note.clear();
  note.splice(note.end(), store().spare, found);
}

/// What the library does when a partitioned request is started.
class PartitionedRequest final : public persistent::PersistentOperation {
public:
  PartitionedRequest(std::shared_ptr<const Partitions> what, const PartitionedEnvelope& envelope)
      : what_(std::move(what)) {
    note_.push_back(std::make_unique<PartitionedNote>(envelope));
  }
  ~PartitionedRequest() override {
    if (is_made_)
      retire(note_);
    else if (note().is_made())
      put_aside(note_);
  }

  /// Makes the note. The sender's decision is the `content`; a receiver passes an empty one.
  void make_note(const PartitionedAgreement& content, MPI_Info info) {
    prefer_spare(note_);
    note().make(content, info);
  }

  void set_made() const noexcept { is_made_ = true; }

  std::optional<int> start(team::Member& member, MPI_Request& request) const override {
    if (requests::find(&request) != nullptr) // for MPI the request is inactive: it would report no error
      throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_REQUEST);
    if (!started_by_mpi()) return start_first(member, request);
    int is_inactive = 0;
    ranks::check(look_at_native(request, &is_inactive, MPI_STATUS_IGNORE));
    if (is_inactive == 0) return std::nullopt; // an error, for MPI to report
    const bool is_heard = note().envelope().is_send || note().is_over();
    if (!is_heard || what_->is_broken.load(std::memory_order_relaxed))
      throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_OTHER);
    if (note().content().unit == 0) return member.decline("it was made outside of a phase");
    if (trace::Track* const track = member.track()) track->went(trace::Way::carried);
    return ranks::charged_to(ranks::unnamed_comm(), [&] {
      begin(request);
      return MPI_SUCCESS;
    });
  }

private:
  PartitionedNote& note() const noexcept { return *note_.front(); }

  /// Makes MPI start the request, after the note.
  int start_first(const team::Member& member, MPI_Request& request) const {
    note().start();
    if (trace::Track* const track = member.track()) track->went(trace::Way::native);
    static_cast<void>(member.decline("it is started for the first time"));
    const int code = PMPI_Start(&request);
    if (code == MPI_SUCCESS) set_started_by_mpi();
    return code;
  }

  void begin(MPI_Request request) const {
    const PartitionedAgreement& agreed = note().content();
    if (note().envelope().is_send) {
      requests::track(request, std::make_shared<PartitionedSend>(what_, agreed));
      return;
    }
    const auto operation = std::make_shared<PartitionedReceive>(what_, agreed);
    operation->post();
    requests::track(request, operation);
  }

  const std::shared_ptr<const Partitions> what_;
  mutable Notes note_; // one
  mutable bool is_made_ = false;
};

/// Returns the rank in MPI_COMM_WORLD of the other side of a request, if the request may have units. Both
/// sides get the same answer: it depends on the communicator, the ranks, and the size of the message.
std::optional<int> peer_of(const Arguments& call) {
  if (!may_be_carried || call.peer < 0 || call.partitions <= 0 || call.count <= 0 ||
      world::comm() == MPI_COMM_NULL || !ranks::valid_data(call.buffer, call.count, call.type))
    return std::nullopt;
  MPI_Count bytes = 0;
  PMPI_Type_size_x(call.type, &bytes);
  if (__builtin_mul_overflow(bytes, call.count, &bytes) ||
      __builtin_mul_overflow(bytes, call.partitions, &bytes) || bytes < least_bytes)
    return std::nullopt;
  const int peer = ranks::charged_to(call.comm, [&] { return world::rank(call.comm, call.peer); });
  if (peer == MPI_UNDEFINED || peer == world::own_rank()) return std::nullopt;
  return peer;
}

/// Returns the sender's decision: size and first tag of the units. The size is 0 if MPI sends the message.
PartitionedAgreement decide(Partitions& what, bool is_in_phase) {
  const MPI_Count bytes = what.bytes();
  if (!is_in_phase || !world::takes_more() || !what.lease_tags()) return {bytes, 0, 0};
  const MPI_Count partition = what.count * what.element;
  const auto up = [](MPI_Count a, MPI_Count b) { return (a + b - 1) / b; };
  const MPI_Count group = std::max(up(what.number, Partitions::most_units), up(least_unit, partition));
  return {bytes, std::min<MPI_Count>(group, what.number) * partition, what.first_tag};
}

/// Returns the operation of an active request, if it has one. Throws MpiError if it is not an `Operation`.
template <class Operation>
std::shared_ptr<Operation> find(MPI_Request request) {
  const auto found = std::dynamic_pointer_cast<PartitionedOperation>(requests::find(&request));
  auto operation = std::dynamic_pointer_cast<Operation>(found);
  if (found != nullptr && operation == nullptr) throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_REQUEST);
  return operation;
}

} // namespace

bool can_be_carried() {
  return sees_all_calls() && native::quirks::partitions_wait_for_last();
}

void start(bool carries) noexcept {
  may_be_carried = carries;
  const std::lock_guard lock(store().mutex);
  store().has_ended = false;
}

void stop() noexcept {
  const std::lock_guard lock(store().mutex);
  store().has_ended = true;
  for (Notes* const notes : {&store().late, &store().spare})
    store().abandoned.splice(store().abandoned.end(), *notes);
}

void MakingPartitioned::begin(const Arguments& call, bool is_in_phase) {
  static std::recursive_mutex making; // MPI may call the user's error handler meanwhile
  const std::optional<int> peer = peer_of(call);
  if (!peer) return;
  ranks::charged_to(call.comm, [&] {
    const auto what = std::make_shared<Partitions>(call, *peer);
    const PartitionedAgreement agreed = call.is_send ? decide(*what, is_in_phase) : PartitionedAgreement{};
    lock_ = std::unique_lock(making);
    const auto made = std::make_shared<PartitionedRequest>(
        what, PartitionedEnvelope{call.comm, call.peer, call.tag, call.is_send});
    entry_ = persistent::entry_of(made);
    made_ = made;
    made->make_note(agreed, call.info);
  });
}

void MakingPartitioned::keep(MPI_Request request) noexcept {
  if (lock_.owns_lock()) lock_.unlock();
  persistent::forget(request);
  if (made_ == nullptr) return;
  static_cast<const PartitionedRequest&>(*made_).set_made();
  persistent::keep(request, std::move(entry_));
  act_outside(); // threads start and complete the request with the library, in a phase or outside
}

std::optional<int> pready(team::Member& member, int partition, MPI_Request request) {
  return pready_range(member, partition, partition, request);
}

std::optional<int> pready_range(team::Member& member, int low, int high, MPI_Request request) {
  const auto operation = find<PartitionedSend>(request);
  if (operation == nullptr) return std::nullopt;
  if (low > high) throw ranks::MpiError(ranks::unnamed_comm(), MPI_ERR_OTHER);
  operation->require(low);
  operation->require(high);
  for (int partition = low; partition <= high; ++partition) operation->set_ready(member, partition);
  return MPI_SUCCESS;
}

std::optional<int> pready_list(team::Member& member, int length, const int* partitions, MPI_Request request) {
  const auto operation = find<PartitionedSend>(request);
  if (operation == nullptr || length < 0 || (length > 0 && partitions == nullptr)) return std::nullopt;
  std::for_each_n(partitions, length, [&](int partition) { operation->require(partition); });
  std::for_each_n(partitions, length, [&](int partition) { operation->set_ready(member, partition); });
  return MPI_SUCCESS;
}

std::optional<int> parrived(team::Member& member, MPI_Request request, int partition, int* flag) {
  const auto operation = find<PartitionedReceive>(request);
  if (operation == nullptr || flag == nullptr) return std::nullopt;
  operation->require(partition);
  requests::advance_one(member);
  operation->advance(member);
  *flag = operation->has_arrived(partition) ? 1 : 0;
  if (*flag == 0) shm::traffic::poll();
  return MPI_SUCCESS;
}

} // namespace helper::message::partitioned

#endif

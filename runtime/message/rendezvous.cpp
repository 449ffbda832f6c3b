// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/rendezvous.hpp"

#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <type_traits>
#include <utility>

#include "layout/copy_bytes.hpp"
#include "message/peers.hpp"
#include "native/large_counts.hpp"
#include "ranks/mpi_error.hpp"
#include "ranks/request.hpp"
#include "ranks/world.hpp"
#include "shm/traffic.hpp"

namespace helper::message {

namespace {

namespace world = ranks::world;

// Data in longer runs are dense. In native MPI the receiver copies them from the sender's memory. Two
// processes that copy through a stream take half as long, but only if the sender has nothing else to do.
constexpr std::size_t longest_run = 1024;
// Within a node MPI is as fast or faster if runs are longer than this, the message is smaller than `large`,
// and its sender has other work. Between nodes one of the first two conditions is enough.
constexpr std::size_t short_run = 256;
constexpr std::size_t large = std::size_t{32} * 1024;

// These functions cut a message into pieces that are small enough for the receiver to begin early. In shared
// memory, pieces of fewer than `least` bytes cost more than they gain.
pipeline::Chunks shm_pieces(std::size_t total) {
  constexpr std::size_t pieces = 4, page = 4096, least = 2 * page;
  const std::size_t pages = (total + pieces * page - 1) / (pieces * page);
  return {total, std::clamp(pages * page, least, shm_stream::block_bytes())};
}

pipeline::Chunks mpi_pieces(std::size_t total) {
  constexpr std::size_t pieces = 8, least = std::size_t{16} * 1024;
  return {total, std::clamp(total / pieces / least * least, least, MpiWriter::most_bytes)};
}

/// Whether the team may work on pieces while others are shown to the other side: showing calls no MPI here.
template <class Stream>
constexpr bool overlaps = std::is_same_v<Stream, ShmWriter> || std::is_same_v<Stream, ShmReader>;

/// Calls `work(piece)`, a noexcept callable, for pieces from `begin` on, with the team. A batch has one piece
/// for each member that may take part. After each batch `finished(end)` tells the other side. The first batch
/// ends at `end` at the latest. If the stream overlaps batches, further ones end at `limit()` at the latest.
/// Each is offered before the last is finished, so that members seldom wait. A timeline shows `stage`.
template <class Stream, class Limit, class Work, class Finished>
void for_each_piece(team::Member& member, trace::Stage stage, std::size_t begin, std::size_t end,
                    const Limit& limit, const Work& work, const Finished& finished) noexcept {
  std::array<std::size_t, 2> begins{begin, begin};
  const auto job_at = [&work](const std::size_t& first) {
    return [&work, &first](std::size_t from, std::size_t to) noexcept {
      static_assert(noexcept(work(first)), "helpers cannot report exceptions");
      for (std::size_t piece = first + from; piece < first + to; ++piece) work(piece);
    };
  };
  const std::array jobs{job_at(begins[0]), job_at(begins[1])};
  const auto members = static_cast<std::size_t>(member.team().at_work());
  end = std::min(end, begin + members);
  if (end - begin == 1) {
    member.run(stage, 1, 1, jobs[0]);
    return finished(end);
  }
  auto ticket = member.publish(team::Job::of(stage, end - begin, 1, jobs[0]));
  for (std::size_t next = 1; begin < end; next ^= 1) {
    begin = begins[next] = end;
    end = overlaps<Stream> ? std::clamp(limit(), begin, begin + members) : begin;
    const auto following = member.publish(team::Job::of(stage, end - begin, 1, jobs[next]));
    member.finish(std::exchange(ticket, following));
    finished(begin);
  }
}

/// Returns whether the processes of a node should copy dense data together. False if they share cores, or the
/// program may receive the data past the library, or as elements within which an RTS would end (MPI_PACKED).
bool may_share_copying(const layout::Layout& layout) {
  return sees_all_calls() && layout.basic() != MPI_PACKED && !team::Oversubscription::by_threads();
}

} // namespace

bool is_scattered(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count <= 0 || !ranks::valid_data(buffer, count, type)) return false;
  const auto layout = layout::Layout::of(type, buffer);
  return layout != nullptr && is_scattered(*layout);
}

bool is_scattered(const layout::Layout& layout) noexcept {
  return layout.mean_run() <= longest_run;
}

void Rts::draw_magic() {
  std::random_device random;
  for (std::byte& byte : drawn) byte = static_cast<std::byte>(random());
  PMPI_Bcast(drawn.data(), sizeof drawn, MPI_BYTE, 0, world::comm());
}

bool Rts::begins(const layout::PackedData& data) noexcept {
  alignas(8) Magic first; // as MPIX_Helper_pack_function promises
  data.pack(0, first.size(), first.data());
  return first == drawn;
}

bool Rts::begins(const EagerReceive& data) noexcept {
  return data.layout == nullptr ? std::memcmp(data.buffer, drawn.data(), drawn.size()) == 0
                                : begins(ReceiveBuffer(data));
}

std::optional<Rts> Rts::in(const ReceiveBuffer& data, int& error) noexcept {
  std::array<std::byte, sizeof(Rts)> packed;
  error = data.fetch(packed);
  Rts rts;
  std::memcpy(&rts, packed.data(), packed.size());
  return error == MPI_SUCCESS && rts.magic == drawn ? std::optional(rts) : std::nullopt;
}

std::optional<RendezvousSend::Candidate> RendezvousSend::candidate(const PointToPoint& call, Sender sender) {
  const auto& [buffer, count, type, destination, tag, comm] = call;
  if (count <= 0 || destination < 0 || comm == MPI_COMM_NULL || !valid_data(buffer, count, type))
    return std::nullopt;
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  if (element == 0 || count > std::numeric_limits<MPI_Count>::max() / element) return std::nullopt;
  const MPI_Count bytes = count * element;
  if (bytes < MPI_Count{least_of_any} && !Rts::may_have(bytes)) return std::nullopt;
  auto layout = ranks::charged_to(comm, [&] { return layout::Layout::of(call.type, call.buffer); });
  if (layout == nullptr || !Rts::may_have(static_cast<MPI_Count>(layout->head()))) return std::nullopt;
  const bool is_dense = !is_scattered(*layout);
  const bool is_little = bytes < static_cast<MPI_Count>(least_bytes(layout.get()));
  const bool is_for_mpi =
      is_little || (is_dense && (sender == Sender::goes_on || !may_share_copying(*layout)));
  if (is_for_mpi && !Rts::may_have(bytes)) return std::nullopt;
  const int receiver = ranks::charged_to(comm, [&] { return world::rank(call.comm, call.peer); });
  if (receiver == MPI_UNDEFINED) return std::nullopt;
  return Candidate{{buffer, count, std::move(layout)}, receiver, destination, tag, comm, sender};
}

std::optional<RendezvousSend> RendezvousSend::open(const team::Member& member, const Candidate& message) {
  const std::size_t bytes = message.data.size();
  const bool is_near = shm_stream::connects(message.receiver);
  if (bytes < least_bytes(&message.data.layout())) { // otherwise sent, the receiver would take it for an RTS
    if (!Rts::begins(message.data) || (is_near && !shm_stream::looks(message.receiver))) return std::nullopt;
    return RendezvousSend(message, MpiWriter(message.receiver, mpi_pieces(bytes)), mpi_pieces(bytes), {});
  }
  const bool is_short = message.data.layout().mean_run() <= short_run;
  const bool is_large = bytes >= large;
  const bool waits = message.sender == Sender::waits;
  if (is_near ? !(is_short || is_large || waits) : !(is_short && is_large)) return std::nullopt;
  if (!peers::is_ready(message.receiver))
    return member.decline(peers::announce() ? "the receiver is not known to take part"
                                            : "MPI_HELPER_ANNOUNCE is off");
  auto reservation = deferred::Reservation::of(bytes);
  if (!reservation) return member.decline("too much waits for receivers that are late");
  if (!is_near)
    return RendezvousSend(message, MpiWriter(message.receiver, mpi_pieces(bytes)), mpi_pieces(bytes),
                          std::move(*reservation));
  auto writer = ShmWriter::open(message.receiver, shm_pieces(bytes));
  if (!writer) return member.decline("no stream is left");
  return RendezvousSend(message, std::move(*writer), shm_pieces(bytes), std::move(*reservation));
}

int RendezvousSend::announce(Start start, const Candidate& message) {
  is_synchronous_ = start == PMPI_Issend;
  needs_match_ = message.sender == Sender::waits && pieces_.count() > credit() && start == PMPI_Isend;
  if (needs_match_) start = PMPI_Issend;
  const Rts rts{Rts::drawn,
                data_.size(),
                static_cast<std::uint32_t>(pieces_.bytes()),
                world::own_rank(),
                with_writer([](auto& writer) { return writer.route(); }),
                with_writer([](auto& writer) { return writer.tag(); }),
                0};
  std::memcpy(rts_.data(), &rts, sizeof rts);
  shm_stream::count_announced(message.receiver);
  const int code = start(rts_.data(), static_cast<int>(data_.layout().head()), MPI_BYTE, message.destination,
                         message.tag, message.comm, &rts_request_);
  if (code == MPI_SUCCESS && rts_request_ == MPI_REQUEST_NULL)
    return MPI_ERR_OTHER; // quirk success_after_error
  if (code == MPI_SUCCESS) with_writer([&](auto& writer) { writer.announced(is_synchronous_); });
  return code;
}

bool RendezvousSend::advance(team::Member& member) noexcept {
  return with_writer([&](auto& writer) {
    if (packed()) return false;
    const auto credit = [&] { return writer.credit(); };
    const std::size_t end = credit();
    if (packed_ >= end) return false;
    const auto pack = [&](std::size_t piece) noexcept {
      writer.pack(data_, pieces_.begin(piece), pieces_.end(piece), writer.place(piece));
    };
    const auto put = [&](std::size_t pieces) {
      under_way_.add(member.track(), pieces_.end(pieces - 1) - pieces_.begin(packed_));
      packed_ = pieces;
      writer.put(pieces);
    };
    for_each_piece<std::decay_t<decltype(writer)>>(member, trace::Stage::pack, packed_, end, credit, pack,
                                                   put);
    stuck_since_ = {};
    return true;
  });
}

bool RendezvousSend::is_rts_sent() noexcept {
  if (rts_request_ != MPI_REQUEST_NULL) {
    const ErrorsReturn errors(world::comm()); // any thread may be here, and must report no error
    const bool is_over = ranks::over(rts_request_, rts_result_.code);
    rts_result_.is_own = rts_result_.is_own || errors.is_set();
    if (!is_over) return false;
  }
  if (!with_writer([](auto& writer) { return writer.is_held(); })) return true;
  shm::traffic::poll();
  return false;
}

bool RendezvousSend::sent(team::Member& member) noexcept {
  if (packed() && with_writer([](auto& writer) { return writer.gone(); })) {
    under_way_.arrived(member.track());
    return is_rts_sent();
  }
  constexpr unsigned calls_between_polls = 16;
  constexpr auto long_time = std::chrono::milliseconds(30);
  if (++in_vain_ % calls_between_polls != 0) return false;
  shm::traffic::poll();
  if (needs_match_ && !is_rts_sent()) return false; // native MPI, too, would wait for the receive
  const auto now = Clock::now();
  if (stuck_since_ == Clock::time_point{}) stuck_since_ = now;
  if (now - stuck_since_ > long_time) rescue();
  return false;
}

Code RendezvousSend::result() const noexcept {
  const int error = stream_error();
  return error != MPI_SUCCESS ? Code{error, true} : rts_result_;
}

void RendezvousSend::rescue() noexcept {
  if (with_writer([&](auto& writer) { return writer.rescue(data_, reservation_); }))
    packed_ = pieces_.count();
}

std::optional<RendezvousReceive> RendezvousReceive::of(const ReceiveBuffer& data,
                                                       const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  int error = MPI_SUCCESS;
  const bool may_be = Rts::may_have(bytes) && data.size() >= Rts::least_bytes;
  const auto rts = may_be ? Rts::in(data, error) : std::nullopt;
  if (!rts && error == MPI_SUCCESS) error = data.settle(static_cast<std::size_t>(bytes));
  // If MPI fails to copy the possible RTS, or to store a message that is none, no more data arrive.
  if (error != MPI_SUCCESS) {
    Rts nothing{};
    nothing.piece = 1;
    return RendezvousReceive(nothing, MpiReader(0, 0, {0, nothing.piece}), error);
  }
  if (!rts) return std::nullopt;
  shm_stream::count_received(rts->sender);
  auto reader = open(*rts);
  if (!reader) return std::nullopt;
  RendezvousReceive in(*rts, std::move(*reader), rts->bytes > data.size() ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
  if (data.is_by_mpi() && in.error_ == MPI_SUCCESS) { // unpack() then assembles the whole message
    in.collected_.reset(new (std::nothrow) std::byte[in.pieces_.total()]);
    if (in.collected_ == nullptr) in.error_ = MPI_ERR_NO_MEM;
  }
  return in;
}

void RendezvousReceive::put(const ReceiveBuffer& data, std::size_t begin, std::size_t end,
                            const std::byte* packed) noexcept {
  if (collected_ != nullptr)
    layout::copy_bytes(collected_.get() + begin, packed, end - begin);
  else
    data.unpack(begin, end, packed);
}

/// Returns the reader of the stream that the RTS names; none if the RTS is invalid.
std::optional<RendezvousReceive::Reader> RendezvousReceive::open(const Rts& rts) noexcept {
  const bool is_near = rts.route.blocks != 0;
  if (rts.piece == 0 || rts.piece > (is_near ? shm_stream::block_bytes() : MpiWriter::most_bytes))
    return std::nullopt;
  if (is_near) return ShmReader::open(rts.sender, rts.route);
  return MpiReader(rts.sender, rts.tag, {rts.bytes, rts.piece});
}

RendezvousReceive::RendezvousReceive(const Rts& rts, Reader reader, int error) noexcept
    : pieces_{rts.bytes, rts.piece}, reader_(std::move(reader)), error_(error), sender_(rts.sender),
      tag_(rts.tag) {}

bool RendezvousReceive::advance(team::Member& member, const ReceiveBuffer& data) noexcept {
  if (!has_begun_) under_way_.add(member.track(), pieces_.total());
  has_begun_ = true;
  const bool advanced = unpack(member, data);
  if (advanced && unpacked_ == pieces_.count()) {
    if (collected_ != nullptr && error_ == MPI_SUCCESS)
      error_ = data.store({std::exchange(collected_, nullptr).get(), pieces_.total()});
    under_way_.arrived(member.track());
  }
  return advanced;
}

bool RendezvousReceive::unpack(team::Member& member, const ReceiveBuffer& data) noexcept {
  return std::visit(
      [&](auto& reader) {
        if (unpacked_ == pieces_.count()) return false;
        const bool is_last = reader.is_last(); // asked first: if true, filled() is final
        const auto filled = [&] { return std::min(reader.filled(), pieces_.count()); };
        const std::size_t end = filled();
        if (error_ == MPI_SUCCESS) error_ = reader.error();
        if (unpacked_ >= end) return is_last && receive_rest(data);
        const auto unpack = [&](std::size_t piece) noexcept {
          if (error_ == MPI_SUCCESS) put(data, pieces_.begin(piece), pieces_.end(piece), reader.place(piece));
        };
        const auto take = [&](std::size_t pieces) {
          unpacked_ = pieces;
          reader.take(pieces);
        };
        for_each_piece<std::decay_t<decltype(reader)>>(member, trace::Stage::unpack, unpacked_, end, filled,
                                                       unpack, take);
        return true;
      },
      reader_);
}

/// Starts to receive the rest. On failure the rest stays in MPI, and its sender does not wait for it.
int RendezvousReceive::start_rest(std::size_t bytes) noexcept {
  rest_.reset(new (std::nothrow) std::byte[bytes]);
  if (rest_ == nullptr) return MPI_ERR_NO_MEM;
  return PMPI_Irecv_c(rest_.get(), static_cast<MPI_Count>(bytes), MPI_BYTE, sender_, tag_, world::comm(),
                      &rest_request_);
}

bool RendezvousReceive::receive_rest(const ReceiveBuffer& data) noexcept {
  const std::size_t begin = pieces_.begin(unpacked_);
  {
    const ErrorsReturn errors(world::comm());
    if (rest_ == nullptr) rest_error_ = start_rest(pieces_.total() - begin);
    if (!ranks::over(rest_request_, rest_error_)) return false;
  }
  if (error_ == MPI_SUCCESS) error_ = rest_error_;
  if (error_ == MPI_SUCCESS) put(data, begin, pieces_.total(), rest_.get());
  if (rest_request_ != MPI_REQUEST_NULL) static_cast<void>(rest_.release()); // MPI may still write to it
  unpacked_ = pieces_.count();
  std::visit([&](auto& reader) { reader.take(unpacked_); }, reader_);
  return true;
}

bool RendezvousReceive::done() noexcept {
  if (unpacked_ == pieces_.count()) return true;
  constexpr unsigned calls_between_polls = 16;
  if (++in_vain_ % calls_between_polls == 0) shm::traffic::poll();
  return false;
}

void RendezvousReceive::correct(MPI_Status& status) const noexcept {
  if (error_ == MPI_SUCCESS)
    PMPI_Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(pieces_.total()));
}

} // namespace helper::message

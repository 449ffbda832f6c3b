// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "layout/packed_data.hpp"
#include "message/deferred_sends.hpp"
#include "message/eager_receives.hpp"
#include "message/message.hpp"
#include "message/mpi_stream.hpp"
#include "message/receive_buffer.hpp"
#include "message/shm_stream.hpp"
#include "message/wait.hpp"
#include "pipeline/staging.hpp"
#include "team/team.hpp"

namespace helper::message {

struct PointToPoint {
  const void* buffer; ///< where a receive stores
  MPI_Count count;
  MPI_Datatype type;
  int peer;
  int tag;
  MPI_Comm comm;

  void* target() const noexcept { return const_cast<void*>(buffer); }
};

/// Returns the bytes of a message with this status, or their lowest 32 bits.
template <class Status>
MPI_Count bytes_of(const Status& status) noexcept {
  if constexpr (requires { status.count_lo; }) { // some MPIs declare this, others the next
    return status.count_lo;
  } else if constexpr (requires { status._ucount; }) {
    return static_cast<int>(status._ucount);
  } else {
    int bytes = 0;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes;
  }
}

/// The request to send (RTS) of a rendezvous. It replaces the user's message on the user's communicator, so
/// that MPI matches and orders it. It is received into the user's buffer, where the data, which a stream
/// carries, overwrite it. No clear-to-send (CTS) answers it: the stream that it names has credit for the
/// first pieces, and the receiver grants more by taking these.
///
/// On the wire zeros follow it up to the end of a basic element: quirk no_part_of_an_element.
struct Rts {
  using Magic = std::array<std::byte, 16>;

  Magic magic;
  std::uint64_t bytes; ///< of the message
  std::uint32_t piece; ///< bytes of each piece
  std::int32_t sender; ///< its rank in MPI_COMM_WORLD
  ShmRoute route;      ///< has no blocks if every piece is a message
  std::int32_t tag;    ///< of messages in which MPI sends data of the stream
  std::uint32_t unused;

  static constexpr std::size_t least_bytes = layout::Layout::least_head;
  static constexpr std::size_t end_bytes = 96; ///< more bytes than on the wire

  /// Draws a random number with which no user's message begins. Collective over MPI_COMM_WORLD.
  static void draw_magic();
  static inline Magic drawn; // draw_magic() writes it

  /// Returns whether a message of that many bytes may be an RTS.
  static bool may_have(MPI_Count bytes) noexcept {
    return bytes >= MPI_Count{least_bytes} && bytes < MPI_Count{end_bytes};
  }

  /// Returns whether `data` begin like every RTS. They have at least least_bytes, and need no copy by MPI.
  static bool begins(const layout::PackedData& data) noexcept;
  /// Does the same for a message with this status, received into `data`.
  static bool begins(const EagerReceive& data, const MPI_Status& status) noexcept {
    return may_have(bytes_of(status)) && begins(data); // begins() last: the buffer may be in no cache
  }
  static bool begins(const EagerReceive& data) noexcept;

  /// Returns the RTS with which `data`, of at least least_bytes, begin, if there is one. Returns none if MPI
  /// fails to copy it; then `error` is set, and otherwise MPI_SUCCESS. Only a thread in MPI may call it.
  static std::optional<Rts> in(const ReceiveBuffer& data, int& error) noexcept;
};
static_assert(sizeof(Rts) == Rts::least_bytes && Rts::end_bytes <= layout::Layout::most_head);

/// Returns what is_scattered() returns for data with this layout.
bool is_scattered(const layout::Layout& layout) noexcept;

/// The sender's side of a rendezvous. One thread at a time, in MPI, uses it.
class RendezvousSend {
public:
  /// The size of the smallest message, with data of this layout or none, that is sent by rendezvous. MPI
  /// sends smaller ones eagerly, as fast or faster. Structs have another limit (quirk structs_by_element).
  static std::size_t least_bytes(const layout::Layout* layout) noexcept {
    const bool is_mixed = layout != nullptr && layout->basic() == MPI_DATATYPE_NULL && !layout->contiguous();
    return is_mixed ? least_of_any : std::size_t{9} * 1024;
  }
  static constexpr std::size_t least_of_any = 1024;

  /// Returns the bytes sent or received, if little work shows that they are too few for a rendezvous.
  static std::optional<MPI_Count> eager_bytes(const PointToPoint& call) noexcept {
    const auto bytes = ranks::known_bytes(call.buffer, call.count, call.type);
    return bytes && *bytes < static_cast<MPI_Count>(least_bytes(nullptr)) ? bytes : std::nullopt;
  }

  /// Returns whether a message received into these elements is never announced, however it was sent.
  static bool is_eager(const layout::Layout& layout, MPI_Count count) noexcept {
    const std::size_t least = layout.basic() == MPI_DATATYPE_NULL ? least_of_any : least_bytes(nullptr);
    return layout.basic() != MPI_PACKED &&
           count <= static_cast<MPI_Count>((least - 1) / std::max<std::size_t>(layout.size(), 1));
  }

  /// What the sender does until the message is sent: it only waits, or it does other work.
  enum class Sender : std::uint8_t { waits, goes_on };

  /// A message that may go by rendezvous, for speed or because its data may begin like an RTS: see open().
  struct Candidate {
    layout::PackedData data;
    int receiver; ///< rank in MPI_COMM_WORLD
    int destination, tag;
    MPI_Comm comm;
    Sender sender;
  };
  static std::optional<Candidate> candidate(const PointToPoint& call, Sender sender);

  /// Opens the stream for a message. Returns none if MPI must send it, for a reason that the member records,
  /// for example if all streams are in use. A small message that begins like an RTS gets a stream, unless its
  /// receiver, on this node, recognises no RTS.
  static std::optional<RendezvousSend> open(const team::Member& member, const Candidate& message);

  RendezvousSend(RendezvousSend&&) = default; ///< not after announce(): MPI sends from the object
  RendezvousSend& operator=(RendezvousSend&&) = delete;

  /// Announces the message: sends its RTS with `start`. Call it once. If it fails, which the error handler of
  /// the communicator has seen, the object must not be used again.
  int announce(Start start, const Candidate& message);

  /// Packs the pieces for which there is credit. Returns false if there is none.
  bool advance(team::Member& member) noexcept;

  /// Returns how many bytes of scattered data are not packed yet.
  std::size_t left() const noexcept {
    return packed() || !is_scattered(data_.layout()) ? 0 : data_.size() - pieces_.begin(packed_);
  }

  /// Returns whether all is packed.
  bool packed() const noexcept { return packed_ == pieces_.count() || stream_error() != MPI_SUCCESS; }

  /// Returns whether the user's buffer may be reused and the RTS is sent, as its mode requires. Rescues the
  /// message if the receiver takes nothing for long: in native MPI the receiver need only post its receive.
  bool sent(team::Member& member) noexcept;

  /// The result, once the message is sent.
  Code result() const noexcept;

  /// Unless memory is short, hands MPI a copy of the pieces not packed. The receiver can then finish alone.
  void rescue() noexcept;

private:
  using Clock = std::chrono::steady_clock;
  using Writer = std::variant<ShmWriter, MpiWriter>;

  RendezvousSend(const Candidate& message, Writer writer, pipeline::Chunks pieces,
                 deferred::Reservation reservation) noexcept
      : data_(message.data), reservation_(std::move(reservation)), writer_(std::move(writer)),
        pieces_(pieces) {}

  template <class Use>
  auto with_writer(const Use& use) {
    return std::visit(use, writer_);
  }

  std::size_t credit() {
    return with_writer([](auto& writer) { return writer.credit(); });
  }

  bool is_rts_sent() noexcept;

  int stream_error() const noexcept {
    return std::visit([](const auto& writer) { return writer.error(); }, writer_);
  }

  layout::PackedData data_;
  deferred::Reservation reservation_; // for a rescue
  Writer writer_;
  pipeline::Chunks pieces_;
  std::size_t packed_ = 0; // pieces
  unsigned in_vain_ = 0;   // unsuccessful calls of sent()
  // Whether MPI_Issend sends the RTS of a standard send. Until a receive matches it, sent() rescues nothing.
  bool needs_match_ = false;
  bool is_synchronous_ = false; // is the message's mode
  trace::Transit under_way_{trace::Stage::send};
  Clock::time_point stuck_since_{};
  Code rts_result_{MPI_SUCCESS};
  MPI_Request rts_request_ = MPI_REQUEST_NULL;
  alignas(Rts) std::array<std::byte, Rts::end_bytes> rts_{};
};

/// The receiver's side of a rendezvous. One thread at a time, in MPI, uses it.
class RendezvousReceive {
public:
  /// Returns the rendezvous whose RTS a native receive with this status has stored in `data`, if it is one.
  static std::optional<RendezvousReceive> of(const ReceiveBuffer& data, const MPI_Status& status) noexcept;

  /// Unpacks the pieces that have arrived into `data`. Returns false if there are none.
  bool advance(team::Member& member, const ReceiveBuffer& data) noexcept;

  bool done() noexcept;

  /// Returns how many bytes are not unpacked yet.
  std::size_t left() const noexcept {
    return unpacked_ == pieces_.count() ? 0 : pieces_.total() - pieces_.begin(unpacked_);
  }

  /// The first error, which MPI has not reported. After it the rest of the message is received, but not
  /// stored. The same holds for a message that is too large.
  int error() const noexcept { return error_; }

  /// Changes the status of the native receive into the status of the message.
  void correct(MPI_Status& status) const noexcept;

private:
  using Reader = std::variant<ShmReader, MpiReader>;

  RendezvousReceive(const Rts& rts, Reader reader, int error) noexcept;

  static std::optional<Reader> open(const Rts& rts) noexcept;

  void put(const ReceiveBuffer& data, std::size_t begin, std::size_t end, const std::byte* packed) noexcept;

  bool unpack(team::Member& member, const ReceiveBuffer& data) noexcept;
  bool receive_rest(const ReceiveBuffer& data) noexcept;
  int start_rest(std::size_t bytes) noexcept;

  pipeline::Chunks pieces_;
  Reader reader_;
  int error_;
  std::size_t unpacked_ = 0; // pieces
  unsigned in_vain_ = 0;     // unsuccessful calls of done()
  bool has_begun_ = false;
  trace::Transit under_way_{trace::Stage::receive};
  int sender_;
  int tag_;                                // of the message with rescued pieces
  std::unique_ptr<std::byte[]> collected_; // the message, if MPI must copy it into the user's buffer
  std::unique_ptr<std::byte[]> rest_;      // the rescued pieces
  MPI_Request rest_request_ = MPI_REQUEST_NULL;
  int rest_error_ = MPI_SUCCESS;
};

} // namespace helper::message

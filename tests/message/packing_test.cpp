// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi_helper.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "hybrid/in_team.hpp"
#include "support/catch.hpp"
#include "support/handles.hpp"
#include "support/mpi_support.hpp"
#include "support/ranks.hpp"

// Datatypes that functions of the program pack, in every call that accepts them, in phases and outside. The
// sizes are near every limit of the protocols. The other side may have the packed bytes instead.

using namespace test_support;

namespace {

using Cells = std::vector<std::uint8_t>;

/// What the functions know. In memory a byte of the message is in every second cell. Packed bytes have other
/// values.
struct Known {
  std::uint8_t key = 0x5a;
  std::atomic<bool> is_cut_anywhere{false}; // a piece was not at a multiple of 16, or its memory not of 8
  std::atomic<MPI_Count> longest_unpacked{0};

  void look(MPI_Count offset, const void* packed) {
    if (offset % 16 != 0 || reinterpret_cast<std::uintptr_t>(packed) % 8 != 0) is_cut_anywhere = true;
  }
};

void pack(const void* buffer, MPI_Count offset, MPI_Count length, void* target, void* data) {
  const auto* const from = static_cast<const std::uint8_t*>(buffer) + 2 * offset;
  Known& known = *static_cast<Known*>(data);
  known.look(offset, target);
  for (MPI_Count i = 0; i < length; ++i)
    static_cast<std::uint8_t*>(target)[i] = static_cast<std::uint8_t>(from[2 * i] ^ known.key);
}

void unpack(void* buffer, MPI_Count offset, MPI_Count length, const void* source, void* data) {
  auto* const to = static_cast<std::uint8_t*>(buffer) + 2 * offset;
  Known& known = *static_cast<Known*>(data);
  known.look(offset, source);
  for (MPI_Count i = 0; i < length; ++i)
    to[2 * i] = static_cast<std::uint8_t>(static_cast<const std::uint8_t*>(source)[i] ^ known.key);
  MPI_Count longest = known.longest_unpacked.load();
  while (longest < length && !known.longest_unpacked.compare_exchange_weak(longest, length)) {
  }
}

Known known;

class Type : public Holder<MPI_Datatype> {
public:
  explicit Type(MPI_Count bytes) {
    MPIX_Helper_type_create(pack, unpack, bytes, &known, &handle_);
    MPI_Type_commit(&handle_); // not necessary, but programs do it
  }
  ~Type() { MPI_Type_free(&handle_); }
};

std::uint8_t byte_of(int rank, std::size_t at) {
  return static_cast<std::uint8_t>(at * 2654435761u >> 13) ^ static_cast<std::uint8_t>(rank + 1);
}

/// The buffer of one side: cells that functions pack, or the packed bytes of the message.
struct Side {
  Side(std::size_t bytes, bool packs) : is_packed(packs), size(bytes), cells(2 * bytes + 1, 0xee) {}

  void fill(int rank) {
    for (std::size_t i = 0; i < size; ++i)
      cells[is_packed ? 2 * i : i] =
          static_cast<std::uint8_t>(byte_of(rank, i) ^ (is_packed ? 0 : known.key));
  }
  bool has(int rank, std::size_t bytes) const {
    for (std::size_t i = 0; i < bytes; ++i) {
      const auto wanted = static_cast<std::uint8_t>(byte_of(rank, i) ^ (is_packed ? 0 : known.key));
      if (cells[is_packed ? 2 * i : i] != wanted) return false;
      if (is_packed && cells[2 * i + 1] != 0xee) return false;
    }
    return !known.is_cut_anywhere &&
           cells[is_packed ? 2 * bytes : bytes] == 0xee; // memory after the data is unchanged
  }
  int count() const { return is_packed ? 1 : static_cast<int>(size); }

  bool is_packed;
  std::size_t size;
  Cells cells;
};

struct Ring {
  int rank = rank_of(MPI_COMM_WORLD);
  int next = (rank + 1) % size_of(MPI_COMM_WORLD);
  int before = (rank + size_of(MPI_COMM_WORLD) - 1) % size_of(MPI_COMM_WORLD);
};

/// Runs `body` on the main thread, in a phase of a team or outside.
void perhaps_in_phase(bool in_phase, const std::function<void()>& body) {
  if (!in_phase) return body();
  in_team(team_size(), 0, [&](int member, MPI_Helper_team) {
    if (member == 0) body();
  });
}

constexpr int kinds = 8;

/// Sends to the next rank and receives from the previous one, in the way `kind`. Returns how many bytes have
/// arrived, or -1 after an error.
int exchange(int kind, const Ring& ring, Side& out, MPI_Datatype out_type, Side& in, MPI_Datatype in_type) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  void* const to = in.cells.data();
  const void* const from = out.cells.data();
  MPI_Status statuses[2] = {};
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int code = MPI_SUCCESS;
  const auto note = [&code](int result) {
    if (result != MPI_SUCCESS) code = result;
  };
  if (kind == 0) {
    note(MPI_Sendrecv(from, out.count(), out_type, ring.next, kind, to, in.count(), in_type, ring.before,
                      kind, comm, &statuses[0]));
  } else if (kind == 1) {
    note(MPI_Isend(from, out.count(), out_type, ring.next, kind, comm, &requests[1]));
    note(MPI_Recv(to, in.count(), in_type, MPI_ANY_SOURCE, kind, comm, &statuses[0]));
    note(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  } else if (kind == 7) {
    note(MPI_Recv_init(to, in.count(), in_type, ring.before, kind, comm, &requests[0]));
    note(MPI_Send_init(from, out.count(), out_type, ring.next, kind, comm, &requests[1]));
    for (int start = 0; start < 3; ++start) {
      out.fill(ring.rank);
      note(MPI_Startall(2, requests));
      note(MPI_Waitall(2, requests, statuses));
      std::ranges::fill(out.cells, std::uint8_t{0});
    }
    note(MPI_Request_free(&requests[0]));
    note(MPI_Request_free(&requests[1]));
  } else {
    note(MPI_Irecv(to, in.count(), in_type, ring.before, kind, comm, &requests[0]));
    if (kind == 2) note(MPI_Isend(from, out.count(), out_type, ring.next, kind, comm, &requests[1]));
    if (kind == 3) note(MPI_Issend(from, out.count(), out_type, ring.next, kind, comm, &requests[1]));
    if (kind == 4) note(MPI_Send(from, out.count(), out_type, ring.next, kind, comm));
    if (kind == 5) note(MPI_Ssend(from, out.count(), out_type, ring.next, kind, comm));
    if (kind == 6) note(MPI_Isend(from, out.count(), out_type, ring.next, kind, comm, &requests[1]));
    if (kind == 6) {
      for (int left = 2, at = 0, done = 0; left > 0; left -= done) {
        MPI_Status status;
        note(MPI_Testany(2, requests, &at, &done, &status));
        if (done != 0 && at == 0) statuses[0] = status;
      }
    } else {
      note(MPI_Waitall(2, requests, statuses));
    }
  }
  int bytes = 0;
  MPI_Get_elements(&statuses[0], MPI_BYTE, &bytes);
  return code == MPI_SUCCESS && statuses[0].MPI_SOURCE == ring.before ? bytes : -1;
}

/// A message that functions pack at both sides. It is large enough to be sent in pieces.
struct LargeMessage {
  static constexpr std::size_t bytes = 1 << 20;

  LargeMessage() { out.fill(ring.rank); }

  Ring ring;
  Type type{bytes};
  Side out{bytes, true};
  Side in{bytes, true};
};

constexpr std::size_t sizes[] = {0,    1,    63,   64,    95,     96,     1023,    1024,
                                 9215, 9216, 9217, 32768, 100000, 262144, 1048576, 1048579};

} // namespace

TEST_CASE("messages that functions pack arrive, whatever the other side is and whoever is in a phase") {
  const Ring ring;
  unsigned draw = 0; // decides alike at both ends
  for (const std::size_t bytes : sizes) {
    for (int kind = 0; kind < kinds; ++kind) {
      for (const int sides : {3, 1, 2}) { // bit 0: functions pack the sent data; bit 1: the received data
        ++draw;
        const Type type(static_cast<MPI_Count>(bytes));
        Side out(bytes, (sides & 1) != 0);
        Side in(bytes, (sides & 2) != 0);
        out.fill(ring.rank);
        const bool in_phase = (draw * 7 / 3 + static_cast<unsigned>(ring.rank) * (draw % 2)) % 2 != 0;
        int came = -1;
        perhaps_in_phase(in_phase, [&] {
          came =
              exchange(kind, ring, out, out.is_packed ? type : MPI_BYTE, in, in.is_packed ? type : MPI_BYTE);
        });
        INFO(bytes << " bytes, kind " << kind << ", sides " << sides << ", in a phase: " << in_phase);
        REQUIRE(came == static_cast<int>(bytes));
        REQUIRE(in.has(ring.before, bytes));
      }
    }
  }
}

TEST_CASE("a persistent send may be freed while MPI has not sent it") {
  LargeMessage large;
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Send_init(large.out.cells.data(), 1, large.type, large.ring.next, 0, MPI_COMM_WORLD, &send);
  MPI_Start(&send);
  MPI_Request_free(&send);
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(large.in.cells.data(), 1, large.type, large.ring.before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(large.in.has(large.ring.before, LargeMessage::bytes));
}

TEST_CASE("large messages are unpacked in pieces") {
  LargeMessage large;
  bool is_right = true;
  int in_pieces = 0;
  in_team(team_size(), 0, [&](int member, MPI_Helper_team) {
    if (member != 0) return;
    // If the receiver is late, the sender hands the message to MPI in one piece. So try again.
    for (int attempt = 0; attempt < 100 && in_pieces == 0; ++attempt) {
      known.longest_unpacked = 0;
      is_right = is_right && exchange(4, large.ring, large.out, large.type, large.in, large.type) ==
                                 static_cast<int>(LargeMessage::bytes);
      in_pieces = known.longest_unpacked < MPI_Count{LargeMessage::bytes} ? 1 : 0;
      PMPI_Allreduce(MPI_IN_PLACE, &in_pieces, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
  });
  CHECK(is_right);
  CHECK(large.in.has(large.ring.before, LargeMessage::bytes));
  const char* const announce = std::getenv("MPI_HELPER_ANNOUNCE");
  if (size_of(MPI_COMM_WORLD) > 1 && announce == nullptr) CHECK(in_pieces == 1);
}

TEST_CASE("several elements are one message, whose buffer is that of the call") {
  const Ring ring;
  const Type type(1000);
  Side out(30'000, true);
  Side in(30'000, true);
  for (const bool in_phase : {false, true}) {
    out.fill(ring.rank);
    std::ranges::fill(in.cells, std::uint8_t{0xee});
    MPI_Status status{};
    perhaps_in_phase(in_phase, [&] { // the buffer has room for more bytes
      MPI_Sendrecv(out.cells.data(), 20, type, ring.next, 0, in.cells.data(), 30, type, ring.before, 0,
                   MPI_COMM_WORLD, &status);
    });
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == 20'000);
    CHECK(in.has(ring.before, 20'000));
  }
}

TEST_CASE("a message may replace another, and go to nobody") {
  const Ring ring;
  for (const std::size_t bytes : {std::size_t{50}, std::size_t{70'000}}) {
    const Type type(static_cast<MPI_Count>(bytes));
    for (const bool in_phase : {false, true}) {
      Side both(bytes, true);
      both.fill(ring.rank);
      std::vector<int> codes;
      perhaps_in_phase(in_phase, [&] {
        void* const at = both.cells.data();
        MPI_Status status;
        MPI_Request requests[2];
        codes.push_back(MPI_Sendrecv_replace(at, 1, type, ring.next, 0, ring.before, 0, MPI_COMM_WORLD,
                                             MPI_STATUS_IGNORE));
        codes.push_back(MPI_Send(at, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
        codes.push_back(MPI_Recv(at, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
        codes.push_back(MPI_Irecv(at, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]));
        codes.push_back(MPI_Isend(at, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]));
        codes.push_back(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        codes.push_back(MPI_Sendrecv(at, 1, type, MPI_PROC_NULL, 0, at, 1, type, MPI_PROC_NULL, 0,
                                     MPI_COMM_WORLD, &status));
      });
      CHECK(codes == std::vector<int>(codes.size(), MPI_SUCCESS));
      CHECK(both.has(ring.before, bytes));
    }
  }
}

TEST_CASE("broadcasts of what functions pack") {
  const Ring ring;
  for (const std::size_t bytes : sizes) {
    const Type type(static_cast<MPI_Count>(bytes));
    for (const bool in_phase : {false, true}) {
      for (int root = 0; root < size_of(MPI_COMM_WORLD); ++root) {
        Side side(bytes, (ring.rank + root) % 2 == 0);
        if (ring.rank == root) side.fill(root);
        int code = MPI_ERR_OTHER;
        perhaps_in_phase(in_phase, [&] {
          code = MPI_Bcast(side.cells.data(), side.count(), side.is_packed ? type : MPI_BYTE, root,
                           MPI_COMM_WORLD);
        });
        INFO(bytes << " bytes, in a phase: " << in_phase << ", root " << root);
        REQUIRE(code == MPI_SUCCESS);
        REQUIRE(side.has(root, bytes));
      }
    }
  }
}

TEST_CASE("blocks of an exchange are packed by functions or by MPI") {
  const Ring ring;
  const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
  MPI_Comm line = MPI_COMM_NULL; // neighbours are adjacent ranks
  const int all = static_cast<int>(ranks);
  const int is_periodic = GENERATE(0, 1);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &is_periodic, 0, &line);
  const bool in_phase = GENERATE(false, true);
  const std::size_t bytes = GENERATE(std::size_t{1}, std::size_t{1000}, std::size_t{70'000});
  const bool packs = GENERATE(false, true); // the other side passes the packed bytes
  const Type type(static_cast<MPI_Count>(bytes));
  INFO(bytes << " bytes, " << (in_phase ? "in" : "outside") << " a phase");
  const auto types_of = [&](std::size_t blocks, bool are_packed) {
    return std::vector<MPI_Datatype>(blocks, are_packed ? MPI_Datatype(type) : MPI_BYTE);
  };
  const auto check = [&](std::size_t out_blocks, const auto& exchange) {
    std::vector<Side> out(out_blocks, Side(bytes, packs));
    std::vector<Side> in(out_blocks, Side(bytes, !packs));
    for (Side& side : out) side.fill(ring.rank);
    std::vector<MPI_Aint> from, to;
    for (std::size_t i = 0; i < out_blocks; ++i) {
      from.push_back(out[i].cells.data() - out[0].cells.data());
      to.push_back(in[i].cells.data() - in[0].cells.data());
    }
    const std::vector<int> out_counts(out_blocks, out[0].count()), in_counts(out_blocks, in[0].count());
    int code = MPI_ERR_OTHER;
    perhaps_in_phase(in_phase, [&] { code = exchange(out, in, out_counts, in_counts, from, to); });
    CHECK(code == MPI_SUCCESS);
    return in;
  };
  const auto in = check(2, [&](auto& out, auto& to, auto& out_counts, auto& in_counts, auto& from, auto& at) {
    return MPI_Neighbor_alltoallw(out[0].cells.data(), out_counts.data(), from.data(),
                                  types_of(2, packs).data(), to[0].cells.data(), in_counts.data(), at.data(),
                                  types_of(2, !packs).data(), line);
  });
  const Side untouched(bytes, !packs);
  const auto holds_of = [&](const Side& side, int rank, bool is_there) {
    return is_there ? side.has(rank, bytes) : side.cells == untouched.cells;
  };
  CHECK(holds_of(in[0], ring.before, is_periodic != 0 || ring.rank != 0));
  CHECK(holds_of(in[1], ring.next, is_periodic != 0 || ring.rank != all - 1));
  // All blocks are in one buffer, because displacements are ints.
  const std::size_t stride = 2 * bytes + 1;
  Cells sent(ranks * stride, 0xee), received(sent);
  std::vector<int> places, out_counts, in_counts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Side side(bytes, packs);
    side.fill(ring.rank);
    std::ranges::copy(side.cells, sent.begin() + static_cast<std::ptrdiff_t>(rank * stride));
    places.push_back(static_cast<int>(rank * stride));
    out_counts.push_back(side.count());
    in_counts.push_back(Side(bytes, !packs).count());
  }
  perhaps_in_phase(in_phase, [&] {
    MPI_Alltoallw(sent.data(), out_counts.data(), places.data(), types_of(ranks, packs).data(),
                  received.data(), in_counts.data(), places.data(), types_of(ranks, !packs).data(),
                  MPI_COMM_WORLD);
    MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, sent.data(), out_counts.data(), places.data(),
                  types_of(ranks, packs).data(), MPI_COMM_WORLD);
  });
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto holds = [&](const Cells& cells, bool are_packed) {
      Side side(bytes, are_packed);
      std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(rank * stride), stride, side.cells.begin());
      return side.has(static_cast<int>(rank), bytes);
    };
    CHECK(holds(received, !packs));
    CHECK(holds(sent, packs));
  }
  MPI_Comm_free(&line);
}

TEST_CASE("what functions pack is sent from MPI's buffer and received after a match") {
  const Ring ring;
  const bool in_phase = GENERATE(false, true);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{70'000}}) {
    const Type type(static_cast<MPI_Count>(bytes));
    for (const bool is_blocking : {false, true}) {
      INFO(bytes << " bytes, " << (in_phase ? "in" : "outside") << " a phase");
      std::vector<char> attached(bytes + MPI_BSEND_OVERHEAD);
      Side out(bytes, true);
      Side in(bytes, true);
      out.fill(ring.rank);
      MPI_Status status{};
      perhaps_in_phase(in_phase, [&] {
        MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
        MPI_Bsend(out.cells.data(), 1, type, ring.next, 0, MPI_COMM_WORLD);
        std::ranges::fill(out.cells, std::uint8_t{0});
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Mprobe(ring.before, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        if (is_blocking) {
          MPI_Mrecv(in.cells.data(), 1, type, &message, &status);
        } else {
          MPI_Imrecv(in.cells.data(), 1, type, &message, &request);
          MPI_Wait(&request, &status);
        }
        void* detached = nullptr;
        int size = 0;
        MPI_Buffer_detach(&detached, &size);
      });
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK(count == static_cast<int>(bytes));
      CHECK(in.has(ring.before, bytes));
    }
  }
}

TEST_CASE("a type may be freed while its communication is under way") {
  const Ring ring;
  for (const std::size_t bytes : {std::size_t{200}, std::size_t{300'000}}) {
    for (const bool in_phase : {false, true}) {
      Side out(bytes, true);
      Side in(bytes, true);
      out.fill(ring.rank);
      perhaps_in_phase(in_phase, [&] {
        MPI_Request requests[2];
        {
          const Type type(static_cast<MPI_Count>(bytes));
          MPI_Irecv(in.cells.data(), 1, type, ring.before, 1, MPI_COMM_WORLD, &requests[0]);
          MPI_Isend(out.cells.data(), 1, type, ring.next, 1, MPI_COMM_WORLD, &requests[1]);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      });
      CHECK(in.has(ring.before, bytes));
    }
  }
}

TEST_CASE("errors are told as for other types, and calls that do not take the type reject it") {
  MPI_Comm self = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, self})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK(class_of(MPIX_Helper_type_create(nullptr, unpack, 1, nullptr, &type)) == MPI_ERR_ARG);
  CHECK(class_of(MPIX_Helper_type_create(pack, nullptr, 1, nullptr, &type)) == MPI_ERR_ARG);
  CHECK(class_of(MPIX_Helper_type_create(pack, unpack, -1, nullptr, &type)) == MPI_ERR_ARG);
  CHECK(class_of(MPIX_Helper_type_create(pack, unpack, 1, nullptr, nullptr)) == MPI_ERR_ARG);
  std::vector<std::size_t> sizes{100};
#ifndef OPEN_MPI // Open MPI overwrites memory if a longer message is too large for its buffer
  sizes.push_back(50'000);
#endif
  for (const std::size_t bytes : sizes) {
    const Type whole(static_cast<MPI_Count>(bytes));
    const Type half(static_cast<MPI_Count>(bytes / 2));
    for (const bool in_phase : {false, true}) {
      Side out(bytes, true);
      Side in(bytes, true);
      out.fill(0);
      std::vector<int> classes;
      perhaps_in_phase(in_phase, [&] {
        const auto add = [&classes](int code) { classes.push_back(class_of(code)); };
        void* const at = in.cells.data();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(out.cells.data(), 1, whole, 0, 0, self, &request);
        add(MPI_Recv(at, 1, half, 0, 0, self, MPI_STATUS_IGNORE));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        add(MPI_Send(at, 1, whole, 5, 0, self));
        add(MPI_Isend(at, -1, whole, 0, 0, self, &request));
        int position = 0;
        add(MPI_Pack(at, 1, whole, out.cells.data(), static_cast<int>(bytes), &position, self));
        add(MPI_Gather(at, 1, whole, out.cells.data(), 1, whole, 0, self));
        add(MPI_Ibcast(at, 1, whole, 0, self, &request));
      });
      CHECK(classes == std::vector<int>{MPI_ERR_TRUNCATE, MPI_ERR_RANK, MPI_ERR_COUNT, MPI_ERR_TYPE,
                                        MPI_ERR_TYPE, MPI_ERR_TYPE});
      CHECK(in.cells == Cells(in.cells.size(), 0xee));
    }
  }
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&self);
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <mpi_helper.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hybrid/in_team.hpp"
#include "support/catch.hpp"
#include "support/mpi_support.hpp"
#include "support/ranks.hpp"

// Tests neighbourhood collectives in every form. Functions of the program pack the data at one side or at
// both. A side without such functions has the packed bytes.

using namespace test_support;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t key = 0x5a; // the functions combine each byte with it
constexpr std::uint8_t untouched = 0xee;
bool are_distinct = true; // whether the neighbours differ; if not, MPI decides whose block is which

void copy(void* to, const void* from, MPI_Count length) {
  for (MPI_Count i = 0; i < length; ++i)
    static_cast<std::uint8_t*>(to)[i] =
        static_cast<std::uint8_t>(static_cast<const std::uint8_t*>(from)[i] ^ key);
}

void pack(const void* buffer, MPI_Count offset, MPI_Count length, void* target, void*) {
  copy(target, static_cast<const std::uint8_t*>(buffer) + offset, length);
}

void unpack(void* buffer, MPI_Count offset, MPI_Count length, const void* source, void*) {
  copy(static_cast<std::uint8_t*>(buffer) + offset, source, length);
}

/// The arguments of a side. If they have displacements, the blocks of the two neighbours are in reverse order
/// with a gap between them.
struct Side {
  Side(MPI_Datatype element, int bytes, bool packs)
      : type(element), count(packs ? 2 : 2 * bytes), extent(packs ? bytes : 1),
        mask(packs ? 0 : key), counts{count, count}, places{3 * count / 2, 0}, // in elements
        bytes_at{places[0] * extent, 0}, types{element, element},
        data(static_cast<std::size_t>(6 * bytes), untouched) {}

  /// Returns where block `block` begins.
  std::uint8_t* block(int block, bool has_places) {
    return data.data() + (has_places ? places[static_cast<std::size_t>(block)] : block * count) * extent;
  }
  std::uint8_t value(int rank, int block, int at) const {
    const int of_block = are_distinct ? block * 7 : 0;
    return static_cast<std::uint8_t>((rank * 31 + of_block + at * 13 / 5) ^ mask);
  }

  MPI_Datatype type;
  int count;
  int extent;
  std::uint8_t mask;
  std::vector<int> counts, places;
  std::vector<MPI_Aint> bytes_at;
  std::vector<MPI_Datatype> types;
  Bytes data;
};

enum class Way { blocking, nonblocking, persistent };

/// A neighbourhood function in its blocking, non-blocking and persistent form.
struct Form {
  const char* name;
  bool sends_one;               ///< sends one block to all neighbours
  bool places_sent, places_got; ///< whether the send and receive buffers have displacements
  int (*call)(Way way, Side& out, Side& in, MPI_Comm comm, MPI_Request* request);
};

#if MPI_VERSION >= 4
#define PERSISTENT(function, ...)                                                                            \
  if (way == Way::persistent) return function##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request);
#else
#define PERSISTENT(...)
#endif
#define FORM(function, sends_one, places_sent, places_got, ...)                                              \
  Form {                                                                                                     \
#function, sends_one, places_sent, places_got,                                                           \
        [](Way way, Side& out, Side& in, MPI_Comm comm, MPI_Request* request) {                              \
          if (way == Way::blocking) return MPI_Neighbor_##function(__VA_ARGS__, comm);                       \
          PERSISTENT(MPI_Neighbor_##function, __VA_ARGS__)                                                   \
          return MPI_Ineighbor_##function(__VA_ARGS__, comm, request);                                       \
        }   \
  }

const Form forms[] = {
    FORM(allgather, true, false, false, out.data.data(), out.count, out.type, in.data.data(), in.count,
         in.type),
    FORM(allgatherv, true, false, true, out.data.data(), out.count, out.type, in.data.data(),
         in.counts.data(), in.places.data(), in.type),
    FORM(alltoall, false, false, false, out.data.data(), out.count, out.type, in.data.data(), in.count,
         in.type),
    FORM(alltoallv, false, true, true, out.data.data(), out.counts.data(), out.places.data(), out.type,
         in.data.data(), in.counts.data(), in.places.data(), in.type),
    FORM(alltoallw, false, true, true, out.data.data(), out.counts.data(), out.bytes_at.data(),
         out.types.data(), in.data.data(), in.counts.data(), in.bytes_at.data(), in.types.data()),
};

/// Fills the send buffer and clears the receive buffer.
void fill(const Form& form, int rank, Side& out, Side& in) {
  std::ranges::fill(in.data, untouched);
  for (int block = 0; block < (form.sends_one ? 1 : 2); ++block) {
    std::uint8_t* const at = out.block(block, form.places_sent);
    for (int i = 0; i < out.count * out.extent; ++i) at[i] = out.value(rank, block, i);
  }
}

/// Returns whether block `block` has arrived, which is block `sent` of `neighbor`. If there is no neighbour,
/// returns whether the block is untouched.
bool has_come(const Form& form, int neighbor, int sent, Side& in, int block) {
  const std::uint8_t* const at = in.block(block, form.places_got);
  for (int i = 0; i < in.count * in.extent; ++i) {
    const auto wanted = neighbor == MPI_PROC_NULL ? untouched : in.value(neighbor, sent, i);
    if (at[i] != wanted) return false;
  }
  return true;
}

/// Makes the exchange. Starts persistent requests three times. Returns the first error.
int exchange(const Form& form, Way way, int rank, Side& out, Side& in, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  fill(form, rank, out, in);
  int code = form.call(way, out, in, comm, &request);
  if (code != MPI_SUCCESS || way == Way::blocking) return code;
  if (way == Way::nonblocking || MPI_VERSION < 4) return MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int start = 0; start < 3 && code == MPI_SUCCESS; ++start) {
    fill(form, rank, out, in);
    code = MPI_Start(&request);
    int done = 0;
    while (code == MPI_SUCCESS && done == 0) code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  return code;
}

MPI_Comm line_of_ranks(bool is_ring) {
  MPI_Comm line = MPI_COMM_NULL;
  const int all = size_of(MPI_COMM_WORLD);
  const int is_periodic = is_ring ? 1 : 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &is_periodic, 0, &line);
  MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN);
  return line;
}

/// Runs `body` on the main thread, in a phase of a team or outside.
template <class Body>
void perhaps_in_phase(bool in_phase, const Body& body) {
  if (!in_phase) return body();
  in_team(team_size(), 0, [&](int member, MPI_Helper_team) {
    if (member == 0) body();
  });
}

} // namespace

TEST_CASE("neighbours exchange in every form what functions pack at one side or at both") {
  const bool in_phase = GENERATE(false, true);
  const bool is_ring = GENERATE(false, true);
  const int bytes = GENERATE(1, 500, 5000, 70'000); // of one of the two elements in a block
  MPI_Comm line = line_of_ranks(is_ring);
  const int rank = rank_of(line);
  are_distinct = !is_ring || size_of(line) > 2;
  int before = MPI_PROC_NULL;
  int next = MPI_PROC_NULL;
  MPI_Cart_shift(line, 0, 1, &before, &next);
  MPI_Datatype packed = MPI_DATATYPE_NULL;
  MPIX_Helper_type_create(pack, unpack, bytes, nullptr, &packed);
  for (const Form& form : forms) {
    for (const Way way : {Way::blocking, Way::nonblocking, Way::persistent}) {
      for (const int sides : {3, 1, 2, 0}) { // 1: out packs, 2: in packs; 0: every second rank packs both
        const bool packs = sides == 0 ? rank % 2 == 0 : (sides & 1) != 0;
        const bool unpacks = sides == 0 ? rank % 2 == 0 : (sides & 2) != 0;
        Side out(packs ? packed : MPI_BYTE, bytes, packs);
        Side in(unpacks ? packed : MPI_BYTE, bytes, unpacks);
        int code = MPI_ERR_OTHER;
        perhaps_in_phase(in_phase, [&] { code = exchange(form, way, rank, out, in, line); });
        INFO(form.name << ", way " << static_cast<int>(way) << ", sides " << sides << ", " << bytes
                       << " bytes, in a phase: " << in_phase << ", a ring: " << is_ring);
        REQUIRE(code == MPI_SUCCESS);
        // The previous rank sends its second block to this rank, and the next rank its first.
        REQUIRE(has_come(form, before, form.sends_one ? 0 : 1, in, 0));
        REQUIRE(has_come(form, next, 0, in, 1));
      }
    }
  }
  MPI_Type_free(&packed);
  MPI_Comm_free(&line);
}

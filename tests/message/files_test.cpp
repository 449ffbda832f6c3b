// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Tests files with non-contiguous memory, of which MPI gets contiguous copies.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "message/roles.hpp"
#include "trace/track.hpp"

using namespace test_support;

namespace {

// How the ranks take part in a call.
enum class Part {
  together,   ///< all ranks call it
  in_turn,    ///< one rank after the other, each at its own place in the file
  by_pointer, ///< one rank after the other, with a shared file pointer
  ordered     ///< all ranks call it, with a shared file pointer
};

struct Access {
  const char* name;
  Part part;
  int (*call)(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status);
};

int finish(int code, MPI_Request* request, MPI_Status* status) {
  return code == MPI_SUCCESS ? MPI_Wait(request, status) : code;
}

#define CALL_OF(...)                                                                                         \
  [](MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) { __VA_ARGS__; }
#define PLAIN(part, name)                                                                                    \
  { #name, Part::part, CALL_OF(return name(file, buffer, count, type, status)) }
#define PLAIN_AT(part, name)                                                                                 \
  { #name, Part::part, CALL_OF(return name(file, 0, buffer, count, type, status)) }
#define REQUEST(part, name)                                                                                  \
  {                                                                                                          \
#name, Part::part,                                                                                       \
        CALL_OF(MPI_Request made = MPI_REQUEST_NULL;                                                         \
                return finish(name(file, buffer, count, type, &made), &made, status))                        \
  }
#define REQUEST_AT(part, name)                                                                               \
  {                                                                                                          \
#name, Part::part,                                                                                       \
        CALL_OF(MPI_Request made = MPI_REQUEST_NULL;                                                         \
                return finish(name(file, 0, buffer, count, type, &made), &made, status))                     \
  }
#define SPLIT(part, begin, end)                                                                              \
  {                                                                                                          \
#begin, Part::part,                                                                                      \
        CALL_OF(const int code = begin(file, buffer, count, type);                                           \
                return code == MPI_SUCCESS ? end(file, buffer, status) : code)                               \
  }
#define SPLIT_AT(part, begin, end)                                                                           \
  {                                                                                                          \
#begin, Part::part,                                                                                      \
        CALL_OF(const int code = begin(file, 0, buffer, count, type);                                        \
                return code == MPI_SUCCESS ? end(file, buffer, status) : code)                               \
  }

const std::vector<Access> writes {
  PLAIN(in_turn, MPI_File_write), PLAIN_AT(in_turn, MPI_File_write_at),
      PLAIN(by_pointer, MPI_File_write_shared), PLAIN(together, MPI_File_write_all),
      PLAIN_AT(together, MPI_File_write_at_all), PLAIN(ordered, MPI_File_write_ordered),
      REQUEST(in_turn, MPI_File_iwrite), REQUEST_AT(in_turn, MPI_File_iwrite_at),
      REQUEST(by_pointer, MPI_File_iwrite_shared), REQUEST(together, MPI_File_iwrite_all),
      REQUEST_AT(together, MPI_File_iwrite_at_all),
      SPLIT(together, MPI_File_write_all_begin, MPI_File_write_all_end),
      SPLIT_AT(together, MPI_File_write_at_all_begin, MPI_File_write_at_all_end),
      SPLIT(ordered, MPI_File_write_ordered_begin, MPI_File_write_ordered_end),
#if MPI_VERSION >= 4
      PLAIN(together, MPI_File_write_all_c), REQUEST_AT(in_turn, MPI_File_iwrite_at_c),
      SPLIT(together, MPI_File_write_all_begin_c, MPI_File_write_all_end),
#endif
};

const std::vector<Access> reads {
  PLAIN(in_turn, MPI_File_read), PLAIN_AT(in_turn, MPI_File_read_at), PLAIN(by_pointer, MPI_File_read_shared),
      PLAIN(together, MPI_File_read_all), PLAIN_AT(together, MPI_File_read_at_all),
      PLAIN(ordered, MPI_File_read_ordered), REQUEST(in_turn, MPI_File_iread),
      REQUEST_AT(in_turn, MPI_File_iread_at), REQUEST(by_pointer, MPI_File_iread_shared),
      REQUEST(together, MPI_File_iread_all), REQUEST_AT(together, MPI_File_iread_at_all),
      SPLIT(together, MPI_File_read_all_begin, MPI_File_read_all_end),
      SPLIT_AT(together, MPI_File_read_at_all_begin, MPI_File_read_at_all_end),
      SPLIT(ordered, MPI_File_read_ordered_begin, MPI_File_read_ordered_end),
#if MPI_VERSION >= 4
      PLAIN(together, MPI_File_read_all_c), REQUEST_AT(in_turn, MPI_File_iread_at_c),
      SPLIT(together, MPI_File_read_all_begin_c, MPI_File_read_all_end),
#endif
};

/// A file that all ranks have opened.
class File {
public:
  explicit File(const Comm& comm) : comm_(comm) {
    path_ = "/tmp/mpi_helper_test.XXXXXX";
    if (comm.rank() == 0) close(mkstemp(path_.data()));
    PMPI_Bcast(path_.data(), static_cast<int>(path_.size()), MPI_CHAR, 0, comm);
    REQUIRE(MPI_File_open(comm, path_.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file_) == MPI_SUCCESS);
  }
  ~File() {
    MPI_File_close(&file_);
    if (comm_.rank() == 0) std::remove(path_.c_str());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  operator MPI_File() const { return file_; }

  /// Fills the file with zeros: MPI may write arbitrary bytes between the data.
  void clear() {
    PMPI_Barrier(comm_); // all ranks have read
    MPI_File_set_size(file_, 0);
    MPI_File_set_size(file_, 4 * MPI_Offset{41'000} * comm_.size());
  }

  std::vector<char> contents() {
    MPI_File_sync(file_);
    PMPI_Barrier(comm_);
    std::ifstream in(path_, std::ios::binary);
    std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
    PMPI_Barrier(comm_);
    return bytes;
  }

private:
  const Comm& comm_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

#ifdef OPEN_MPI // MPI_File_iwrite_all of nothing crashes, MPI_File_iread past the end never completes
constexpr int least_ints = 1;
constexpr bool ends_requests_past_end = false;
#else
constexpr int least_ints = 0;
constexpr bool ends_requests_past_end = true;
#endif

/// Where the ints of this rank are in a file: from int `first` on, contiguous if `block` is 0. Otherwise
/// ranks alternate with blocks of `block` ints.
struct Place {
  int first;
  int block;

  void view(MPI_File file, const Comm& comm, const char* representation = "native") const {
    const Type rounds(PMPI_Type_vector, 1, std::max(block, 1), 1, MPI_INT);
    const Type strided(PMPI_Type_create_resized, rounds, MPI_Aint{0}, MPI_Aint{4} * block * comm.size());
    const MPI_Datatype type = block == 0 ? MPI_INT : static_cast<MPI_Datatype>(strided);
    CHECK(MPI_File_set_view(file, MPI_Offset{4} * first, MPI_INT, type, representation, MPI_INFO_NULL) ==
          MPI_SUCCESS);
  }
};

/// Draws memory for `ints` ints. MPICH 4.0.2 ends the program if it writes or reads some types itself, not a
/// copy of the library: types made with large counts, and types whose data are not in ascending order.
Data draw_data(Draw& draw, int ints) {
  constexpr int least = 512; // from this size on the library copies
  const std::array confused{family::backwards, family::scattered, family::pairs, family::resized};
  const Family* family = nullptr;
  do family = &draw.of(families());
  while (family->make == family::by_bytes ||
         (ints < least && std::ranges::count(confused, family->make) != 0));
  return {family->make(draw, ints), ints};
}

/// Draws the places of the ints of all ranks. Returns the place of this rank, which has `ints` ints.
Place draw_place(Draw& shared, const Comm& comm, Part part, int ints) {
  int before = 0;
  PMPI_Exscan(&ints, &before, 1, MPI_INT, MPI_SUM, comm);
  if (comm.rank() == 0) before = 0;
  constexpr std::array blocks{0, 1, 5, 300};
  const int block = part == Part::by_pointer || part == Part::ordered ? 0 : shared.of(blocks);
  return {block == 0 ? before : block * comm.rank(), block};
}

/// Makes the call as its part demands: all ranks at the same time, or one after the other. Returns its code.
int take_part(const Access& access, const Comm& comm, MPI_File file, Data& data, MPI_Status& status) {
  const auto call = [&] { return access.call(file, data.address(), data.count(), data.type(), &status); };
  if (access.part == Part::together || access.part == Part::ordered) return call();
  int code = MPI_SUCCESS;
  for (int turn = 0; turn < comm.size(); ++turn) {
    if (turn == comm.rank()) code = call();
    PMPI_Barrier(comm);
  }
  return code;
}

bool has_common_pointer(Part part) {
  return part == Part::by_pointer || part == Part::ordered;
}

/// Writes `ints` ints of this rank to its place. Native MPI writes them, from contiguous memory, since MPICH
/// 4.0.2 confuses elements of some types.
void write_natively(const Comm& comm, MPI_File file, int ints) {
  const std::vector<int> values = contents(comm.rank(), ints);
  for (int turn = 0; turn < comm.size(); ++turn) {
    if (turn == comm.rank())
      CHECK(PMPI_File_write_at(file, 0, values.data(), ints, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    PMPI_Barrier(comm);
  }
}

int ints_of(const MPI_Status& status) {
  int ints = 0;
  PMPI_Get_elements(&status, MPI_INT, &ints);
  return ints;
}

std::uint64_t carried_calls() {
  std::uint64_t calls = 0;
  helper::trace::visit_counters([&](const helper::trace::Counters& counters) {
    if (std::string_view(counters.operation).starts_with("MPI_File_")) calls += counters.calls[0].value();
  });
  return calls;
}

} // namespace

TEST_CASE("Files hold what native MPI writes, and buffers what it reads") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw shared(seed());
  Draw draw(seed() + 1 + static_cast<std::uint64_t>(world.rank()));
  File file(world), natively(world);
  const std::uint64_t before = carried_calls();
  for (int time = 0; time < 2; ++time) {
    for (std::size_t at = 0; at < writes.size(); ++at) {
      const int ints = std::max(draw_ints(draw, 40'000), least_ints);
      Data out = draw_data(draw, ints), in = draw_data(draw, ints);
      out.put(world.rank());
      const Place place = draw_place(shared, world, writes[at].part, ints);
      const Place start = has_common_pointer(writes[at].part) ? Place{0, 0} : place;
      INFO(writes[at].name << ", " << reads[at].name << ", " << ints << " ints, blocks of " << place.block);
      file.clear();
      natively.clear();
      place.view(natively, world);
      write_natively(world, natively, ints);
      // For no elements, MPICH 4.0.2 does not set the status of a split call. It still shows an earlier call.
      const bool is_split = std::string_view(writes[at].name).find("_begin") != std::string_view::npos;
      const bool has_status = ints != 0 || !is_split;
      MPI_Status status{};
      start.view(file, world);
      helpers.phase([&] { CHECK(take_part(writes[at], world, file, out, status) == MPI_SUCCESS); });
      if (has_status) CHECK(ints_of(status) == ints);
      CHECK(out.unchanged());
      const bool are_equal = file.contents() == natively.contents();
      CHECK(are_equal);
      start.view(file, world);
      helpers.phase([&] { CHECK(take_part(reads[at], world, file, in, status) == MPI_SUCCESS); });
      if (has_status) CHECK(ints_of(status) == ints);
      CHECK(in.holds(world.rank(), ints));
    }
  }
  CHECK(carried_calls() > before);
}

TEST_CASE("What is read at the end of a file is stored, and no more") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw draw(seed() + static_cast<std::uint64_t>(world.rank()));
  constexpr int ints = 5000;
  for (const Access& access : reads) {
    if (access.part != Part::in_turn) continue; // only these calls return how much MPI has read
    if (!ends_requests_past_end && std::string_view(access.name).find("_iread") != std::string_view::npos)
      continue;
    INFO(access.name);
    File file(world);
    const int left = 1 + draw.upto(ints - 2);
    Data out = Data({Type::predefined(MPI_INT), left}, left);
    Data in({Type(PMPI_Type_vector, ints, 1, 2, MPI_INT), 1}, ints);
    out.put(world.rank());
    for (int turn = 0; turn < world.size(); ++turn) { // one rank at a time uses the file
      PMPI_File_set_size(file, 0);
      MPI_Status status{};
      if (turn == world.rank()) {
        PMPI_File_write_at(file, 0, out.address(), left, MPI_INT, MPI_STATUS_IGNORE);
        helpers.phase(
            [&] { CHECK(access.call(file, in.address(), in.count(), in.type(), &status) == MPI_SUCCESS); });
        CHECK(ints_of(status) == left);
        int count = 0;
        PMPI_Get_count(&status, in.type(), &count);
        CHECK(count == MPI_UNDEFINED);
        CHECK(in.holds(world.rank(), left));
      }
      PMPI_Barrier(world);
    }
  }
}

TEST_CASE("Memory past the end of a file stays as it was where MPI leaves it") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  constexpr int ints = 5000, left = ints / 2;
  for (const Access& access : reads) {
    const std::string_view name(access.name);
    if (access.part != Part::together || name.find("_iread") != name.npos) continue;
    if (!ends_requests_past_end && name.find("_begin") != name.npos) continue;
    INFO(access.name);
    File file(world);
    if (world.rank() == 0)
      PMPI_File_write_at(file, 0, contents(0, left).data(), left, MPI_INT, MPI_STATUS_IGNORE);
    PMPI_File_sync(file);
    PMPI_Barrier(world);
    std::vector<int> natively(ints, -1);
    MPI_Status status{};
    CHECK(access.call(file, natively.data(), ints, MPI_INT, &status) == MPI_SUCCESS);
    PMPI_File_seek(file, 0, MPI_SEEK_SET);
    Data in({Type(PMPI_Type_vector, ints, 1, 2, MPI_INT), 1}, ints);
    helpers.phase(
        [&] { CHECK(access.call(file, in.address(), in.count(), in.type(), &status) == MPI_SUCCESS); });
    if (std::count(natively.begin() + left, natively.end(), -1) == ints - left) CHECK(in.holds(0, left));
  }
}

TEST_CASE("Files hold elements of several basic datatypes, pairs and elements at absolute addresses") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  File file(world);
  constexpr int count = 1000;
  const std::array<int, 3> lengths{1, 2, 3};
  const std::array<MPI_Aint, 3> places{0, 12, 24};
  const std::array<MPI_Datatype, 3> parts{MPI_DOUBLE, MPI_INT, MPI_CHAR};
  const Type mixed(PMPI_Type_create_struct, 3, lengths.data(), places.data(), parts.data());
  const Type pairs(PMPI_Type_vector, 2, 1, 2, MPI_DOUBLE_INT);
  const Type shorts(PMPI_Type_vector, 3, 1, 2, MPI_SHORT);
  for (const Type* type : {&mixed, &pairs, &shorts}) {
    Buffer out(*type, count), in(*type, count), expected(*type, count);
    Draw draw(seed() + static_cast<std::uint64_t>(world.rank()));
    draw.fill(out.bytes);
    int size = 0;
    PMPI_Type_size(*type, &size);
    INFO(size << " bytes");
    const int bytes = size * count;
    std::vector<char> packed(static_cast<std::size_t>(bytes)), written(packed.size());
    int position = 0;
    PMPI_Pack(out.address(), count, *type, packed.data(), bytes, &position, MPI_COMM_SELF);
    position = 0;
    PMPI_Unpack(packed.data(), bytes, &position, expected.address(), count, *type, MPI_COMM_SELF);
    MPI_Aint place = 0;
    PMPI_Get_address(in.address(), &place);
    const Type absolute(PMPI_Type_create_hindexed, 1, &count, &place, MPI_Datatype(*type));
    MPI_File_set_view(file, MPI_Offset{bytes} * world.rank(), MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    helpers.phase([&] {
      CHECK(MPI_File_write_all(file, out.address(), count, *type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(MPI_File_read_at_all(file, 0, MPI_BOTTOM, 1, absolute, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    });
    PMPI_File_read_at_all(file, 0, written.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK((written == packed));
    CHECK((in.bytes == expected.bytes));
  }
}

TEST_CASE("MPI itself converts what a file does not hold as it is in memory") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  File file(world), natively(world);
  constexpr int count = 3000;
  const Type shorts(PMPI_Type_vector, 3, 1, 2, MPI_SHORT);
  for (const char* representation : {"internal", "external32"}) {
    Buffer out(shorts, count);
    Draw draw(seed() + static_cast<std::uint64_t>(world.rank()));
    draw.fill(out.bytes);
    const auto set_view = [&](MPI_File one) {
      return MPI_File_set_view(one, MPI_Offset{6} * count * world.rank(), MPI_SHORT, MPI_SHORT,
                               representation, MPI_INFO_NULL);
    };
    if (set_view(file) != MPI_SUCCESS || set_view(natively) != MPI_SUCCESS)
      continue; // some MPIs lack these representations
    INFO(representation);
    PMPI_File_write_all(natively, out.address(), count, shorts, MPI_STATUS_IGNORE);
    helpers.phase([&] {
      CHECK(MPI_File_write_all(file, out.address(), count, shorts, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    });
    const bool are_equal = file.contents() == natively.contents();
    CHECK(are_equal);
  }
}

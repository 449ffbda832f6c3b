// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Compares local operations by the team with native MPI.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "collective/cases.hpp"
#include "collective/reductions.hpp"
#include "support/catch.hpp"

using namespace test_support;
using reductions::clear_padding;

namespace {

/// A buffer of packed elements, with other bytes before and after them. `position` is the argument of
/// MPI_Pack.
struct Packed {
  std::vector<unsigned char> bytes;
  MPI_Count position;
};

/// Functions that pack and unpack with one kind of counts. `size` is the size of the packed buffer that MPI
/// is told.
struct Form {
  const char* name;
  int (*pack)(const void* in, int count, MPI_Datatype type, Packed& out, MPI_Count size);
  int (*unpack)(Packed& in, MPI_Count size, void* out, int count, MPI_Datatype type);
};

template <class Count, class Call>
int at_position(MPI_Count& position, const Call& call) {
  auto at = static_cast<Count>(position);
  const int code = call(&at);
  position = at;
  return code;
}

template <class Count, auto Pack, auto Unpack>
constexpr Form internal(const char* name) {
  return {name,
          [](const void* in, int count, MPI_Datatype type, Packed& out, MPI_Count size) {
            return at_position<Count>(out.position, [&](Count* at) {
              return Pack(in, count, type, out.bytes.data(), static_cast<Count>(size), at, MPI_COMM_WORLD);
            });
          },
          [](Packed& in, MPI_Count size, void* out, int count, MPI_Datatype type) {
            return at_position<Count>(in.position, [&](Count* at) {
              return Unpack(in.bytes.data(), static_cast<Count>(size), at, out, count, type, MPI_COMM_WORLD);
            });
          }};
}

struct Forms {
  Form carried;
  Form native;
};

const std::vector<Forms>& forms() {
  static const std::vector<Forms> all {
    {internal<int, MPI_Pack, MPI_Unpack>("MPI_Pack"), internal<int, PMPI_Pack, PMPI_Unpack>("")},
#if MPI_VERSION >= 4
        {internal<MPI_Count, MPI_Pack_c, MPI_Unpack_c>("MPI_Pack_c"),
         internal<MPI_Count, PMPI_Pack_c, PMPI_Unpack_c>("")},
#endif
  };
  return all;
}

/// Clears padding in the packed elements, which begin at `before` and are of type `basic`.
void clear_packed_padding(Packed& packed, MPI_Count before, MPI_Datatype basic) {
  std::vector<unsigned char> bytes(packed.bytes.begin() + before, packed.bytes.begin() + packed.position);
  clear_padding(bytes, basic);
  std::ranges::copy(bytes, packed.bytes.begin() + before);
}

/// Packs and unpacks elements of `type`, made of `basic` elements, with all functions and spare room.
void compare(Helpers& helpers, Draw& draw, MPI_Datatype type, int count, MPI_Datatype basic = MPI_INT) {
  int element = 0;
  PMPI_Type_size(type, &element);
  const auto bytes = static_cast<std::size_t>(element) * static_cast<std::size_t>(count);
  if (bytes == 0) return; // MPICH 4.0.2 divides by zero when it unpacks them
  Buffer user(type, count);
  draw.fill(user.bytes);
  clear_padding(user.bytes, basic);
  for (const Forms& each : forms()) {
    const Form& carried = each.carried;
    const Form& native = each.native;
    INFO(carried.name << ", " << bytes << " bytes");
    const int before = draw.upto(20);
    const std::size_t room = bytes + static_cast<std::size_t>(before + draw.upto(20));
    Packed by_team{std::vector<unsigned char>(room + 1), before};
    draw.fill(by_team.bytes);
    Packed by_mpi = by_team;
    const auto size = static_cast<MPI_Count>(room);
    int code = MPI_ERR_OTHER;
    helpers.phase([&] { code = carried.pack(user.address(), count, type, by_team, size); });
    const bool is_defined = native.pack(user.address(), count, type, by_mpi, size) == MPI_SUCCESS;
    REQUIRE((code == MPI_SUCCESS) == is_defined);
    REQUIRE(by_team.position == by_mpi.position);
    if (is_defined) {
      clear_packed_padding(by_team, before, basic);
      clear_packed_padding(by_mpi, before, basic);
    }
    REQUIRE(by_team.bytes == by_mpi.bytes);
    if (!is_defined) continue;

    Buffer unpacked_by_team(type, count);
    draw.fill(unpacked_by_team.bytes);
    Buffer unpacked_by_mpi = unpacked_by_team;
    by_team.position = by_mpi.position = before;
    helpers.phase([&] { code = carried.unpack(by_team, size, unpacked_by_team.address(), count, type); });
    REQUIRE(native.unpack(by_mpi, size, unpacked_by_mpi.address(), count, type) == code);
    REQUIRE(by_team.position == by_mpi.position);
    clear_padding(unpacked_by_team.bytes, basic);
    clear_padding(unpacked_by_mpi.bytes, basic);
    REQUIRE(unpacked_by_team.bytes == unpacked_by_mpi.bytes);
  }
}

/// A type of a matrix whose numbers are `count` numbers apart. In an array of `count` matrices all first
/// numbers are adjacent, then all second numbers … So each element extends beyond the next one.
Type numbers_of_matrices_apart(int count) {
  const Type apart(PMPI_Type_vector, 4, 1, count, MPI_UINT32_T);
  return reductions::type_of_matrices(PMPI_Type_create_resized, apart, 0, MPI_Aint{sizeof(std::uint32_t)});
}

} // namespace

TEST_CASE("The team packs and unpacks what native MPI does") {
  Helpers helpers;
  Draw draw(seed());
  for (const Family& family : families()) {
    INFO(family.name);
    for (int repetition = 0; repetition < 4; ++repetition) {
      const Elements elements = family.make(draw, draw.bytes(1 << 17) / 4);
      compare(helpers, draw, elements.type, elements.count);
      compare(helpers, draw, elements.type, 3 * elements.count);
    }
  }
}

TEST_CASE("Elements of every basic type are packed, also among others") {
  Helpers helpers;
  Draw draw(seed());
  const auto compare_both = [&](MPI_Datatype basic) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    PMPI_Type_get_name(basic, name, &length);
    INFO(name);
    for (const int count : {3, 5000}) {
      compare(helpers, draw, basic, count, basic);
      const Type vector(PMPI_Type_vector, count, 1, 2, basic);
      compare(helpers, draw, vector, 1, basic);
    }
  };
  for (const MPI_Datatype basic :
       {MPI_CHAR, MPI_BYTE, MPI_SHORT, MPI_UNSIGNED, MPI_LONG, MPI_LONG_LONG, MPI_UINT64_T, MPI_FLOAT,
        MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_AINT,
        MPI_OFFSET, MPI_COUNT})
    compare_both(basic);
  for (const MPI_Datatype pair : {MPI_SHORT_INT, MPI_2INT, MPI_LONG_INT, MPI_FLOAT_INT, MPI_DOUBLE_INT})
    compare_both(pair);
  const std::array<int, 3> lengths{1, 2, 1};
  const std::array<MPI_Aint, 3> places{0, 8, 24};
  for (const MPI_Datatype other : {MPI_DOUBLE, MPI_CHAR, MPI_INT}) {
    const std::array<MPI_Datatype, 3> types{MPI_INT, other, MPI_INT};
    const Type mixed(PMPI_Type_create_struct, 3, lengths.data(), places.data(), types.data());
    compare(helpers, draw, mixed, 4000);
  }
}

TEST_CASE("The team reduces as native MPI does") {
  Helpers helpers;
  Draw draw(seed());
  const auto compare_reductions = [&](MPI_Datatype type, MPI_Op op, int count) {
    Buffer in(type, count + 1);
    Buffer by_team(type, count + 1);
    reductions::fill(in.bytes, type, draw);
    reductions::fill(by_team.bytes, type, draw);
    clear_padding(by_team.bytes, type);
    const Buffer before = in;
    Buffer by_mpi = by_team;
    const auto reduce = [&](auto function, Buffer& inout) {
      return function(in.address(), inout.address(), count, type, op);
    };
    int code = MPI_ERR_OTHER;
    const bool is_large = MPI_VERSION >= 4 && draw.coin();
#if MPI_VERSION >= 4
    if (is_large) helpers.phase([&] { code = reduce(MPI_Reduce_local_c, by_team); });
#endif
    if (!is_large) helpers.phase([&] { code = reduce(MPI_Reduce_local, by_team); });
    REQUIRE(reduce(PMPI_Reduce_local, by_mpi) == MPI_SUCCESS);
    REQUIRE(code == MPI_SUCCESS);
    REQUIRE(in.bytes == before.bytes);
    clear_padding(by_team.bytes, type);
    clear_padding(by_mpi.bytes, type);
    REQUIRE(by_team.bytes == by_mpi.bytes);
  };
  int pair = 0;
  for (const auto& [op, type] : reductions::defined_pairs()) {
    INFO("pair " << pair++);
    int size = 0;
    PMPI_Type_size(type, &size);
    for (const int bytes : {40, draw.bytes(200'000), 150'000}) compare_reductions(type, op, bytes / size);
  }
  const reductions::MatrixOperation multiplication(false); // calls a function of the program; not commutative
  const Type matrix = reductions::type_of_matrices(PMPI_Type_contiguous, 4, MPI_UINT32_T);
  const Type gappy = reductions::type_of_matrices(PMPI_Type_vector, 4, 1, 3, MPI_UINT32_T);
  for (const int count : {3, 10'000}) {
    const Type apart = numbers_of_matrices_apart(count);
    for (const MPI_Datatype type : {MPI_Datatype(matrix), MPI_Datatype(gappy), MPI_Datatype(apart)})
      compare_reductions(type, multiplication, count);
  }
}

TEST_CASE("Arguments that are wrong come to what they come to with native MPI") {
  Helpers helpers;
  set_unnamed_errhandler(MPI_ERRORS_RETURN);
  constexpr int count = 10'000;
  constexpr int size = 4 * count;
  std::vector<int> user(count), packed(count + 1); // MPICH 4.0.2 writes beyond the end
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  PMPI_Type_vector(count / 2, 1, 2, MPI_INT, &uncommitted);
  std::vector<int> codes;
  const auto at = [&](int position, const auto& call) {
    int moved = position;
    codes.push_back(class_of(call(&moved)));
    codes.push_back(moved);
  };
  const auto all_codes = [&](auto pack, auto unpack, auto reduce) {
    codes.clear();
    int* const in = user.data();
    int* const out = packed.data();
    const auto none = MPI_DATATYPE_NULL;
    const auto comm = MPI_COMM_WORLD;
    at(1, [&](int* to) { return pack(in, count, MPI_INT, out, size, to, comm); });
    at(0, [&](int* to) { return pack(in, count, MPI_INT, out, size - 1, to, comm); });
    at(0, [&](int* to) { return pack(in, -1, MPI_INT, out, size, to, comm); });
    at(0, [&](int* to) { return pack(in, count, none, out, size, to, comm); });
    at(0, [&](int* to) { return pack(in, 1, uncommitted, out, size, to, comm); });
    at(0, [&](int* to) { return pack(nullptr, count, MPI_INT, out, size, to, comm); });
    at(-4, [&](int* to) { return pack(in, count, MPI_INT, out + 1, size, to, comm); });
    at(0, [&](int* to) { return pack(in, count, MPI_INT, out, size, to, MPI_COMM_NULL); });
    at(0, [&](int*) { return pack(in, count, MPI_INT, out, size, nullptr, comm); });
    at(1, [&](int* to) { return unpack(out, size, to, in, count, MPI_INT, comm); });
    at(0, [&](int* to) { return unpack(out, size, to, in, count, none, comm); });
    at(0, [&](int* to) { return unpack(out, size, to, in, count, MPI_INT, MPI_COMM_NULL); });
    codes.push_back(class_of(reduce(in, in, count, MPI_INT, MPI_SUM)));
    if (!is_mpich_5_0()) codes.push_back(class_of(reduce(in, out, count, none, MPI_SUM)));
    codes.push_back(class_of(reduce(in, out, count, MPI_INT, MPI_OP_NULL)));
    return codes;
  };
  std::vector<int> carried;
  helpers.phase([&] { carried = all_codes(MPI_Pack, MPI_Unpack, MPI_Reduce_local); });
  const auto native = all_codes(PMPI_Pack, PMPI_Unpack, PMPI_Reduce_local);
  PMPI_Type_free(&uncommitted);
  REQUIRE(carried == native);
}

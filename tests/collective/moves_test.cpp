// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>

#include "collective/cases.hpp"

// The operations that move data between ranks: gather, scatter, allgather, alltoall and their vector forms.

using namespace test_support;

namespace {

/// What all ranks know of one call.
struct Shape {
  const Comm& comm;
  int root;
  bool in_place;
  int unit;                           // ints; every block has a multiple of it
  std::vector<std::vector<int>> ints; // [from][to]
};

/// How the blocks of a buffer lie: one after the other, at displacements, or each with a type of its own.
enum class Form { consecutive, placed, typed };

/// One rank's buffer, with types that it alone chose.
class Side {
public:
  Side(Draw& own, Form form, int unit, const std::vector<int>& ints) {
    counts_.resize(ints.size());
    places_.resize(ints.size());
    std::vector<std::size_t> order(ints.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (form != Form::consecutive) own.shuffle(order);
    if (form == Form::typed) {
      place_typed(own, ints, order);
    } else {
      place(own, form, unit, ints, order);
    }
    own.fill(bytes);
    large_counts_.assign(counts_.begin(), counts_.end());
    large_places_.assign(places_.begin(), places_.end());
  }

  void* address() { return bytes.data() - begin_; }
  int count() const { return counts_.empty() ? 0 : counts_.front(); }
  MPI_Datatype type() const { return handles_.front(); }
  const MPI_Datatype* types() const { return handles_.data(); }
  template <class Integer>
  const Integer* counts() const {
    if constexpr (std::is_same_v<Integer, int>)
      return counts_.data();
    else
      return large_counts_.data();
  }
  template <class Integer>
  const Integer* places() const {
    if constexpr (std::is_same_v<Integer, int>)
      return places_.data();
    else
      return large_places_.data();
  }

  std::vector<unsigned char> bytes;

private:
  void place(Draw& own, Form form, int unit, const std::vector<int>& ints,
             const std::vector<std::size_t>& order) {
    auto [type, count] = own.of(families()).make(own, unit);
    int next = 0;
    for (const std::size_t block : order) {
      counts_[block] = unit == 0 ? 0 : ints[block] / unit * count;
      if (form == Form::placed) next += own.upto(2);
      places_[block] = next;
      next += counts_[block];
    }
    const Span span(type, next);
    begin_ = span.begin;
    bytes.resize(span.size() + 1);
    handles_.push_back(type);
    types_.push_back(std::move(type));
  }

  void place_typed(Draw& own, const std::vector<int>& ints, const std::vector<std::size_t>& order) {
    handles_.resize(ints.size(), MPI_VERSION >= 4 ? MPI_DATATYPE_NULL : MPI_INT);
    MPI_Aint next = 0;
    for (const std::size_t block : order) {
      if (ints[block] == 0) continue; // no elements, which for MPICH need no type
      auto [type, count] = own.of(families()).make(own, ints[block]);
      const Span span(type, count);
      counts_[block] = count;
      places_[block] = static_cast<int>(next - span.begin);
      next += static_cast<MPI_Aint>(span.size()) + own.upto(9);
      handles_[block] = type;
      types_.push_back(std::move(type));
    }
    bytes.resize(static_cast<std::size_t>(next) + 1);
  }

  std::vector<Type> types_;
  std::vector<MPI_Datatype> handles_;
  std::vector<int> counts_;
  std::vector<int> places_;
  std::vector<MPI_Count> large_counts_;
  std::vector<MPI_Count> large_places_;
  MPI_Aint begin_ = 0;
};

enum class Pattern { gather, scatter, allgather, alltoall };

using Call =
    std::function<int(const Shape&, const void* send, const Side& out, void* receive, const Side& in)>;

struct Operation {
  const char* name;
  Pattern pattern;
  bool regular; // blocks of equal size
  Form out;
  Form in;
  Call carried;
  Call native;
};

// Each of these makes a Call of an MPI function, of either kind of counts.

template <class Function>
Call rooted(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.count(), in.type(), shape.root, shape.comm);
  };
}

template <class Function>
Call to_all(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.count(), in.type(), shape.comm);
  };
}

template <class Integer, class Function>
Call gatherv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.counts<Integer>(), in.places<Integer>(),
                    in.type(), shape.root, shape.comm);
  };
}

template <class Integer, class Function>
Call scatterv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<Integer>(), out.type(), receive, in.count(),
                    in.type(), shape.root, shape.comm);
  };
}

template <class Integer, class Function>
Call allgatherv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.count(), out.type(), receive, in.counts<Integer>(), in.places<Integer>(),
                    in.type(), shape.comm);
  };
}

// Not by MPICH 4.0.2's MPI_Allgatherv: where the types' extents differ between ranks, and data are large, its
// ranks disagree on the pieces that they exchange, and hang.
int native_allgatherv(const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
  const int self = shape.comm.rank();
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(in.type(), &lower, &extent);
  const void* const own = static_cast<std::byte*>(receive) + in.places<int>()[self] * extent;
  const bool in_place = send == MPI_IN_PLACE;
  int code = MPI_SUCCESS;
  for (int root = 0; root < shape.comm.size() && code == MPI_SUCCESS; ++root) {
    code = PMPI_Gatherv(in_place ? root == self ? MPI_IN_PLACE : own : send,
                        in_place ? in.counts<int>()[self] : out.count(), in_place ? in.type() : out.type(),
                        receive, in.counts<int>(), in.places<int>(), in.type(), root, shape.comm);
  }
  return code;
}

template <class Integer, class Function>
Call alltoallv(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<Integer>(), out.type(), receive,
                    in.counts<Integer>(), in.places<Integer>(), in.type(), shape.comm);
  };
}

template <class Integer, class Function>
Call alltoallw(Function function) {
  return [=](const Shape& shape, const void* send, const Side& out, void* receive, const Side& in) {
    return function(send, out.counts<Integer>(), out.places<Integer>(), out.types(), receive,
                    in.counts<Integer>(), in.places<Integer>(), in.types(), shape.comm);
  };
}

std::vector<Operation> operations() {
  using enum Form;
  using enum Pattern;
  const Form one = consecutive;
  // clang-format off
  return {
      {"Gather", gather, true, one, consecutive, rooted(MPI_Gather), rooted(PMPI_Gather)},
      {"Gatherv", gather, false, one, placed, gatherv<int>(MPI_Gatherv), gatherv<int>(PMPI_Gatherv)},
      {"Scatter", scatter, true, consecutive, one, rooted(MPI_Scatter), rooted(PMPI_Scatter)},
      {"Scatterv", scatter, false, placed, one, scatterv<int>(MPI_Scatterv), scatterv<int>(PMPI_Scatterv)},
      {"Allgather", allgather, true, one, consecutive, to_all(MPI_Allgather), to_all(PMPI_Allgather)},
      {"Allgatherv", allgather, false, one, placed, allgatherv<int>(MPI_Allgatherv), native_allgatherv},
      {"Alltoall", alltoall, true, consecutive, consecutive, to_all(MPI_Alltoall), to_all(PMPI_Alltoall)},
      {"Alltoallv", alltoall, false, placed, placed, alltoallv<int>(MPI_Alltoallv),
       alltoallv<int>(PMPI_Alltoallv)},
      {"Alltoallw", alltoall, false, typed, typed, alltoallw<int>(MPI_Alltoallw),
       alltoallw<int>(PMPI_Alltoallw)},
#if MPI_VERSION >= 4
      {"Gather_c", gather, true, one, consecutive, rooted(MPI_Gather_c), rooted(PMPI_Gather_c)},
      {"Gatherv_c", gather, false, one, placed, gatherv<MPI_Count>(MPI_Gatherv_c),
       gatherv<MPI_Count>(PMPI_Gatherv_c)},
      {"Scatter_c", scatter, true, consecutive, one, rooted(MPI_Scatter_c), rooted(PMPI_Scatter_c)},
      {"Scatterv_c", scatter, false, placed, one, scatterv<MPI_Count>(MPI_Scatterv_c),
       scatterv<MPI_Count>(PMPI_Scatterv_c)},
      {"Allgather_c", allgather, true, one, consecutive, to_all(MPI_Allgather_c), to_all(PMPI_Allgather_c)},
      {"Allgatherv_c", allgather, false, one, placed, allgatherv<MPI_Count>(MPI_Allgatherv_c), native_allgatherv},
      {"Alltoall_c", alltoall, true, consecutive, consecutive, to_all(MPI_Alltoall_c),
       to_all(PMPI_Alltoall_c)},
      {"Alltoallv_c", alltoall, false, placed, placed, alltoallv<MPI_Count>(MPI_Alltoallv_c),
       alltoallv<MPI_Count>(PMPI_Alltoallv_c)},
      {"Alltoallw_c", alltoall, false, typed, typed, alltoallw<MPI_Count>(MPI_Alltoallw_c),
       alltoallw<MPI_Count>(PMPI_Alltoallw_c)},
#endif
  };
  // clang-format on
}

Shape draw_shape(const Operation& operation, Draw& shared, const Comm& comm) {
  const int size = comm.size();
  const auto ranks = static_cast<std::size_t>(size);
  Shape shape{comm, shared.upto(size - 1), shared.coin(), 0, {}};
  shape.unit = shared.bytes((1 << 19) / size) / 4 / (operation.regular ? 1 : 2);
  shape.ints.assign(ranks, std::vector<int>(ranks, shape.unit));
  if (operation.regular) return shape;
  const bool by_sender = operation.pattern == Pattern::gather || operation.pattern == Pattern::allgather;
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) shape.ints[from][to] = shape.unit * shared.upto(3);
    if (by_sender) std::fill(shape.ints[from].begin(), shape.ints[from].end(), shape.ints[from].front());
  }
  if (operation.pattern != Pattern::alltoall || !shape.in_place) return shape;
  for (std::size_t from = 0; from < ranks; ++from) { // what comes takes the place of what goes
    for (std::size_t to = 0; to < from; ++to) shape.ints[from][to] = shape.ints[to][from];
  }
  return shape;
}

/// The sizes of the blocks that this rank gives, and gets.
std::pair<std::vector<int>, std::vector<int>> blocks(const Operation& operation, const Shape& shape) {
  const auto self = static_cast<std::size_t>(shape.comm.rank());
  const auto root = static_cast<std::size_t>(shape.root);
  const auto& row = shape.ints[self];
  std::vector<int> column;
  for (const auto& of_rank : shape.ints) column.push_back(of_rank[self]);
  switch (operation.pattern) {
  case Pattern::gather:
    return {{row[root]}, self == root ? column : std::vector<int>{}};
  case Pattern::scatter:
    return {self == root ? row : std::vector<int>{}, {column[root]}};
  case Pattern::allgather:
    return {{row.front()}, column};
  default:
    return {row, column};
  }
}

/// The bytes of a pair of a value and an int.
Type bytes_of_pair(MPI_Datatype pair) {
  int size = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_size(pair, &size);
  PMPI_Type_get_extent(pair, &lower, &extent);
  const std::array<int, 2> lengths{size - 4, 4};
  const std::array<int, 2> places{0, std::max(size - 4, 4)};
  const Type bytes(PMPI_Type_indexed, 2, lengths.data(), places.data(), MPI_BYTE);
  return Type(PMPI_Type_create_resized, bytes, 0, extent);
}

/// Runs an operation by the team and by native MPI on the same input: the receive buffers must be the same
/// bytes, gaps included.
void compare(Helpers& helpers, const Operation& operation, const Shape& shape, Draw& own) {
  const auto [gives, gets] = blocks(operation, shape);
  const bool is_root = shape.comm.rank() == shape.root;
  const bool scatters = operation.pattern == Pattern::scatter;
  const bool rooted_pattern = scatters || operation.pattern == Pattern::gather;
  const bool in_place = shape.in_place && (is_root || !rooted_pattern);
  Side out(own, operation.out, shape.unit, gives);
  Side carried(own, operation.in, shape.unit, gets);
  const auto sent = out.bytes;
  const auto before = carried.bytes;
  const auto call = [&](const Call& function) {
    return function(shape, in_place && !scatters ? MPI_IN_PLACE : out.address(), out,
                    in_place && scatters ? MPI_IN_PLACE : carried.address(), carried);
  };
  int code = MPI_ERR_OTHER;
  helpers.phase([&] { code = call(operation.carried); });
  REQUIRE(code == MPI_SUCCESS);
  REQUIRE(out.bytes == sent);
  const auto result = carried.bytes;
  carried.bytes = before;
  REQUIRE(call(operation.native) == MPI_SUCCESS);
  REQUIRE(carried.bytes == result);
}

} // namespace

TEST_CASE("Data are moved by the team as by native MPI, whatever the types at the ranks") {
  Helpers helpers;
  Draw shared(seed());
  const auto all = operations();
  for (const Comm& comm : communicators()) {
    Draw own(seed() + 1000 * static_cast<std::uint64_t>(comm.rank()));
    for (const Operation& operation : all) {
      // Open MPI 4 crashes in MPI_Alltoallw of one rank with displacements.
      if (MPI_VERSION < 4 && comm.size() == 1 && operation.out == Form::typed) continue;
      for (int repetition = 0; repetition < 2; ++repetition) {
        const Shape shape = draw_shape(operation, shared, comm);
        INFO(operation.name << ", ranks " << comm.size() << ", root " << shape.root << ", unit " << shape.unit
                            << " ints, in place " << shape.in_place);
        compare(helpers, operation, shape, own);
      }
    }
  }
}

TEST_CASE("Moves take MPI_BOTTOM with absolute addresses") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  const auto ranks = static_cast<std::size_t>(world.size());
  const auto at = [](const std::vector<int>& values, int count) {
    MPI_Aint place = 0;
    PMPI_Get_address(values.data(), &place);
    return Type(PMPI_Type_create_hindexed_block, 1, count, &place, MPI_INT);
  };
  for (const int count : {5, 30000}) {
    std::vector<int> out(ranks * static_cast<std::size_t>(count));
    for (int& value : out) value = own.upto(1 << 30);
    std::vector<int> carried(out.size(), -1), native(out.size(), -1);
    const Type from = at(out, count), into = at(carried, count);
    helpers.phase([&] { MPI_Alltoall(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, world); });
    PMPI_Alltoall(out.data(), count, MPI_INT, native.data(), count, MPI_INT, world);
    REQUIRE(carried == native);
    helpers.phase([&] { MPI_Allgather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, world); });
    PMPI_Allgather(out.data(), count, MPI_INT, native.data(), count, MPI_INT, world);
    REQUIRE(carried == native);
  }
}

TEST_CASE("Pairs of a value and an index are moved as MPI moves their bytes") {
  Helpers helpers;
  const Comm world(MPI_COMM_WORLD);
  Draw own(seed() + static_cast<std::uint64_t>(world.rank()));
  for (const MPI_Datatype pair : pairs_with_gaps()) {
    const Type bytes = bytes_of_pair(pair);
    for (const int count : {20, 20'000}) {
      Buffer out(pair, world.size() * count);
      own.fill(out.bytes);
      const auto moved = [&](MPI_Datatype type, auto gather, auto scatter, auto allgather, auto alltoall) {
        std::vector<Buffer> in(4, Buffer(pair, world.size() * count));
        gather(out.address(), count, type, in[0].address(), count, type, 0, world);
        scatter(out.address(), count, type, in[1].address(), count, type, 0, world);
        allgather(out.address(), count, type, in[2].address(), count, type, world);
        alltoall(out.address(), count, type, in[3].address(), count, type, world);
        std::vector<std::vector<unsigned char>> results;
        for (const Buffer& buffer : in) results.push_back(buffer.bytes);
        return results;
      };
      std::vector<std::vector<unsigned char>> carried;
      helpers.phase([&] { carried = moved(pair, MPI_Gather, MPI_Scatter, MPI_Allgather, MPI_Alltoall); });
      REQUIRE(carried == moved(bytes, PMPI_Gather, PMPI_Scatter, PMPI_Allgather, PMPI_Alltoall));
    }
  }
}

TEST_CASE("On an inter-communicator data are moved by native MPI") {
  const Comm world(MPI_COMM_WORLD);
  if (world.size() < 2) return;
  Helpers helpers;
  const bool left = world.rank() == 0;
  const Comm inter = between_groups(left);
  const int value = world.rank();
  std::vector<int> gathered(static_cast<std::size_t>(world.size() - 1), -1);
  std::vector<int> expected(gathered.size());
  std::iota(expected.begin(), expected.end(), 1);
  helpers.phase([&] {
    MPI_Barrier(inter);
    MPI_Gather(&value, 1, MPI_INT, gathered.data(), 1, MPI_INT, left ? MPI_ROOT : 0, inter);
  });
  if (left) REQUIRE(gathered == expected);
  helpers.phase([&] { MPI_Allgather(&value, 1, MPI_INT, gathered.data(), 1, MPI_INT, inter); });
  if (left) REQUIRE(gathered == expected);
  if (!left) REQUIRE(gathered.front() == 0);
}

TEST_CASE("Calls that native MPI rejects are rejected as by native MPI") {
  Helpers helpers;
  const Comm self(MPI_COMM_SELF);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int in = 1;
  int out = 0;
  const int count = 1;
  const int negative = -1;
  const int place = 0;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const auto classes = [&](auto gather, auto scatterv, auto allgather, auto alltoall, auto alltoallw,
                           auto barrier) {
    std::vector<int> all{class_of(gather(&in, 1, none, &out, 1, MPI_INT, 0, self)),
                         class_of(gather(&in, -1, MPI_INT, &out, 1, MPI_INT, 0, self)),
                         class_of(gather(&in, 1, MPI_INT, &out, 1, MPI_INT, 1, self)),
                         class_of(gather(&in, 1, MPI_INT, &out, 1, MPI_INT, 0, MPI_COMM_NULL)),
                         class_of(gather(&in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, self)),
                         class_of(scatterv(&in, &negative, &place, MPI_INT, &out, 1, MPI_INT, 0, self)),
                         class_of(allgather(&in, 1, MPI_INT, &out, 1, none, self)),
                         class_of(alltoall(&in, 1, MPI_INT, &out, -1, MPI_INT, self)),
                         class_of(alltoallw(&in, &count, &place, &none, &out, &count, &place, &none, self)),
                         class_of(barrier(MPI_COMM_NULL))};
    if (MPI_VERSION >= 4) { // Open MPI 4 does not mind where buffers are
      all.push_back(class_of(gather(&in, 1, MPI_INT, &in, 1, MPI_INT, 0, self)));
      all.push_back(class_of(alltoall(&in, 1, MPI_INT, &in, 1, MPI_INT, self)));
      all.push_back(class_of(scatterv(nullptr, &count, &place, MPI_INT, &out, 1, MPI_INT, 0, self)));
      all.push_back(class_of(allgather(&in, 1, MPI_INT, nullptr, 1, MPI_INT, self)));
    }
    return all;
  };
  std::vector<int> carried;
  helpers.phase([&] {
    carried = classes(MPI_Gather, MPI_Scatterv, MPI_Allgather, MPI_Alltoall, MPI_Alltoallw, MPI_Barrier);
  });
  const auto native =
      classes(PMPI_Gather, PMPI_Scatterv, PMPI_Allgather, PMPI_Alltoall, PMPI_Alltoallw, PMPI_Barrier);
  REQUIRE(carried == native);
  REQUIRE(std::ranges::find(native, MPI_SUCCESS) == native.end());
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Types that are nested more deeply than in any program. The number of queries to MPI, time, memory and stack
// must be bounded. If the time or memory of the code grew with the number of paths to a leaf, the test would
// not end.

#include "layout/layout.hpp"

#include "layout/type.hpp"
#include "support/catch.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace {

using helper::layout::Layout;
using test_support::Type;

// Counts the queries of the library, which reach MPI through the functions below.
struct Asked {
  std::atomic<int> times{0};
  bool for_new_handles = false; // each query returns new handles, as MPI may do
  std::function<void()> then;
};
Asked asked;

Type structure(const std::vector<MPI_Aint>& at, const std::vector<MPI_Datatype>& types) {
  const std::vector<int> ones(at.size(), 1);
  return Type(PMPI_Type_create_struct, static_cast<int>(at.size()), ones.data(), at.data(), types.data());
}

MPI_Aint extent(MPI_Datatype type) {
  MPI_Aint lower = 0, result = 0;
  PMPI_Type_get_extent(type, &lower, &result);
  return result;
}

// Puts `type` twice into a struct, `levels` times. At every second level there is a gap between the two.
Type doubled(Type type, int levels) {
  for (int i = 0; i < levels; ++i) type = structure({0, extent(type) + i % 2 * 4}, {type, type});
  return type;
}

// Like doubled(), with one more int in each struct, far away, so that nothing repeats. The last int is at
// last_of(levels).
Type doubled_with_more(Type type, int levels) {
  for (int i = 0; i < levels; ++i) {
    const MPI_Aint end = extent(type);
    type = structure({0, end + 4, 2 * end + 100}, {type, type, MPI_INT});
  }
  return type;
}

// Puts the type and one more int into a struct, `levels` times, at distances that do not repeat.
Type appended(int levels) {
  Type type(PMPI_Type_contiguous, 1, MPI_INT);
  for (int i = 0; i < levels; ++i) type = structure({0, extent(type) + 4 * (1 + i * i % 7)}, {type, MPI_INT});
  return type;
}

Type resized(Type type, int levels) {
  for (int i = 0; i < levels; ++i) type = Type(PMPI_Type_create_resized, type, 0, 32);
  return type;
}

// Runs `act` on a thread with a very small stack.
void on_small_stack(std::function<void()> act) {
  const std::size_t bytes = std::max(std::size_t{64} << 10, static_cast<std::size_t>(PTHREAD_STACK_MIN));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  const auto run = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &act) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// Packs with MPI.
std::vector<int> packed_by_mpi(MPI_Datatype type, const std::vector<int>& data) {
  int size = 0;
  int position = 0;
  PMPI_Type_size(type, &size);
  std::vector<int> result(static_cast<std::size_t>(size) / sizeof(int));
  PMPI_Pack(data.data(), 1, type, result.data(), size, &position, MPI_COMM_SELF);
  return result;
}

std::vector<int> packed(MPI_Datatype type, const std::vector<int>& data) {
  const auto layout = Layout::of(type);
  std::vector<int> result(layout->size() / sizeof(int));
  helper::layout::pack(*layout, data.data(), 0, layout->size(), result.data());
  return result;
}

std::vector<int> numbers_for(MPI_Datatype type) {
  std::vector<int> data(static_cast<std::size_t>(extent(type)) / sizeof(int) + 1);
  std::iota(data.begin(), data.end(), 0);
  return data;
}

int combiner_of(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void when_asked(MPI_Datatype about, MPI_Datatype* types, MPI_Count count) {
  ++asked.times;
  for (MPI_Count i = 0; asked.for_new_handles && i < count; ++i) {
    if (combiner_of(about) == MPI_COMBINER_DUP || combiner_of(types[i]) == MPI_COMBINER_NAMED) continue;
    MPI_Datatype other = MPI_DATATYPE_NULL;
    PMPI_Type_dup(types[i], &other);
    PMPI_Type_free(&types[i]);
    types[i] = other;
  }
  if (const auto then = std::exchange(asked.then, nullptr)) then();
}

} // namespace

#if MPI_VERSION >= 4
extern "C" int PMPI_Type_get_contents_c(MPI_Datatype type, MPI_Count max_integers, MPI_Count max_addresses,
                                        MPI_Count max_counts, MPI_Count max_types, int* integers,
                                        MPI_Aint* addresses, MPI_Count* counts, MPI_Datatype* types) {
  static const auto native = next<decltype(&PMPI_Type_get_contents_c)>("PMPI_Type_get_contents_c");
  const int code =
      native(type, max_integers, max_addresses, max_counts, max_types, integers, addresses, counts, types);
  if (code == MPI_SUCCESS) when_asked(type, types, max_types);
  return code;
}
#else
extern "C" int PMPI_Type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_types,
                                      int* integers, MPI_Aint* addresses, MPI_Datatype* types) {
  static const auto native = next<decltype(&PMPI_Type_get_contents)>("PMPI_Type_get_contents");
  const int code = native(type, max_integers, max_addresses, max_types, integers, addresses, types);
  if (code == MPI_SUCCESS) when_asked(type, types, max_types);
  return code;
}
#endif

TEST_CASE("A type that is used twice at every level is asked for once") {
  asked.times = 0;
  const auto layout = Layout::of(doubled(Type(PMPI_Type_contiguous, 1, MPI_INT), 30));
  CHECK(asked.times == 31);
  REQUIRE(layout != nullptr);
  CHECK(layout->size() == sizeof(int) << 30);
  static_cast<void>(Layout::of(doubled(Type(PMPI_Type_contiguous, 1, MPI_INT), 50)));
  CHECK(asked.times <= 31 + 51);
  const Type small = doubled(Type(PMPI_Type_contiguous, 1, MPI_INT), 7);
  const std::vector<int> data = numbers_for(small);
  CHECK(packed(small, data) == packed_by_mpi(small, data));
}

TEST_CASE("So is an empty one") {
  const Type empty = doubled(Type(PMPI_Type_contiguous, 0, MPI_INT), 60);
  CHECK(Layout::of(empty)->size() == 0);
  const Type one = structure({0, 8}, {empty, MPI_INT});
  CHECK(Layout::of(one)->size() == sizeof(int));
  CHECK(Layout::of(one)->head() == 64);
}

TEST_CASE("What does not repeat is nested, and packed all the same") {
  const Type small = doubled_with_more(Type(PMPI_Type_contiguous, 1, MPI_INT), 8);
  const std::vector<int> data = numbers_for(small);
  CHECK(packed(small, data) == packed_by_mpi(small, data));

  const Type large = doubled_with_more(Type(PMPI_Type_contiguous, 1, MPI_INT), 30);
  const auto layout = Layout::of(large);
  REQUIRE(layout != nullptr);
  CHECK(layout->size() == sizeof(int) * ((std::size_t{2} << 30) - 1));
  // The last int of the type is at &last.
  const int last = 7;
  int got = 0;
  const auto base = reinterpret_cast<std::uintptr_t>(&last) - static_cast<std::uintptr_t>(extent(large) - 4);
  helper::layout::pack(*layout, reinterpret_cast<const void*>(base), layout->size() - sizeof(int),
                       layout->size(), &got);
  CHECK(got == last);
}

TEST_CASE("Equal types are recognised, though they were made one by one") {
  const auto one = [] { return doubled_with_more(Type(PMPI_Type_vector, 9, 1, 2, MPI_INT), 28); };
  const Type first = one(), second = one();
  const MPI_Aint end = extent(first);
  const Type both = structure({0, end}, {first, second});
  const Type twice = structure({0, end}, {first, first});
  REQUIRE(Layout::of(both) != nullptr);
  const auto& shape = *Layout::of(both)->elements().piece.shape;
  CHECK(std::get<helper::layout::Loop>(shape).stride == end);
  CHECK(Layout::of(both)->size() == Layout::of(twice)->size());
  CHECK(helper::layout::count_nested(Layout::of(both)->elements().piece) ==
        helper::layout::count_nested(Layout::of(twice)->elements().piece));
}

TEST_CASE("What would be nested more deeply than the stack is sure to allow has no layout") {
  using helper::layout::Forms;
  const auto nested = [](int levels) {
    return doubled_with_more(Type(PMPI_Type_vector, 9, 1, 2, MPI_INT), levels);
  };
  const auto deepest = Layout::of(nested(Forms::most_nested - 2));
  REQUIRE(deepest != nullptr);
  CHECK(helper::layout::count_nested(deepest->elements().piece) == Forms::most_nested);
  CHECK(Layout::of(nested(Forms::most_nested - 1)) == nullptr);
  CHECK(Layout::of(nested(50)) == nullptr);
}

TEST_CASE("What has few runs is a list of them, however it was nested") {
  const Type type = appended(700);
  const std::vector<int> data = numbers_for(type);
  CHECK(packed(type, data) == packed_by_mpi(type, data));
  CHECK(Layout::of(appended(5000)) == nullptr);
}

TEST_CASE("Data that no memory can hold have no layout") {
  Type type(PMPI_Type_contiguous, 1 << 30, MPI_INT);
  for (int i = 0; i < 2; ++i) type = Type(PMPI_Type_create_hvector, 1 << 30, 1, 0, type);
  CHECK(Layout::of(type) == nullptr);
}

TEST_CASE("Any depth is decoded, and packed, on a small stack") {
  const Type row(PMPI_Type_vector, 4, 1, 2, MPI_INT);
  const Type deep = resized(Type(PMPI_Type_vector, 4, 1, 2, MPI_INT), 14000);
  const Type nested = doubled_with_more(Type(PMPI_Type_vector, 9, 1, 2, MPI_INT), 12);
  const Type deepest = doubled_with_more(Type(PMPI_Type_vector, 9, 1, 2, MPI_INT), 30);
  const std::vector<int> data = numbers_for(nested);
  std::shared_ptr<const Layout> of_deep, of_deepest;
  std::vector<int> ints;
  on_small_stack([&] {
    of_deep = Layout::of(deep);
    of_deepest = Layout::of(deepest);
    ints = packed(nested, data);
  });
  REQUIRE(of_deep != nullptr);
  CHECK(of_deep->size() == Layout::of(row)->size());
  CHECK(ints == packed_by_mpi(nested, data));
  REQUIRE(of_deepest != nullptr);
  // Only the first bytes are accessed. They are in the innermost shape.
  constexpr std::size_t nine = 9 * sizeof(int);
  const auto base = reinterpret_cast<std::uintptr_t>(data.data());
  on_small_stack(
      [&] { helper::layout::pack(*of_deepest, reinterpret_cast<const void*>(base), 0, nine, ints.data()); });
  CHECK(ints[8] == 16);
}

TEST_CASE("An MPI that hands out other handles each time ends up without a layout") {
  asked.for_new_handles = true;
  const auto few = Layout::of(doubled(Type(PMPI_Type_contiguous, 1, MPI_INT), 3));
  const auto many = Layout::of(doubled(Type(PMPI_Type_contiguous, 1, MPI_INT), 50));
  asked.for_new_handles = false;
  REQUIRE(few != nullptr);
  CHECK(few->size() == 8 * sizeof(int));
  CHECK(many == nullptr);
}

TEST_CASE("A thread that decodes keeps no other from its work, and of one type there is one layout") {
  const Type type(PMPI_Type_vector, 3, 1, 2, MPI_INT), another(PMPI_Type_vector, 5, 1, 2, MPI_INT);
  std::shared_ptr<const Layout> theirs, of_another;
  asked.then = [&] {
    std::thread([&] {
      theirs = Layout::of(type);
      of_another = Layout::of(another);
    }).join();
  };
  const auto ours = Layout::of(type);
  CHECK(theirs == ours);
  REQUIRE(of_another != nullptr);
  CHECK(of_another == Layout::of(another));
}

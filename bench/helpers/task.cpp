// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "task.hpp"

#include "types.hpp"

#include <complex>
#include <cstring>
#include <limits>
#include <span>

namespace bench {
namespace {

Call pack(const TypeFamily& family, std::size_t bytes, bool unpacks) {
  const auto elements = std::make_shared<const Elements>(family.make(bytes));
  const auto typed = std::make_shared<Bytes>(elements->buffer_bytes());
  const auto packed = std::make_shared<Bytes>(elements->packed_bytes());
  const auto call = [=](bool native) {
    const auto size = static_cast<int>(packed->size());
    int position = 0;
    if (unpacks)
      (native ? PMPI_Unpack : MPI_Unpack)(packed->data(), size, &position, typed->data(), elements->count(),
                                          elements->type(), MPI_COMM_SELF);
    else
      (native ? PMPI_Pack : MPI_Pack)(typed->data(), elements->count(), elements->type(), packed->data(),
                                      size, &position, MPI_COMM_SELF);
  };
  const auto reset = [=] {
    fill_bytes(*typed, 1);
    fill_bytes(*packed, 2);
  };
  return {packed->size(), call, reset, unpacks ? typed : packed};
}

/// An operation on elements of one type. With its inputs all sums and products are exact, in any order.
struct Combination {
  const char* name;
  MPI_Op op;
  MPI_Datatype type;
  std::size_t element;     ///< bytes, with gaps
  std::size_t significant; ///< compared bytes of an element, the first ones
  void (*set)(std::byte* element, std::size_t index, int rank);
};

double number(std::size_t index, int rank) {
  return static_cast<double>(index % 101) + rank;
}

template <class Value>
void put(std::byte* element, Value value) {
  std::memcpy(element, &value, sizeof value);
}

/// x86's has 10 bytes in 16.
constexpr std::size_t long_double_bytes =
    std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(long double);

struct DoubleInt {
  double value;
  int index;
};

constexpr std::uint64_t prime = (std::uint64_t{1} << 31) - 1;

void multiply_modulo_prime(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* const factor = static_cast<const std::uint64_t*>(in);
  auto* const product = static_cast<std::uint64_t*>(inout);
  for (int i = 0; i < *count; ++i) product[i] = factor[i] * product[i] % prime;
}

MPI_Op made_by(int (*create)(MPI_User_function*, int, MPI_Op*)) {
  MPI_Op made;
  create(multiply_modulo_prime, 1, &made);
  return made;
}

void set_users_element(std::byte* element, std::size_t index, int rank) {
  put(element, (index * 40503 + static_cast<std::size_t>(rank)) % (prime - 1) + 1);
}

std::span<const Combination> combinations() {
  static const Combination all[] = {
      {"sum of double", MPI_SUM, MPI_DOUBLE, sizeof(double), sizeof(double),
       [](std::byte* element, std::size_t index, int rank) { put(element, number(index, rank)); }},
      {"MINLOC of double_int", MPI_MINLOC, MPI_DOUBLE_INT, sizeof(DoubleInt), sizeof(double) + sizeof(int),
       [](std::byte* element, std::size_t index, int rank) {
         put(element, static_cast<double>((index * 40503 + static_cast<std::size_t>(rank) * 7) % 64));
         put(element + sizeof(double), rank);
       }},
      {"sum of long double", MPI_SUM, MPI_LONG_DOUBLE, sizeof(long double), long_double_bytes,
       [](std::byte* element, std::size_t index, int rank) {
         put<long double>(element, number(index, rank));
       }},
      {"product of complex", MPI_PROD, MPI_C_DOUBLE_COMPLEX, sizeof(std::complex<double>),
       sizeof(std::complex<double>),
       [](std::byte* element, std::size_t index, int rank) { // 1 or -1: products do not grow
         constexpr std::array<double, 5> units{1, 0, -1, 0, 1};
         const std::size_t turn = (index + static_cast<std::size_t>(rank)) % 4;
         put(element, std::complex<double>(units[turn], units[turn + 1]));
       }},
      // The library does not know what PMPI creates, so it runs on the calling thread.
      {"user's operation", made_by(PMPI_Op_create), MPI_UINT64_T, sizeof(std::uint64_t),
       sizeof(std::uint64_t), set_users_element},
      {"user's operation, by all", made_by(MPI_Op_create), MPI_UINT64_T, sizeof(std::uint64_t),
       sizeof(std::uint64_t), set_users_element}};
  return all;
}

Call reduce(const Combination& combination, std::size_t bytes, bool collective) {
  const std::size_t count = bytes / combination.element;
  const auto input = std::make_shared<Bytes>(count * combination.element);
  const auto result = std::make_shared<Bytes>(input->size());
  const auto call = [=, op = combination.op, type = combination.type](bool native) {
    if (collective)
      (native ? PMPI_Allreduce : MPI_Allreduce)(input->data(), result->data(), static_cast<int>(count), type,
                                                op, MPI_COMM_WORLD);
    else
      (native ? PMPI_Reduce_local : MPI_Reduce_local)(input->data(), result->data(), static_cast<int>(count),
                                                      type, op);
  };
  const auto reset = [=, set = combination.set, element = combination.element] {
    const int rank = own_rank();
    std::ranges::fill(*result, std::byte{0});
    for (std::size_t i = 0; i < count; ++i) {
      set(input->data() + i * element, i, rank);
      if (!collective) set(result->data() + i * element, i, rank + 1);
    }
  };
  return {bytes, call, reset, result, combination.element, combination.significant};
}

Call broadcast(const TypeFamily& family, std::size_t bytes) {
  const auto elements = std::make_shared<const Elements>(family.make(bytes));
  const auto buffer = std::make_shared<Bytes>(elements->buffer_bytes());
  const auto call = [=](bool native) {
    (native ? PMPI_Bcast : MPI_Bcast)(buffer->data(), elements->count(), elements->type(), 0, MPI_COMM_WORLD);
  };
  const auto reset = [=] { fill_bytes(*buffer, own_rank()); };
  return {elements->packed_bytes(), call, reset, buffer};
}

Task reduction(const Combination& combination, std::size_t bytes, bool collective) {
  return {collective ? "MPI_Allreduce" : "MPI_Reduce_local", combination.name, bytes,
          [&combination, bytes, collective] { return reduce(combination, bytes, collective); }};
}

} // namespace

void fill_bytes(Bytes& bytes, int seed) {
  std::size_t at = static_cast<std::size_t>(seed);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(at++ * 40503 >> 8);
}

bool Call::is_right() const {
  reset();
  run(true);
  const Bytes expected = *result;
  reset();
  run(false);
  for (std::size_t at = 0; at < expected.size(); at += element)
    if (std::memcmp(expected.data() + at, result->data() + at, significant) != 0) return false;
  return true;
}

std::vector<Task> tasks(std::size_t bytes, bool collective) {
  constexpr std::size_t most_of_faces = std::size_t{4} << 20;
  std::vector<Task> planned;
  for (const bool unpacks : {false, true}) {
    for (const TypeFamily& family : type_families()) {
      if (std::string(family.name).ends_with("face") && bytes > most_of_faces) continue;
      planned.push_back({unpacks ? "MPI_Unpack" : "MPI_Pack", family.name, bytes,
                         [&family, bytes, unpacks] { return pack(family, bytes, unpacks); }});
    }
  }
  for (const bool all : {false, true})
    for (const Combination& combination : combinations())
      if (!all || collective) planned.push_back(reduction(combination, bytes, all));
  if (!collective) return planned;
  for (const char* data : {"vector-1", "struct"})
    planned.push_back({"MPI_Bcast", data, bytes, [=] { return broadcast(type_named(data), bytes); }});
  return planned;
}

Task allreduce_of_doubles(std::size_t bytes) {
  return reduction(combinations().front(), bytes, true);
}

std::vector<Task> allreduce_of_ints(std::size_t bytes) {
  static const Combination ints{"sum of int",
                                MPI_SUM,
                                MPI_INT,
                                sizeof(int),
                                sizeof(int),
                                [](std::byte* element, std::size_t index, int rank) {
                                  put(element, static_cast<int>(number(index, rank)));
                                }};
  return {reduction(ints, bytes, true)};
}

} // namespace bench

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/decode.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "native/large_counts.hpp"

namespace helper::layout {
namespace {

void check(int code) {
  if (code != MPI_SUCCESS) throw Undecodable("MPI does not describe the datatype");
}

std::size_t size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  check(PMPI_Type_size_c(type, &bytes));
  return static_cast<std::size_t>(bytes);
}

struct Envelope {
  explicit Envelope(MPI_Datatype type) {
    check(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner));
  }

  MPI_Count integers, addresses, counts, types;
  int combiner;
};

// The arguments of the constructor of a type, in its order. MPI hands out as counts what the large-count
// constructor takes as counts, and the addresses.
class Arguments {
public:
  Arguments(MPI_Datatype type, const Envelope& envelope)
      : integers_(static_cast<std::size_t>(envelope.integers)),
        addresses_(static_cast<std::size_t>(envelope.addresses)),
        counts_(static_cast<std::size_t>(envelope.counts)), types_(static_cast<std::size_t>(envelope.types)) {
    check(PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts,
                                   envelope.types, integers_.data(), addresses_.data(), counts_.data(),
                                   types_.data()));
  }

  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  ~Arguments() {
    for (MPI_Datatype& type : types_)
      if (!predefined(type)) PMPI_Type_free(&type);
  }

  // The next integer …
  int integer() { return integers_[next_integer_++]; }

  // … or number that the large-count constructor takes as a count and the other as an integer …
  MPI_Count number() { return large() ? counts_[next_count_++] : integers_[next_integer_++]; }

  // … or as an address.
  MPI_Count address() { return large() ? counts_[next_count_++] : addresses_[next_address_++]; }

  std::size_t count() { return static_cast<std::size_t>(number()); }

  std::vector<std::size_t> counts(std::size_t n) {
    std::vector<std::size_t> list(n);
    for (std::size_t& item : list) item = count();
    return list;
  }

  std::vector<int> integers(std::size_t n) {
    std::vector<int> list(n);
    for (int& item : list) item = integer();
    return list;
  }

  MPI_Datatype type(std::size_t i = 0) const { return types_[i]; }

private:
  bool large() const { return !counts_.empty(); }

  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Datatype> types_;
  std::size_t next_integer_ = 0;
  std::size_t next_address_ = 0;
  std::size_t next_count_ = 0;
};

// A decoded type with its extent, for repetition.
struct Element {
  explicit Element(MPI_Datatype type) : form(decode(type)), extent(bounds(type).extent) {}

  Placed repeated(std::size_t n) const { return loop(n, extent, form); }

  Placed form;
  MPI_Count extent;
};

// The predefined types with gaps are the pairs of a value and an int, laid out like a struct.
Placed decode_predefined(MPI_Datatype type) {
  const std::size_t bytes = size_of(type);
  if (static_cast<MPI_Count>(bytes) == bounds(type).extent) return run(bytes);
  const std::size_t value = bytes - sizeof(int);
  const std::size_t index = (value + alignof(int) - 1) / alignof(int) * alignof(int);
  return sequence({run(value), shifted(run(sizeof(int)), static_cast<std::ptrdiff_t>(index))});
}

Placed decode_vector(Arguments& arguments, bool stride_in_bytes) {
  const Element element(arguments.type());
  const std::size_t count = arguments.count();
  const std::size_t length = arguments.count();
  const MPI_Count stride = stride_in_bytes ? arguments.address() : arguments.number() * element.extent;
  return loop(count, stride, element.repeated(length));
}

Placed decode_indexed(Arguments& arguments, bool equal_lengths, bool displacements_in_bytes) {
  const Element element(arguments.type());
  const std::size_t count = arguments.count();
  const std::vector<std::size_t> lengths = arguments.counts(equal_lengths ? 1 : count);
  Placed block;
  if (equal_lengths) block = element.repeated(lengths.front());
  std::vector<Placed> blocks;
  blocks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!equal_lengths && (i == 0 || lengths[i] != lengths[i - 1])) block = element.repeated(lengths[i]);
    const MPI_Count displacement =
        displacements_in_bytes ? arguments.address() : arguments.number() * element.extent;
    blocks.push_back(shifted(block, displacement));
  }
  return sequence(std::move(blocks));
}

Placed decode_struct(Arguments& arguments) {
  const std::size_t count = arguments.count();
  const std::vector<std::size_t> lengths = arguments.counts(count);
  std::vector<Placed> blocks;
  blocks.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    blocks.push_back(shifted(Element(arguments.type(i)).repeated(lengths[i]), arguments.address()));
  return sequence(std::move(blocks));
}

// The dimensions of an array from that whose elements are adjacent outwards.
std::vector<std::size_t> outwards(std::size_t dimensions, int order) {
  std::vector<std::size_t> list(dimensions);
  std::iota(list.begin(), list.end(), std::size_t{0});
  if (order == MPI_ORDER_C) std::ranges::reverse(list);
  return list;
}

Placed decode_subarray(Arguments& arguments) {
  const Element element(arguments.type());
  const auto dimensions = static_cast<std::size_t>(arguments.integer());
  const std::vector<std::size_t> sizes = arguments.counts(dimensions);
  const std::vector<std::size_t> subsizes = arguments.counts(dimensions);
  const std::vector<std::size_t> starts = arguments.counts(dimensions);
  Placed block = element.form;
  MPI_Count stride = element.extent;
  for (const std::size_t i : outwards(dimensions, arguments.integer())) {
    block = shifted(loop(subsizes[i], stride, block), static_cast<MPI_Count>(starts[i]) * stride);
    stride *= static_cast<MPI_Count>(sizes[i]);
  }
  return block;
}

// How many adjacent elements of a dimension a process gets at a time.
std::size_t block_length(int distribution, int argument, std::size_t size, std::size_t processes) {
  if (distribution == MPI_DISTRIBUTE_NONE) return size;
  if (argument != MPI_DISTRIBUTE_DFLT_DARG) return static_cast<std::size_t>(argument);
  return distribution == MPI_DISTRIBUTE_CYCLIC ? 1 : (size + processes - 1) / processes;
}

// What one of the processes along a dimension of `size` elements gets of it when blocks are dealt out in
// turn.
Placed dealt(const Placed& element, MPI_Count stride, std::size_t size, std::size_t block,
             std::size_t processes, std::size_t coordinate) {
  const std::size_t first = coordinate * block;
  if (first >= size) return {};
  const std::size_t round = processes * block;
  const std::size_t whole = (size - first + round - block) / round;
  const std::size_t last = first + whole * round;
  const Placed blocks = loop(whole, static_cast<MPI_Count>(round) * stride, loop(block, stride, element));
  const Placed rest = loop(last < size ? size - last : 0, stride, element);
  return sequence({shifted(blocks, static_cast<MPI_Count>(first) * stride),
                   shifted(rest, static_cast<MPI_Count>(last) * stride)});
}

Placed decode_darray(Arguments& arguments) {
  const Element element(arguments.type());
  arguments.integer(); // processes in all
  auto rank = static_cast<std::size_t>(arguments.integer());
  const auto dimensions = static_cast<std::size_t>(arguments.integer());
  const std::vector<std::size_t> sizes = arguments.counts(dimensions);
  const std::vector<int> distributions = arguments.integers(dimensions);
  const std::vector<int> lengths = arguments.integers(dimensions);
  const std::vector<int> processes = arguments.integers(dimensions);
  const std::vector<std::size_t> grid(processes.begin(), processes.end());
  std::vector<std::size_t> coordinates(dimensions); // in row-major order, whatever the array's
  for (std::size_t i = dimensions; i-- > 0; rank /= grid[i]) coordinates[i] = rank % grid[i];
  Placed part = element.form;
  MPI_Count stride = element.extent;
  for (const std::size_t i : outwards(dimensions, arguments.integer())) {
    const std::size_t length = block_length(distributions[i], lengths[i], sizes[i], grid[i]);
    part = dealt(part, stride, sizes[i], length, grid[i], coordinates[i]);
    stride *= static_cast<MPI_Count>(sizes[i]);
  }
  return part;
}

// Whether elements of a predefined type arrive as the bytes that were sent: MPICH may move long doubles
// without their padding.
bool keeps_bytes(MPI_Datatype type) {
  static const std::array padded{MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
                                 MPI_LONG_DOUBLE_INT};
  return std::ranges::count(padded, type) == 0;
}

// Adds to `bytes` the sizes of the basic elements of `count` elements of the type until there are `enough`;
// false if one of them does not keep its bytes.
bool pass(MPI_Datatype type, std::size_t count, std::size_t enough, std::size_t& bytes) {
  const std::size_t size = size_of(type);
  if (size == 0 || count == 0) return true;
  if (predefined(type)) {
    bytes += std::min(count, (enough - bytes + size - 1) / size) * size;
    return keeps_bytes(type);
  }
  const Envelope envelope(type);
  Arguments arguments(type, envelope);
  const auto lengths = envelope.combiner == MPI_COMBINER_STRUCT
                           ? arguments.counts(arguments.count())
                           : std::vector{size / size_of(arguments.type())};
  for (std::size_t element = 0; element < count; ++element) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (bytes >= enough) return true;
      if (!pass(arguments.type(i), lengths[i], enough, bytes)) return false;
    }
  }
  return true;
}

} // namespace

Bounds bounds(MPI_Datatype type) {
  Bounds result;
  check(PMPI_Type_get_extent_c(type, &result.lower, &result.extent));
  return result;
}

bool predefined(MPI_Datatype type) {
  switch (Envelope(type).combiner) {
  case MPI_COMBINER_NAMED:
  case MPI_COMBINER_F90_REAL:
  case MPI_COMBINER_F90_COMPLEX:
  case MPI_COMBINER_F90_INTEGER:
    return true;
  default:
    return false;
  }
}

Placed decode(MPI_Datatype type) {
  if (predefined(type)) return decode_predefined(type);
  const Envelope envelope(type);
  Arguments arguments(type, envelope);
  switch (envelope.combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    return decode(arguments.type());
  case MPI_COMBINER_CONTIGUOUS:
    return Element(arguments.type()).repeated(arguments.count());
  case MPI_COMBINER_VECTOR:
    return decode_vector(arguments, false);
  case MPI_COMBINER_HVECTOR:
    return decode_vector(arguments, true);
  case MPI_COMBINER_INDEXED:
    return decode_indexed(arguments, false, false);
  case MPI_COMBINER_HINDEXED:
    return decode_indexed(arguments, false, true);
  case MPI_COMBINER_INDEXED_BLOCK:
    return decode_indexed(arguments, true, false);
  case MPI_COMBINER_HINDEXED_BLOCK:
    return decode_indexed(arguments, true, true);
  case MPI_COMBINER_STRUCT:
    return decode_struct(arguments);
  case MPI_COMBINER_SUBARRAY:
    return decode_subarray(arguments);
  case MPI_COMBINER_DARRAY:
    return decode_darray(arguments);
  default:
    throw Undecodable("the datatype's constructor is not supported");
  }
}

std::size_t head(MPI_Datatype type, std::size_t least) {
  std::size_t bytes = 0;
  return pass(type, least, least, bytes) ? bytes : 0;
}

} // namespace helper::layout

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/decode.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <list>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "layout/contents.hpp"
#include "native/large_counts.hpp"

namespace helper::layout {

namespace {

std::size_t size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  check(PMPI_Type_size_c(type, &bytes));
  return static_cast<std::size_t>(bytes);
}

// Returns whether elements of a type arrive with exactly the bytes sent: quirk padding_may_be_lost.
bool keeps_bytes(MPI_Datatype type) {
  static const std::array padded{MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
                                 MPI_LONG_DOUBLE_INT};
  return std::ranges::count(padded, type) == 0;
}

Decoded decode_extent(MPI_Datatype type) {
  Decoded decoded{};
  MPI_Count lower_bound = 0;
  check(PMPI_Type_get_extent_c(type, &lower_bound, &decoded.extent));
  return decoded;
}

// The constants of array orders and distributions as MPI returns them in a type's arguments. They may differ
// from the constants that MPI accepts: quirk own_array_constants.
struct ArrayConstants {
  ArrayConstants() {
    const std::array<int, 2> sizes{1, 1};
    const std::array<int, 2> distributions{MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
    const std::array<int, 2> arguments{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_darray(1, 0, 2, sizes.data(), distributions.data(), arguments.data(), sizes.data(),
                                  MPI_ORDER_C, MPI_BYTE, &type));
    const std::vector<int> told = Contents(type).integers(12);
    PMPI_Type_free(&type);
    none = told[5];
    cyclic = told[6];
    default_argument = told[7];
    order_c = told[11];
  }

  int none, cyclic, default_argument, order_c;
};

const ArrayConstants& array_constants() {
  static const ArrayConstants constants;
  return constants;
}

// Returns the dimensions of an array, starting with the one whose elements are adjacent.
std::vector<std::size_t> outwards(std::size_t dimensions, int order) {
  std::vector<std::size_t> list(dimensions);
  std::iota(list.begin(), list.end(), std::size_t{0});
  if (order == array_constants().order_c) std::ranges::reverse(list);
  return list;
}

// Returns the block length of a distribution: how many adjacent elements of a dimension a process gets.
std::size_t block_length(int distribution, int argument, std::size_t size, std::size_t processes) {
  const ArrayConstants& constants = array_constants();
  if (distribution == constants.none) return size;
  if (argument != constants.default_argument) return static_cast<std::size_t>(argument);
  return distribution == constants.cyclic ? 1 : (size + processes - 1) / processes;
}

// Decodes a type and the types that it was made of, from the inside out, each handle once. An explicit stack
// is used, because types may be nested more deeply than the thread's stack allows.
class Decoder {
public:
  Decoded decode(MPI_Datatype type) {
    visit(type);
    while (!under_way_.empty()) {
      Contents& last = under_way_.back();
      if (const MPI_Datatype* const part = last.next_type()) {
        visit(*part);
        continue;
      }
      decoded_.emplace(last.of(), decode_derived(last));
      last.forget_numbers();
      done_.splice(done_.end(), under_way_, std::prev(under_way_.end()));
    }
    return decoded_.at(type);
  }

private:
  void visit(MPI_Datatype type) {
    // MPI may return a new handle each time it is asked what a type was made of (quirk new_handles_of_types).
    // If each type uses the next inner type twice, the number of handles then doubles with every level.
    constexpr std::size_t most_types = std::size_t{1} << 16;
    if (decoded_.contains(type)) return;
    if (predefined(type))
      decoded_.emplace(type, decode_predefined(type));
    else if (under_way_.size() + done_.size() < most_types)
      under_way_.emplace_back(type);
    else
      throw Undecodable("the datatype is made of too many");
  }

  // The predefined types with gaps are pairs of a value and an int, laid out like a struct.
  Decoded decode_predefined(MPI_Datatype type) {
    Decoded decoded = decode_extent(type);
    const std::size_t bytes = size_of(type);
    decoded.form = run(bytes);
    decoded.head = Head(bytes, keeps_bytes(type));
    if (bytes != 0) decoded.basic = type;
    if (static_cast<MPI_Count>(bytes) == decoded.extent) return decoded;
    const std::size_t value = bytes - sizeof(int);
    const std::size_t index = (value + alignof(int) - 1) / alignof(int) * alignof(int);
    decoded.form =
        forms_.sequence({run(value), shifted(run(sizeof(int)), static_cast<std::ptrdiff_t>(index))});
    return decoded;
  }

  Decoded decode_derived(Contents& contents) {
    Decoded decoded = decode_extent(contents.of());
    if (contents.combiner() == MPI_COMBINER_STRUCT) {
      decoded.form = decode_struct(contents, decoded.head, decoded.basic);
      return decoded;
    }
    decoded.form = form_of(contents);
    const Decoded& element = element_of(contents);
    decoded.basic = element.basic;
    const std::size_t size = element.form.piece.size;
    if (size != 0) decoded.head.add(element.head, decoded.form.piece.size / size);
    return decoded;
  }

  // Returns the form of a type that was made of a single type.
  Placed form_of(Contents& contents) {
    switch (contents.combiner()) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return element_of(contents).form;
    case MPI_COMBINER_CONTIGUOUS:
      return repeated(element_of(contents), contents.count());
    case MPI_COMBINER_VECTOR:
      return decode_vector(contents, false);
    case MPI_COMBINER_HVECTOR:
      return decode_vector(contents, true);
    case MPI_COMBINER_INDEXED:
      return decode_indexed(contents, false, false);
    case MPI_COMBINER_HINDEXED:
      return decode_indexed(contents, false, true);
    case MPI_COMBINER_INDEXED_BLOCK:
      return decode_indexed(contents, true, false);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return decode_indexed(contents, true, true);
    case MPI_COMBINER_SUBARRAY:
      return decode_subarray(contents);
    case MPI_COMBINER_DARRAY:
      return decode_darray(contents);
    default:
      throw Undecodable("the datatype's constructor is not supported");
    }
  }

  Placed decode_vector(Contents& contents, bool stride_in_bytes) {
    const Decoded& element = element_of(contents);
    const std::size_t count = contents.count();
    const std::size_t length = contents.count();
    const MPI_Count stride = stride_in_bytes ? contents.address() : contents.number() * element.extent;
    return forms_.loop(count, stride, repeated(element, length));
  }

  Placed decode_indexed(Contents& contents, bool equal_lengths, bool displacements_in_bytes) {
    const Decoded& element = element_of(contents);
    const std::size_t count = contents.count();
    const std::vector<std::size_t> lengths = contents.counts(equal_lengths ? 1 : count);
    Placed block;
    if (equal_lengths) block = repeated(element, lengths.front());
    std::vector<Placed> blocks;
    blocks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!equal_lengths && (i == 0 || lengths[i] != lengths[i - 1])) block = repeated(element, lengths[i]);
      const MPI_Count displacement =
          displacements_in_bytes ? contents.address() : contents.number() * element.extent;
      blocks.push_back(shifted(block, displacement));
    }
    return forms_.sequence(std::move(blocks));
  }

  Placed decode_struct(Contents& contents, Head& head, MPI_Datatype& basic) {
    const std::size_t count = contents.count();
    bool is_first = true;
    const std::vector<std::size_t> lengths = contents.counts(count);
    std::vector<Placed> blocks;
    blocks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Decoded& element = element_of(contents, i);
      head.add(element.head, lengths[i]);
      if (lengths[i] != 0 && element.form.piece.size != 0)
        basic = std::exchange(is_first, false) || basic == element.basic ? element.basic : MPI_DATATYPE_NULL;
      blocks.push_back(shifted(repeated(element, lengths[i]), contents.address()));
    }
    return forms_.sequence(std::move(blocks));
  }

  Placed decode_subarray(Contents& contents) {
    const Decoded& element = element_of(contents);
    const auto dimensions = static_cast<std::size_t>(contents.integer());
    const std::vector<std::size_t> sizes = contents.counts(dimensions);
    const std::vector<std::size_t> subsizes = contents.counts(dimensions);
    const std::vector<std::size_t> starts = contents.counts(dimensions);
    Placed block = element.form;
    MPI_Count stride = element.extent;
    for (const std::size_t i : outwards(dimensions, contents.integer())) {
      block = shifted(forms_.loop(subsizes[i], stride, block), static_cast<MPI_Count>(starts[i]) * stride);
      stride *= static_cast<MPI_Count>(sizes[i]);
    }
    return block;
  }

  Placed decode_darray(Contents& contents) {
    const Decoded& element = element_of(contents);
    contents.integer(); // the number of all processes
    auto rank = static_cast<std::size_t>(contents.integer());
    const auto dimensions = static_cast<std::size_t>(contents.integer());
    const std::vector<std::size_t> sizes = contents.counts(dimensions);
    const std::vector<int> distributions = contents.integers(dimensions);
    const std::vector<int> lengths = contents.integers(dimensions);
    const std::vector<int> processes = contents.integers(dimensions);
    const std::vector<std::size_t> grid(processes.begin(), processes.end());
    std::vector<std::size_t> coordinates(dimensions); // in row-major order, whatever the order of the array
    for (std::size_t i = dimensions; i-- > 0; rank /= grid[i]) coordinates[i] = rank % grid[i];
    Placed part = element.form;
    MPI_Count stride = element.extent;
    for (const std::size_t i : outwards(dimensions, contents.integer())) {
      const std::size_t length = block_length(distributions[i], lengths[i], sizes[i], grid[i]);
      part = dealt(part, stride, sizes[i], length, grid[i], coordinates[i]);
      stride *= static_cast<MPI_Count>(sizes[i]);
    }
    return part;
  }

  // Returns the form of the elements of a dimension that process `coordinate` gets, if blocks are dealt
  // cyclically.
  Placed dealt(const Placed& element, MPI_Count stride, std::size_t size, std::size_t block,
               std::size_t processes, std::size_t coordinate) {
    const std::size_t first = coordinate * block;
    if (first >= size) return {};
    const std::size_t round = processes * block;
    const std::size_t whole = (size - first + round - block) / round;
    const std::size_t last = first + whole * round;
    const Placed blocks =
        forms_.loop(whole, static_cast<MPI_Count>(round) * stride, forms_.loop(block, stride, element));
    const Placed rest = forms_.loop(last < size ? size - last : 0, stride, element);
    return forms_.sequence({shifted(blocks, static_cast<MPI_Count>(first) * stride),
                            shifted(rest, static_cast<MPI_Count>(last) * stride)});
  }

  const Decoded& element_of(const Contents& contents, std::size_t i = 0) const {
    return decoded_.at(contents.types()[i]);
  }
  Placed repeated(const Decoded& element, std::size_t n) {
    return forms_.loop(n, element.extent, element.form);
  }

  Forms forms_;
  std::unordered_map<MPI_Datatype, Decoded> decoded_;
  std::list<Contents> under_way_; // each is of a type that was used to make the previous type
  std::list<Contents> done_;      // keep the types alive whose handles are in decoded_
};

} // namespace

bool predefined(MPI_Datatype type) {
  const Envelope envelope(type);
  check(envelope.code);
  return !envelope.has_constructor();
}

Decoded decode(MPI_Datatype type) {
  return Decoder().decode(type);
}

Head::Head(std::size_t size, bool keeps_bytes)
    : sizes_(size == 0 ? 0 : 1, static_cast<std::uint8_t>(size)), bytes_(size),
      keeps_bytes_(keeps_bytes || size == 0) {}

void Head::add(const Head& next, std::size_t count) {
  if (next.sizes_.empty()) return;
  for (; count != 0 && !is_known(); --count) {
    for (std::size_t i = 0; i < next.sizes_.size() && !is_known(); ++i) {
      sizes_.push_back(next.sizes_[i]);
      bytes_ += next.sizes_[i];
      keeps_bytes_ = next.keeps_bytes_ || i + 1 != next.sizes_.size();
    }
  }
}

} // namespace helper::layout

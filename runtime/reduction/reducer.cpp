// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "reduction/reducer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "lifetime/of_thread.hpp"
#include "lifetime/thread_block.hpp"
#include "native/large_counts.hpp"
#include "ranks/arguments.hpp"
#include "ranks/communicator.hpp"
#include "ranks/mpi_error.hpp"

namespace helper::reduction {

namespace {

constexpr std::size_t alignment = 64;

// Helpers convert this many bytes of each operand at a time.
constexpr std::size_t batch_bytes = 8192;

/// Returns the offset in aligned memory that the address of the first element gets. Bytes of an element may
/// precede or follow its address. The offset is a multiple of `alignment`, and the first byte of all elements
/// is among the first `alignment` bytes of the memory.
MPI_Aint place_of_first(const Bounds& all) {
  return -(all.lowest & -static_cast<MPI_Aint>(alignment));
}

std::size_t stride_of(const Bounds& bounds) {
  return static_cast<std::size_t>(std::max<MPI_Aint>(std::abs(bounds.extent), 1));
}

/// Returns the first aligned byte.
std::byte* aligned(std::vector<std::byte>& memory) {
  return memory.data() + (-reinterpret_cast<std::uintptr_t>(memory.data()) & (alignment - 1));
}

} // namespace

std::optional<Reducer> Reducer::of(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return std::nullopt;
  // The last pair that was looked up. Operations and types with a kernel are predefined and never freed, so
  // the next small operation with the same pair needs no lookup.
  auto* const last = lifetime::of_thread<std::optional<Reducer>>();
  if (last != nullptr && *last && (*last)->op_ == op && (*last)->type_ == type) return *last;
  auto kernel = find(op, type);
  if (!kernel && (is_predefined(op) || !ranks::valid_operation(op, type))) return std::nullopt;
  const Reducer reducer(op, type, kernel);
  if (reducer.element() == 0 || reducer.element() > std::numeric_limits<int>::max()) return std::nullopt;
  if (kernel && last != nullptr) *last = reducer;
  return reducer;
}

Reducer::Reducer(MPI_Op op, MPI_Datatype type, std::optional<Kernel> kernel)
    : op_(op), type_(type), kernel_(kernel) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  element_ = static_cast<std::size_t>(size);
  if (!kernel_) {
    int commutes = 0;
    PMPI_Op_commutative(op, &commutes);
    commutes_ = commutes != 0;
  }
  plain_ = kernel_ && kernel_->element_size == element_;
  if (plain_) return;
  layout_ = layout::Layout::of(type);
  bounds_ = Bounds::of(type);
  const bool is_small = element_ <= batch_bytes && bounds_.span <= MPI_Aint{batch_bytes - alignment};
  if (!kernel_ && layout_ != nullptr && is_small) function_ = UserFunction::of(op);
}

void Reducer::reduce(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                     std::byte* out) const {
  if (plain_) {
    reduce_plain(operands, begin, end, out);
  } else if (kernel_) {
    reduce_gappy(operands, begin, end, out);
  } else if (function_) {
    reduce_by_function(operands, begin, end, out);
  } else {
    reduce_by_mpi(operands, begin, end, out);
  }
}

void Reducer::reduce_plain(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                           std::byte* out) const noexcept {
  // A partial result stays in the first-level cache. `out`, which may be an operand, is written last.
  std::optional<lifetime::ThreadBlock<8192>> partial;
  if (operands.size() > 2) partial.emplace();
  const std::size_t piece = operands.size() <= 2 ? end - begin : partial->size() / element_;
  for (std::size_t first = begin; first < end; first += piece) {
    const std::size_t count = std::min(piece, end - first);
    const std::size_t offset = first * element_;
    const std::byte* lower = operands[0] + offset;
    for (std::size_t rank = 1; rank < operands.size(); ++rank) {
      std::byte* const result = rank + 1 == operands.size() ? out + offset : partial->data();
      kernel_->combine(lower, operands[rank] + offset, result, count);
      lower = result;
    }
  }
}

// NOLINTNEXTLINE(bugprone-exception-escape): see reducer.hpp
void Reducer::reduce_gappy(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                           std::byte* out) const noexcept {
  lifetime::ThreadBlock<4096> lower;
  lifetime::ThreadBlock<4096> upper;
  reduce_in_batches(operands, begin, end, out, lower.data(), upper.data(),
                    lower.size() / kernel_->element_size,
                    [this](const std::byte* in, std::byte* inout, std::size_t count) {
                      kernel_->combine(in, inout, inout, count);
                    });
}

// NOLINTNEXTLINE(bugprone-exception-escape): see reducer.hpp
void Reducer::reduce_by_function(std::span<const std::byte* const> operands, std::size_t begin,
                                 std::size_t end, std::byte* out) const noexcept {
  lifetime::ThreadBlock<batch_bytes> lower;
  lifetime::ThreadBlock<batch_bytes> upper;
  const std::size_t room = batch_bytes - alignment - static_cast<std::size_t>(bounds_.span);
  const std::size_t elements = room / stride_of(bounds_) + 1;
  const MPI_Aint first = place_of_first(bounds_.repeated(elements));
  reduce_in_batches(operands, begin, end, out, lower.data() + first, upper.data() + first, elements,
                    [this](const std::byte* in, std::byte* inout, std::size_t count) {
                      (*function_)(in, inout, count, type_);
                    });
}

void Reducer::reduce_by_mpi(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                            std::byte* out) const {
  if (begin == end) return;
  const std::size_t elements = std::clamp<std::size_t>(16384 / stride_of(bounds_), 1, end - begin);
  const Bounds all = bounds_.repeated(elements);
  const MPI_Aint first = place_of_first(all);
  const std::size_t bytes = static_cast<std::size_t>(all.lowest + first + all.span) + alignment;
  std::vector<std::byte> lower(bytes), upper(bytes);
  reduce_in_batches(operands, begin, end, out, aligned(lower) + first, aligned(upper) + first, elements,
                    [this](const std::byte* in, std::byte* inout, std::size_t count) {
                      ranks::check(PMPI_Reduce_local(in, inout, static_cast<int>(count), type_, op_));
                    });
}

/// Runs `combine(in, inout, count)` on up to `elements` elements at a time, unpacked to `lower` and `upper`.
template <class Combine>
void Reducer::reduce_in_batches(std::span<const std::byte* const> operands, std::size_t begin,
                                std::size_t end, std::byte* out, std::byte* lower, std::byte* upper,
                                std::size_t elements, const Combine& combine) const {
  for (std::size_t first = begin; first < end; first += elements) {
    const std::size_t count = std::min(elements, end - first);
    const std::size_t from = first * element_;
    unpack(operands[0] + from, count, lower);
    for (const std::byte* const operand : operands.subspan(1)) {
      unpack(operand + from, count, upper);
      combine(lower, upper, count);
      std::swap(lower, upper);
    }
    pack(lower, count, out + from);
  }
}

void Reducer::unpack(const std::byte* packed, std::size_t count, std::byte* base) const {
  const std::size_t bytes = count * element_;
  if (layout_ != nullptr) {
    layout::unpack(*layout_, base, 0, bytes, packed);
    return;
  }
  MPI_Count position = 0;
  ranks::check(PMPI_Unpack_c(packed, static_cast<MPI_Count>(bytes), &position, base,
                             static_cast<MPI_Count>(count), type_, ranks::own()));
}

void Reducer::pack(const std::byte* base, std::size_t count, std::byte* packed) const {
  const std::size_t bytes = count * element_;
  if (layout_ != nullptr) {
    layout::pack(*layout_, base, 0, bytes, packed);
    return;
  }
  MPI_Count position = 0;
  ranks::check(PMPI_Pack_c(base, static_cast<MPI_Count>(count), type_, packed, static_cast<MPI_Count>(bytes),
                           &position, ranks::own()));
}

} // namespace helper::reduction

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "reduction/reducer.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "native/large_counts.hpp"
#include "transport/arguments.hpp"
#include "transport/communicator.hpp"
#include "transport/mpi_error.hpp"

namespace helper::reduction {

namespace {

bool is_predefined(MPI_Op op) {
  static const std::array predefined{MPI_MAX,    MPI_MIN,    MPI_SUM,     MPI_PROD, MPI_LAND,
                                     MPI_BAND,   MPI_LOR,    MPI_BOR,     MPI_LXOR, MPI_BXOR,
                                     MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  return std::ranges::find(predefined, op) != predefined.end();
}

constexpr std::size_t alignment = 64;

struct AlignedDelete {
  void operator()(std::byte* memory) const noexcept {
    ::operator delete[](memory, std::align_val_t{alignment});
  }
};

/// This is memory for elements in the user's representation. `base` is the address of the first, aligned
/// whatever its bounds.
struct Scratch {
  Scratch(std::size_t elements, MPI_Aint lowest, MPI_Aint extent, MPI_Aint span) {
    const MPI_Aint last = static_cast<MPI_Aint>(elements - 1) * extent;
    const MPI_Aint low = lowest + std::min<MPI_Aint>(last, 0);
    const MPI_Aint aligned_low = low & -static_cast<MPI_Aint>(alignment);
    const auto bytes = static_cast<std::size_t>(low - aligned_low + span + std::abs(last));
    memory.reset(new (std::align_val_t{alignment}) std::byte[bytes]{});
    base = memory.get() - aligned_low;
  }

  std::unique_ptr<std::byte[], AlignedDelete> memory;
  std::byte* base;
};

} // namespace

std::optional<Reducer> Reducer::of(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return std::nullopt;
  // Operations and types with a kernel are predefined, for good: the next small operation of the same need
  // not look them up.
  struct Cached {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::optional<Reducer> reducer;
  };
  static thread_local Cached last;
  if (last.op == op && last.type == type) return last.reducer;
  auto kernel = find(op, type);
  if (!kernel && (is_predefined(op) || !transport::valid_operation(op, type))) return std::nullopt;
  const Reducer reducer(op, type, kernel);
  if (reducer.element() == 0 || reducer.element() > std::numeric_limits<int>::max()) return std::nullopt;
  if (kernel) last = {op, type, reducer};
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
  // User-defined functions may touch whole elements, so the bounds that the type claims count as well as its
  // data's.
  MPI_Aint lower_bound = 0;
  MPI_Aint true_lower_bound = 0;
  MPI_Aint true_extent = 0;
  PMPI_Type_get_extent(type, &lower_bound, &extent_);
  PMPI_Type_get_true_extent(type, &true_lower_bound, &true_extent);
  lowest_ = std::min(lower_bound, true_lower_bound);
  span_ = std::max(lower_bound + extent_, true_lower_bound + true_extent) - lowest_;
}

void Reducer::reduce(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                     std::byte* out) const {
  if (plain_) {
    reduce_plain(operands, begin, end, out);
  } else if (kernel_) {
    reduce_gappy(operands, begin, end, out);
  } else {
    reduce_by_function(operands, begin, end, out);
  }
}

void Reducer::reduce_plain(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                           std::byte* out) const noexcept {
  // The partial result of more than two operands stays in the first-level cache; `out`, which may be an
  // operand, is written last.
  alignas(alignment) std::array<std::byte, 8192> partial;
  const std::size_t piece = operands.size() == 2 ? end - begin : partial.size() / element_;
  for (std::size_t first = begin; first < end; first += piece) {
    const std::size_t count = std::min(piece, end - first);
    const std::size_t offset = first * element_;
    const std::byte* lower = operands[0] + offset;
    for (std::size_t rank = 1; rank < operands.size(); ++rank) {
      std::byte* const result = rank + 1 == operands.size() ? out + offset : partial.data();
      kernel_->combine(lower, operands[rank] + offset, result, count);
      lower = result;
    }
  }
}

void Reducer::reduce_gappy(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                           std::byte* out) const noexcept {
  alignas(alignment) std::array<std::byte, 4096> lower;
  alignas(alignment) std::array<std::byte, lower.size()> upper;
  const std::size_t batch = lower.size() / kernel_->element_size;
  for (std::size_t first = begin; first < end; first += batch) {
    const std::size_t count = std::min(batch, end - first);
    const std::size_t from = first * element_;
    layout::unpack(*layout_, lower.data(), 0, count * element_, operands[0] + from);
    for (const std::byte* const operand : operands.subspan(1)) {
      layout::unpack(*layout_, upper.data(), 0, count * element_, operand + from);
      kernel_->combine(lower.data(), upper.data(), lower.data(), count);
    }
    layout::pack(*layout_, lower.data(), 0, count * element_, out + from);
  }
}

void Reducer::reduce_by_function(std::span<const std::byte* const> operands, std::size_t begin,
                                 std::size_t end, std::byte* out) const {
  if (begin == end) return;
  const auto stride = static_cast<std::size_t>(std::max<MPI_Aint>(std::abs(extent_), 1));
  const std::size_t batch = std::clamp<std::size_t>(16384 / stride, 1, end - begin);
  Scratch lower(batch, lowest_, extent_, span_);
  Scratch upper(batch, lowest_, extent_, span_);
  for (std::size_t first = begin; first < end; first += batch) {
    const std::size_t count = std::min(batch, end - first);
    const std::size_t from = first * element_;
    unpack(operands[0] + from, count, lower.base);
    for (const std::byte* const operand : operands.subspan(1)) {
      unpack(operand + from, count, upper.base);
      transport::check(PMPI_Reduce_local(lower.base, upper.base, static_cast<int>(count), type_, op_));
      std::swap(lower, upper);
    }
    pack(lower.base, count, out + from);
  }
}

void Reducer::unpack(const std::byte* packed, std::size_t count, std::byte* base) const {
  const std::size_t bytes = count * element_;
  if (layout_ != nullptr) {
    layout::unpack(*layout_, base, 0, bytes, packed);
    return;
  }
  MPI_Count position = 0;
  transport::check(PMPI_Unpack_c(packed, static_cast<MPI_Count>(bytes), &position, base,
                                 static_cast<MPI_Count>(count), type_, transport::own()));
}

void Reducer::pack(const std::byte* base, std::size_t count, std::byte* packed) const {
  const std::size_t bytes = count * element_;
  if (layout_ != nullptr) {
    layout::pack(*layout_, base, 0, bytes, packed);
    return;
  }
  MPI_Count position = 0;
  transport::check(PMPI_Pack_c(base, static_cast<MPI_Count>(count), type_, packed,
                               static_cast<MPI_Count>(bytes), &position, transport::own()));
}

} // namespace helper::reduction

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "layout/layout.hpp"
#include "lifetime/thread_block.hpp"
#include "reduction/bounds.hpp"
#include "reduction/kernel.hpp"
#include "reduction/user_function.hpp"

namespace helper::reduction {

/// Combines the contributions of several ranks, given as packed elements, in rank order: ((x0 op x1) op x2) …
/// The order never depends on team, timing or layout, so the result always has the same bits.
class Reducer {
public:
  /// Returns a reducer for elements of `type`. Returns nothing, so that native MPI reduces, for invalid
  /// handles and predefined operations without a kernel for the type (see reduction::find). Likewise if
  /// elements have no data or exceed 2 GiB. Only the thread that called MPI may call it.
  static std::optional<Reducer> of(MPI_Op op, MPI_Datatype type);

  /// Returns a reducer that lets MPI reduce, as if the operation were user-defined.
  static Reducer by_mpi(MPI_Op op, MPI_Datatype type) { return Reducer(op, type, std::nullopt); }

  /// Returns the bytes of a packed element.
  std::size_t element() const noexcept { return element_; }

  /// Returns whether there is a kernel, and elements have no gaps, so that they equal packed elements.
  bool is_plain() const noexcept { return plain_; }

  /// Returns whether the operation has a kernel for the type. All ranks get the same answer.
  bool has_kernel() const noexcept { return kernel_.has_value(); }

  /// Returns whether helpers may reduce: there is a kernel, or UserFunction keeps the operation's function.
  /// Such a function also needs elements that have a layout and are small, including gaps.
  bool helpers_may() const noexcept { return kernel_ || function_; }

  /// Returns whether contributions may be combined in any order, according to the operation's definition.
  bool commutes() const noexcept { return commutes_; }

  /// Reduces elements [begin, end) of two or more packed operands, lowest rank first, into the same elements
  /// of `out`, which may be an operand. If helpers may reduce, any thread may call it, and it never throws.
  /// Otherwise throws MpiError.
  void reduce(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
              std::byte* out) const;

private:
  Reducer(MPI_Op op, MPI_Datatype type, std::optional<Kernel> kernel);

  void reduce_plain(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                    std::byte* out) const noexcept;
  // NOLINTNEXTLINE(bugprone-exception-escape): types with a layout are converted without MPI
  void reduce_gappy(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                    std::byte* out) const noexcept;
  // NOLINTNEXTLINE(bugprone-exception-escape): likewise
  void reduce_by_function(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                          std::byte* out) const noexcept;
  void reduce_by_mpi(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                     std::byte* out) const;
  template <class Combine>
  void reduce_in_batches(std::span<const std::byte* const> operands, std::size_t begin, std::size_t end,
                         std::byte* out, std::byte* lower, std::byte* upper, std::size_t elements,
                         const Combine& combine) const;
  // Convert between packed and unpacked elements. If the type has no layout, MPI converts.
  void unpack(const std::byte* packed, std::size_t count, std::byte* base) const;
  void pack(const std::byte* base, std::size_t count, std::byte* packed) const;

  MPI_Op op_;
  MPI_Datatype type_;
  std::optional<Kernel> kernel_;
  std::optional<UserFunction> function_; // if helpers may call it
  std::shared_ptr<const layout::Layout> layout_;
  bool commutes_ = true;
  bool plain_ = false;
  std::size_t element_ = 0;
  Bounds bounds_;
};

/// If helpers_may(), reduces elements [begin, end) like Reducer::reduce(), in pieces that stay in the
/// first-level cache. Writes each piece to `out`, which may be the first operand, or to temporary memory if
/// `out` is nullptr. Then calls `store(piece, at, bytes)`: the piece begins at byte `at` of the operands.
template <class Store>
// NOLINTNEXTLINE(bugprone-exception-escape): reduce() does not throw where helpers may reduce
void reduce_in_pieces(const Reducer& reducer, std::span<const std::byte* const> operands, std::size_t begin,
                      std::size_t end, std::byte* out, const Store& store) noexcept {
  constexpr std::size_t bytes = 8192; // at least one element: elements that helpers may reduce are small
  std::optional<lifetime::ThreadBlock<bytes>> own;
  if (out == nullptr) own.emplace();
  const std::size_t element = reducer.element();
  const std::size_t most = bytes / element;
  for (std::size_t first = begin; first < end; first += most) {
    const std::size_t count = std::min(most, end - first);
    const std::size_t at = first * element;
    std::byte* const piece = out != nullptr ? out + at : own->data();
    std::array pair{operands[0] + at, static_cast<const std::byte*>(nullptr)};
    for (std::size_t rank = 1; rank < operands.size(); ++rank) {
      pair[1] = operands[rank] + at;
      reducer.reduce(pair, 0, count, piece);
      pair[0] = piece;
    }
    store(piece, at, count * element);
  }
}

} // namespace helper::reduction

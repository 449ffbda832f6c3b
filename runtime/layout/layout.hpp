// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "device/device.hpp"
#include "layout/decode.hpp"
#include "layout/form.hpp"

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace helper::layout {

/// Functions of the program that copy bytes [offset, offset + length) of the packed stream of elements. They
/// do not throw. Threads call them on disjoint ranges. They get the `buffer` of the MPI call and `data`.
struct Functions {
  void (*pack)(const void* buffer, MPI_Count offset, MPI_Count length, void* target, void* data);
  void (*unpack)(void* buffer, MPI_Count offset, MPI_Count length, const void* source, void* data);
  void* data;
};

/// A datatype decoded once. Any thread may read it, also after the datatype has been freed.
class Layout : public std::enable_shared_from_this<Layout> {
public:
  /// Returns the layout of a committed or predefined type, decoded by the first call and kept until MPI frees
  /// the type. Returns null for MPI_DATATYPE_NULL, and for types that decode() rejects, such as types nested
  /// too deeply. Only the thread that called MPI may call it.
  static std::shared_ptr<const Layout> of(MPI_Datatype type);

  /// Returns of(type) for elements at the MPI buffer address `base`. Returns null as well if the elements are
  /// or may be in the memory of a GPU, which the CPU must not touch.
  static std::shared_ptr<const Layout> of(MPI_Datatype type, const void* base) {
    auto layout = of(type);
    if (device::is_possible() && layout != nullptr && layout->is_on_device(base)) layout.reset();
    return layout;
  }

  /// Makes a datatype of `bytes` bytes that the functions pack and unpack. It is never committed, so each MPI
  /// function that gets it returns an error. Returns MPI's code. Throws std::bad_alloc.
  static int make_type(MPI_Count bytes, const Functions& functions, MPI_Datatype* type);

  /// Returns the layout if the calling thread called of() last for this type, the type is not predefined, and
  /// it has not been freed since. Otherwise returns nullptr.
  static const Layout* last(MPI_Datatype type) noexcept;

  /// Keeps the layout alive until release() was called as often as keep(). One thread at a time calls these.
  void keep() const noexcept {
    if (keepers_++ == 0) kept_ = shared_from_this();
  }
  void release() const noexcept {
    if (--keepers_ == 0) const auto last = std::move(kept_);
  }

  /// Returns the bytes of data of one element.
  std::size_t size() const { return size_; }

  /// Returns whether any number of elements is one contiguous run of bytes in packed order.
  bool contiguous() const { return !functions_ && is_run(elements_.piece); }

  /// Returns the functions that pack and unpack the elements; nothing if elements() describes them.
  const std::optional<Functions>& functions() const { return functions_; }

  /// Returns the mean length in bytes of a contiguous run.
  std::size_t mean_run() const { return mean_run_; }

  /// Returns the smallest number of bytes, at least `least_head`, after which a basic element ends in the
  /// packed stream. Returns 0 without data, or if a basic element up to there may arrive with other bytes.
  std::size_t head() const { return head_; }
  static constexpr std::size_t least_head = Head::enough;

  /// Returns whether two of the first `most_head` bytes of the packed stream have the same address.
  bool head_overlaps() const { return head_overlaps_; }
  static constexpr std::size_t most_head = 96;

  /// Returns the predefined type of all data; MPI_DATATYPE_NULL if there are several.
  MPI_Datatype basic() const { return basic_; }

  /// Returns the offset of the first byte of the packed stream, relative to the buffer's address.
  std::ptrdiff_t first_byte() const { return elements_.offset; }

  /// Returns the canonical form of an endless sequence of elements.
  const Placed& elements() const { return elements_; }

private:
  explicit Layout(MPI_Datatype type);
  Layout(MPI_Count bytes, const Functions& functions);
  static std::pair<std::shared_ptr<const Layout>, bool> look_up(MPI_Datatype type);
  bool is_on_device(const void* base) const noexcept;

  std::size_t size_ = 0;
  std::size_t mean_run_ = 0;
  std::size_t head_ = 0;
  bool head_overlaps_ = false;
  MPI_Datatype basic_ = MPI_DATATYPE_NULL;
  Placed elements_;
  mutable std::size_t keepers_ = 0;
  mutable std::shared_ptr<const Layout> kept_; // this object, while it has keepers
  std::optional<Functions> functions_;
};

namespace detail {
// Whether Layout::make_type() has made any type. Once true it stays true. Relaxed: a thread that has such a
// type has synchronised with the thread that made the type.
inline constinit std::atomic<bool> any_functions{false};
bool find_functions(MPI_Datatype type);
} // namespace detail

/// Returns whether Layout::make_type() has made any type.
inline bool any_functions() noexcept {
  return detail::any_functions.load(std::memory_order_relaxed);
}

/// Returns whether Layout::make_type() has made this type. If it has made no type, this costs a single test.
inline bool has_functions(MPI_Datatype type) {
  return any_functions() && detail::find_functions(type);
}

/// Does what PMPI_Type_free does, for a type that may have a layout.
int free_type(MPI_Datatype* type);

/// Packs bytes [begin, end), anywhere in the packed stream of the elements at `base`, into `packed`. `base`
/// may be MPI_BOTTOM. Any thread may call it, on disjoint ranges at the same time.
void pack(const Layout& layout, const void* base, std::size_t begin, std::size_t end, void* packed) noexcept;

/// Unpacks `packed` into bytes [begin, end) of the packed stream of the elements at `base`, and touches no
/// other bytes. Any thread may call it, on disjoint ranges at the same time.
void unpack(const Layout& layout, void* base, std::size_t begin, std::size_t end,
            const void* packed) noexcept;

} // namespace helper::layout

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "message/receive_buffer.hpp"

#include <algorithm>
#include <utility>

#include "layout/decode.hpp"

namespace helper::message {

std::shared_ptr<const MPI_Datatype> duplicate(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || layout::predefined(type))
    return std::make_shared<const MPI_Datatype>(type);
  auto made = std::make_unique<MPI_Datatype>(MPI_DATATYPE_NULL);
  PMPI_Type_contiguous(1, type, made.get()); // MPI_Type_dup would call the user's copy functions
  PMPI_Type_commit(made.get());
  return {made.release(), [](const MPI_Datatype* kept) {
            MPI_Datatype freed = *kept;
            delete kept;
            if (freed != MPI_DATATYPE_NULL) layout::free_type(&freed);
          }};
}

ReceiveBuffer::ReceiveBuffer(void* base, MPI_Count count, MPI_Datatype type) : PackedData(nullptr, 0) {
  auto layout = layout::Layout::of(type, base);
  const bool lands_elsewhere = layout != nullptr && (layout->head_overlaps() || layout->functions());
  if (layout != nullptr && !lands_elsewhere) {
    static_cast<PackedData&>(*this) = PackedData(base, count, std::move(layout));
    return;
  }
  if (layout != nullptr && layout->functions()) {
    ByMpi other{};
    static_cast<PackedData&>(*this) = PackedData(base, count, std::move(layout));
    other.landing = std::make_unique_for_overwrite<std::byte[]>(size());
    std::fill_n(other.landing.get(), std::min(size(), layout::Layout::most_head), std::byte{0}); // is no RTS
    by_mpi_ = std::make_shared<const ByMpi>(std::move(other));
    return;
  }
  if (type == MPI_DATATYPE_NULL) return; // a type of which MPI has accepted no elements
  MPI_Count element = 0;
  PMPI_Type_size_x(type, &element);
  auto by_mpi = std::make_shared<ByMpi>(ByMpi{base, count, duplicate(type)});
  // The memory is allocated before MPI gets the receive. For large elements hardly any of it is ever used.
  if (element > 0) {
    constexpr MPI_Count enough = layout::Layout::least_head;
    by_mpi->first_elements = std::min(count, (enough + element - 1) / element);
    by_mpi->first_bytes = static_cast<std::size_t>(by_mpi->first_elements * element);
    by_mpi->first = std::make_unique_for_overwrite<std::byte[]>(by_mpi->first_bytes);
  }
  static_cast<PackedData&>(*this) = PackedData(nullptr, static_cast<std::size_t>(count * element));
  if (lands_elsewhere) by_mpi->landing = std::make_unique_for_overwrite<std::byte[]>(size());
  by_mpi_ = std::move(by_mpi);
}

ReceiveBuffer::ReceiveBuffer(const EagerReceive& receive) noexcept
    : PackedData(receive.layout == nullptr
                     ? PackedData(receive.buffer, receive.room())
                     : PackedData(receive.buffer, receive.count, receive.layout->shared_from_this())) {}

ReceiveBuffer ReceiveBuffer::keeping(std::shared_ptr<const void> sent) {
  ReceiveBuffer nothing(nullptr, 0, MPI_DATATYPE_NULL);
  ByMpi keeper{};
  keeper.sent = std::move(sent);
  nothing.by_mpi_ = std::make_shared<const ByMpi>(std::move(keeper));
  return nothing;
}

ranks::Elements ReceiveBuffer::native(const ranks::Elements& wanted) const noexcept {
  if (!lands_elsewhere()) return wanted;
  return {by_mpi_->landing.get(), static_cast<MPI_Count>(size()), MPI_PACKED};
}

int ReceiveBuffer::settle(std::size_t bytes) const noexcept {
  return lands_elsewhere() ? store({by_mpi_->landing.get(), bytes}) : MPI_SUCCESS;
}

int ReceiveBuffer::fetch(std::span<std::byte> packed) const noexcept {
  if (lands_elsewhere()) {
    std::copy_n(by_mpi_->landing.get(), packed.size(), packed.begin());
    return MPI_SUCCESS;
  }
  if (!is_by_mpi()) {
    pack(0, packed.size(), packed.data());
    return MPI_SUCCESS;
  }
  const int code =
      ranks::copy_by_mpi({by_mpi_->base, by_mpi_->first_elements, *by_mpi_->type},
                         {by_mpi_->first.get(), static_cast<MPI_Count>(by_mpi_->first_bytes), MPI_PACKED});
  if (code == MPI_SUCCESS) std::copy_n(by_mpi_->first.get(), packed.size(), packed.begin());
  return code;
}

int ReceiveBuffer::store(std::span<const std::byte> packed) const noexcept {
  packed = packed.first(std::min(packed.size(), size())); // see quirk success_after_error
  if (!is_by_mpi()) return unpack(0, packed.size(), packed.data()), MPI_SUCCESS;
  return ranks::copy_by_mpi(
      {const_cast<std::byte*>(packed.data()), static_cast<MPI_Count>(packed.size()), MPI_PACKED},
      {by_mpi_->base, by_mpi_->count, *by_mpi_->type});
}

} // namespace helper::message

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "workload.hpp"

#include <algorithm>

namespace bench {
namespace {

using helper::layout::Layout;

struct Copy {
  Direction direction;
  const Layout& layout;
  std::byte* buffer;
  std::byte* packed;

  void operator()(std::size_t begin, std::size_t end) const noexcept {
    if (direction == Direction::pack)
      helper::layout::pack(layout, buffer, begin, end, packed + begin);
    else
      helper::layout::unpack(layout, buffer, begin, end, packed + begin);
  }
};

void run_job(void* context, std::size_t begin, std::size_t end) noexcept {
  (*static_cast<const Copy*>(context))(begin, end);
}

/// Bytes that tell their positions apart.
void fill(std::vector<std::byte>& bytes, std::size_t seed) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((i + seed) * 40503 >> 8);
}

} // namespace

Workload::Workload(const TypeFamily& family, std::size_t bytes, helper::team::Member& primary)
    : elements_(family.make(bytes)), layout_(Layout::of(elements_.type())), primary_(primary),
      buffer_(elements_.buffer_bytes()), packed_(elements_.packed_bytes()) {}

void Workload::run(Direction direction, Way way) {
  constexpr std::size_t grain = std::size_t{32} * 1024; // as the pipelines'
  if (way == Way::native) return run_natively(direction);
  Copy copy{direction, *layout_, buffer_.data(), packed_.data()};
  if (way == Way::alone)
    copy(0, bytes());
  else
    primary_.run({run_job, &copy, bytes(), grain});
}

void Workload::run_natively(Direction direction) {
  const auto size = static_cast<int>(bytes());
  int position = 0;
  if (direction == Direction::pack)
    PMPI_Pack(buffer_.data(), elements_.count(), elements_.type(), packed_.data(), size, &position,
              MPI_COMM_SELF);
  else
    PMPI_Unpack(packed_.data(), size, &position, buffer_.data(), elements_.count(), elements_.type(),
                MPI_COMM_SELF);
}

bool Workload::is_right(Way way) {
  fill(packed_, 0);
  const std::vector<std::byte> first = packed_;
  run(Direction::unpack, way);
  run_natively(Direction::pack);
  if (packed_ != first) return false;

  fill(packed_, 1);
  const std::vector<std::byte> second = packed_;
  run_natively(Direction::unpack);
  std::ranges::fill(packed_, std::byte{0});
  run(Direction::pack, way);
  return packed_ == second;
}

} // namespace bench

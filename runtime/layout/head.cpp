// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/head.hpp"

namespace helper::layout {

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

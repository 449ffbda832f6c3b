// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "costs.hpp"

#include "layout/copy_bytes.hpp"

#include <chrono>
#include <cstring>
#include <memory>
#include <new>

namespace bench {
namespace {

constexpr std::size_t bytes = std::size_t{64} << 10;
constexpr std::size_t page = 4096;
constexpr std::size_t of_malloc = 16; ///< where its large buffers begin in their first page
constexpr int copies = 1000;

struct FreePages {
  void operator()(std::byte* pages) const { ::operator delete[](pages, std::align_val_t{page}); }
};

std::unique_ptr<std::byte[], FreePages> pages() {
  return std::unique_ptr<std::byte[], FreePages>(new (std::align_val_t{page}) std::byte[bytes + page]());
}

template <class Copy>
Quantiles time_of(const Copy& copy) {
  using Clock = std::chrono::steady_clock;
  const auto source = pages();
  const auto target = pages();
  std::vector<double> samples;
  for (int i = 0; i < copies; ++i) {
    const auto start = Clock::now();
    copy(target.get() + of_malloc, source.get());
    samples.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return quantiles(samples);
}

} // namespace

Costs copy_costs() {
  return {{"memcpy of 64 KiB from a page's begin to 16 bytes behind one", "us",
           time_of([](std::byte* target, const std::byte* source) { std::memcpy(target, source, bytes); })},
          {"the same as the library copies it", "us", time_of([](std::byte* target, const std::byte* source) {
             helper::layout::copy_bytes(target, source, bytes);
           })}};
}

} // namespace bench

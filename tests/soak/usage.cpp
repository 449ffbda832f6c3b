// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "soak/usage.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

namespace soak {
namespace {

constexpr std::size_t fewest_laps = 36;
constexpr Usage slack{8 * 1024, 2, 16};

Usage most(std::span<const Usage> laps) {
  Usage highest{};
  for (const Usage& usage : laps) {
    highest.resident_kib = std::max(highest.resident_kib, usage.resident_kib);
    highest.descriptors = std::max(highest.descriptors, usage.descriptors);
    highest.maps = std::max(highest.maps, usage.maps);
  }
  return highest;
}

std::string text(const Usage& usage) {
  return fmt::format("{} KiB, {} descriptors, {} maps", usage.resident_kib, usage.descriptors, usage.maps);
}

} // namespace

Usage Usage::now() {
  malloc_trim(0);
  long size = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  const std::filesystem::directory_iterator descriptors("/proc/self/fd");
  std::ifstream maps("/proc/self/maps");
  return {resident * (sysconf(_SC_PAGESIZE) / 1024),
          static_cast<int>(std::distance(begin(descriptors), end(descriptors))) - 1, // not the iterator's
          static_cast<int>(std::count(std::istreambuf_iterator<char>(maps), {}, '\n'))};
}

std::string Growth::complaint() const {
  if (seen_.size() < fewest_laps) return {};
  const std::span all(seen_);
  const std::size_t third = all.size() / 3;
  const Usage before = most(all.subspan(third, third));
  const Usage after = most(all.subspan(2 * third));
  if (after.resident_kib <= before.resident_kib + slack.resident_kib &&
      after.descriptors <= before.descriptors + slack.descriptors && after.maps <= before.maps + slack.maps)
    return {};
  return "grows: " + text(before) + " in the second third of the laps, then " + text(after);
}

std::string Growth::summary() const {
  return seen_.empty() ? "" : text(seen_.front()) + "; at the end " + text(seen_.back());
}

} // namespace soak

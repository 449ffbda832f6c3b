// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "shm/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace helper::shm {

namespace {

constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

/// Returns the number after `key` in a file, or at its start if `key` is empty; nothing if there is none.
std::optional<std::size_t> number(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::size_t value = 0;
  for (std::string word; !key.empty() && word != key;) {
    if (!(file >> word)) return std::nullopt;
  }
  return file >> value ? std::optional(value) : std::nullopt;
}

/// Returns how many bytes one control group's limit leaves. The inactive page cache counts as free.
std::size_t left_by(const std::string& group) {
  const auto limit = number(group + "/memory.max", ""); // the file may also hold the word "max"
  const auto used = number(group + "/memory.current", "");
  if (!limit || !used) return unknown;
  const std::size_t files = number(group + "/memory.stat", "inactive_file").value_or(0);
  const std::size_t needed = *used - std::min(*used, files);
  return *limit - std::min(*limit, needed);
}

/// Returns the path of the process's control group of version 2, "/" for the root; "" if there is none.
std::string own_group(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  const std::string version_2 = "0::";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(version_2)) return line.substr(version_2.size());
  }
  return "";
}

} // namespace

std::size_t free_memory(const std::string& root) {
  constexpr std::size_t kibibyte = 1024;
  const auto available = number(root + "/proc/meminfo", "MemAvailable:");
  std::size_t least = available ? *available * kibibyte : unknown;
  // The limits of a group's ancestors apply to the group too.
  std::string group = own_group(root);
  for (;;) {
    least = std::min(least, left_by(root + "/sys/fs/cgroup" + group));
    if (group.empty()) return least;
    group.erase(group.find_last_of('/'));
  }
}

} // namespace helper::shm

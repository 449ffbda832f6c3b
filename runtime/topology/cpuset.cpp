// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "topology/cpuset.hpp"

#include <hwloc.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace helper::topology {

namespace {

// Functions of hwloc fail only if memory is short.
void check(int result) {
  if (result < 0) throw std::bad_alloc();
}

// Takes an index from the front of `text`. It is at most 65535, since hwloc allocates all smaller bits.
std::optional<unsigned> take_index(std::string_view& text) {
  std::uint16_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return index;
}

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

} // namespace

Cpuset::Cpuset() : bitmap_(hwloc_bitmap_alloc(), hwloc_bitmap_free) {
  if (!bitmap_) throw std::bad_alloc();
}

Cpuset::Cpuset(const Cpuset& other) : bitmap_(hwloc_bitmap_dup(other.bitmap()), hwloc_bitmap_free) {
  if (!bitmap_) throw std::bad_alloc();
}

Cpuset& Cpuset::operator=(Cpuset other) noexcept {
  bitmap_.swap(other.bitmap_);
  return *this;
}

Cpuset Cpuset::of(int pu) {
  Cpuset set;
  check(hwloc_bitmap_set(set.bitmap(), static_cast<unsigned>(pu)));
  return set;
}

// Does not use hwloc_bitmap_list_sscanf, which skips what it does not understand: it reads "0;1" as {1}.
std::optional<Cpuset> Cpuset::parse(std::string_view list) {
  Cpuset set;
  if (list.empty()) return set;
  do {
    const auto first = take_index(list);
    const auto last = take(list, '-') ? take_index(list) : first;
    if (!first || !last || *last < *first) return std::nullopt;
    check(hwloc_bitmap_set_range(set.bitmap(), *first, static_cast<int>(*last)));
  } while (take(list, ','));
  if (!list.empty()) return std::nullopt;
  return set;
}

std::string Cpuset::str() const {
  char* list = nullptr;
  check(hwloc_bitmap_list_asprintf(&list, bitmap()));
  const std::unique_ptr<char, decltype(&std::free)> owner(list, &std::free);
  return list;
}

int Cpuset::size() const noexcept {
  return hwloc_bitmap_weight(bitmap());
}

bool Cpuset::empty() const noexcept {
  return hwloc_bitmap_iszero(bitmap()) != 0;
}

bool Cpuset::includes(const Cpuset& other) const noexcept {
  return hwloc_bitmap_isincluded(other.bitmap(), bitmap()) != 0;
}

std::vector<int> Cpuset::pus() const {
  std::vector<int> pus;
  for (int pu = hwloc_bitmap_first(bitmap()); pu >= 0; pu = hwloc_bitmap_next(bitmap(), pu))
    pus.push_back(pu);
  return pus;
}

Cpuset& Cpuset::operator|=(const Cpuset& other) {
  check(hwloc_bitmap_or(bitmap(), bitmap(), other.bitmap()));
  return *this;
}

Cpuset& Cpuset::operator&=(const Cpuset& other) {
  check(hwloc_bitmap_and(bitmap(), bitmap(), other.bitmap()));
  return *this;
}

Cpuset& Cpuset::operator-=(const Cpuset& other) {
  check(hwloc_bitmap_andnot(bitmap(), bitmap(), other.bitmap()));
  return *this;
}

bool operator==(const Cpuset& a, const Cpuset& b) noexcept {
  return hwloc_bitmap_isequal(a.bitmap(), b.bitmap()) != 0;
}

} // namespace helper::topology

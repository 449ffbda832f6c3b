// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <mpi.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "collective/cases.hpp"

namespace test_support {

/// Returns the ints of message `key`.
inline std::vector<int> contents(int key, int ints) {
  std::vector<int> values(static_cast<std::size_t>(ints));
  auto value = static_cast<std::uint32_t>(key) * 2654435761U;
  for (int& each : values) each = static_cast<int>(value += 0x9e3779b9U);
  return values;
}

/// Memory for `ints` ints of some datatype: the buffer of a message.
class Data {
public:
  Data(Elements elements, int ints)
      : elements_(std::move(elements)), ints_(ints), buffer_(elements_.type, elements_.count) {
    std::ranges::fill(buffer_.bytes, static_cast<unsigned char>(0xa5));
    before_ = buffer_.bytes;
  }
  /// Uses a datatype of a random family, sometimes with absolute addresses.
  Data(Draw& draw, int ints) : Data(draw.of(families()).make(draw, ints), ints) {
    if (draw.upto(3) == 0) make_absolute();
  }

  /// Returns the address to pass to MPI.
  void* address() const { return absolute_.empty() ? relative_address() : MPI_BOTTOM; }
  int count() const { return absolute_.empty() ? elements_.count : 1; }
  MPI_Datatype type() const { return absolute_.empty() ? elements_.type : absolute_.front(); }
  int ints() const { return ints_; }

  /// Stores the ints of message `key`.
  void put(int key) { put(contents(key, ints_)); }
  void put(const std::vector<int>& values) {
    write(values, buffer_);
    before_ = buffer_.bytes;
  }

  /// Returns the ints that are in the buffer.
  std::vector<int> values() { return read(buffer_); }

  /// Restores the initial contents.
  void clear() {
    std::ranges::fill(buffer_.bytes, static_cast<unsigned char>(0xa5));
    before_ = buffer_.bytes;
  }

  /// Returns whether the contents are unchanged since put() or clear().
  bool unchanged() const { return buffer_.bytes == before_; }

  /// Returns whether the first `ints` ints equal message `key`, and all other bytes are unchanged.
  bool holds(int key, int ints) const {
    Buffer expected = buffer_;
    expected.bytes = before_;
    std::vector<int> values = read(expected);
    std::ranges::copy(contents(key, ints), values.begin());
    write(values, expected);
    return buffer_.bytes == expected.bytes;
  }

private:
  void* relative_address() const {
    return const_cast<unsigned char*>(buffer_.bytes.data()) - buffer_.span.begin;
  }

  void make_absolute() {
    MPI_Aint place = 0;
    PMPI_Get_address(relative_address(), &place);
    absolute_.emplace_back(PMPI_Type_create_hindexed, 1, &elements_.count, &place, elements_.type);
  }

  std::vector<int> read(Buffer& from) const {
    std::vector<int> values(static_cast<std::size_t>(ints_));
    int position = 0;
    if (ints_ != 0)
      PMPI_Pack(from.address(), elements_.count, elements_.type, values.data(), 4 * ints_, &position,
                MPI_COMM_SELF);
    return values;
  }

  void write(const std::vector<int>& values, Buffer& to) const {
    int position = 0;
    if (ints_ != 0)
      PMPI_Unpack(values.data(), 4 * ints_, &position, to.address(), elements_.count, elements_.type,
                  MPI_COMM_SELF);
  }

  Elements elements_;
  int ints_;
  Buffer buffer_;
  std::vector<unsigned char> before_;
  std::vector<Type> absolute_; // at most one
};

/// Draws the number of ints in a message: few or none, near a size in bytes at which MPIs change algorithms,
/// up to 30000, or up to `most`.
inline int draw_ints(Draw& draw, int most = 150'000) {
  static constexpr std::array<int, 5> kibibytes{8, 16, 32, 64, 512};
  switch (draw.upto(5)) {
  case 0:
    return draw.upto(16);
  case 1:
  case 2:
    return std::min(most, draw.of(kibibytes) * 256 - 2 + draw.upto(4));
  case 3:
    return draw.upto(most);
  default:
    return draw.upto(std::min(most, 30'000));
  }
}

/// Returns what is wrong in the status of a receive into `data`, or an empty text. The message has `ints`
/// ints.
inline std::string wrong_in(const MPI_Status& status, int source, int tag, const Data& data, int ints) {
  int is_cancelled = -1;
  int count = -1;
  int elements = -1;
  PMPI_Test_cancelled(&status, &is_cancelled);
  PMPI_Get_count(&status, MPI_INT, &count);
  PMPI_Get_elements(&status, data.type(), &elements);
  if (status.MPI_SOURCE != source || status.MPI_TAG != tag || is_cancelled != 0 || count != ints ||
      elements != ints)
    return fmt::format("status: source {} (not {}), tag {} (not {}), cancelled {}, {} and {} ints (not {})",
                       status.MPI_SOURCE, source, status.MPI_TAG, tag, is_cancelled, count, elements, ints);
  if (ints == 0 || ints != data.ints()) return {};
  PMPI_Get_count(&status, data.type(), &count);
  return count == data.count() ? "" : fmt::format("status: {} (not {}) of the type", count, data.count());
}

} // namespace test_support

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "layout/comparison.hpp"

#include "layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace test_support {
namespace {

using helper::layout::Layout;

// Cuts [0, size) into random pieces, many of them small. Calls `act(begin, end)` for each.
template <typename Act>
void in_pieces(Random& random, std::size_t size, Act act) {
  std::vector<std::size_t> cuts = {0, size};
  for (std::size_t i = random.below(12); i > 0; --i) {
    const std::size_t at = random.below(size + 1);
    cuts.push_back(at);
    cuts.push_back(std::min(size, at + random.below(20)));
  }
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 1; i < cuts.size(); ++i) act(cuts[i - 1], cuts[i]);
}

// `count` elements of a type, in a buffer.
class Elements {
public:
  Elements(const Built& built, int count)
      : type_(built.type), count_(count), span_(built.type, count),
        size_(built.size() * static_cast<std::size_t>(count)) {}

  std::size_t buffer_size() const { return span_.size(); }
  std::size_t size() const { return size_; }

  // Returns whether elements overlap. MPI does not define what a receive leaves in a byte it writes twice.
  bool overlap() const {
    std::vector<std::byte> touched(buffer_size());
    unpack(std::vector<std::byte>(size_, std::byte{1}), touched);
    return static_cast<std::size_t>(std::ranges::count(touched, std::byte{1})) != size_;
  }

  std::byte* base(std::vector<std::byte>& buffer) const { return buffer.data() - span_.begin; }

  std::vector<std::byte> pack(std::vector<std::byte>& buffer) const {
    std::vector<std::byte> packed(size_);
    int position = 0;
    PMPI_Pack(base(buffer), count_, type_, packed.data(), static_cast<int>(size_), &position, MPI_COMM_SELF);
    return packed;
  }

  void unpack(const std::vector<std::byte>& packed, std::vector<std::byte>& buffer) const {
    int position = 0;
    PMPI_Unpack(packed.data(), static_cast<int>(size_), &position, base(buffer), count_, type_,
                MPI_COMM_SELF);
  }

  // Returns a type of the same elements of `buffer` at absolute addresses, for MPI_BOTTOM.
  Type absolute(std::vector<std::byte>& buffer) const {
    MPI_Aint address = 0;
    PMPI_Get_address(base(buffer), &address);
    return Type(PMPI_Type_create_hindexed, 1, &count_, &address, type_);
  }

private:
  MPI_Datatype type_;
  int count_;
  Span span_;
  std::size_t size_;
};

std::string compare(Random& random, const Elements& elements, const Built& built) {
  const auto of_type = Layout::of(built.type);
  if (of_type == nullptr) return "no layout";
  if (of_type->size() != built.size()) return "size";
  std::vector<std::byte> user = random.bytes(elements.buffer_size());
  const bool absolute = random.one_in(8);
  const auto layout = absolute ? Layout::of(elements.absolute(user)) : of_type;
  void* base = absolute ? MPI_BOTTOM : elements.base(user);

  const std::vector<std::byte> expected = elements.pack(user);
  std::vector<std::byte> packed(elements.size());
  in_pieces(random, packed.size(), [&](std::size_t begin, std::size_t end) {
    helper::layout::pack(*layout, base, begin, end, packed.data() + begin);
  });
  if (packed != expected) return "pack";
  if (of_type->contiguous() &&
      !std::equal(expected.begin(), expected.end(), elements.base(user) + of_type->first_byte()))
    return "contiguous";

  if (elements.overlap()) return {};
  const std::vector<std::byte> message = random.bytes(elements.size());
  std::vector<std::byte> expected_user = user;
  elements.unpack(message, expected_user);
  in_pieces(random, packed.size(), [&](std::size_t begin, std::size_t end) {
    helper::layout::unpack(*layout, base, begin, end, message.data() + begin);
  });
  return user == expected_user ? "" : "unpack";
}

} // namespace

std::string compare_with_mpi(Random& random) {
  constexpr std::size_t largest = 1 << 15;
  for (;;) {
    const Built built = RandomTypes(random).type(random.between(0, 3));
    const int count = random.between(1, 5);
    const Elements elements(built, count);
    if (elements.buffer_size() > largest || elements.size() > largest) continue;
    const std::string difference = compare(random, elements, built);
    if (difference.empty()) return {};
    return fmt::format("{}: {} elements of {}", difference, count, built.text);
  }
}

} // namespace test_support

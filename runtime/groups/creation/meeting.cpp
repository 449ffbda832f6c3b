// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "groups/creation/meeting.hpp"

#include <algorithm>
#include <cstddef>

#include "groups/creation/signal.hpp"

namespace helper::groups::creation {

// The members meet in rounds: each tells the one `distance` behind it the greatest number that it knows, and
// hears the greatest of those before it. The distances are all different, and so are the senders that a
// member hears from.
int meet(const Members& members, int begin, int end, int number, team::Member& waiting) {
  const int size = end - begin;
  const auto beside = [&](int distance) {
    return members.ranks[static_cast<std::size_t>(begin + (members.rank - begin + distance + size) % size)];
  };
  for (int distance = 1; distance < size; distance *= 2) {
    tell(members, beside(distance), number, waiting);
    number = std::max(number, hear(members, beside(-distance), waiting));
  }
  return number;
}

} // namespace helper::groups::creation

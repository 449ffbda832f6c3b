// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <stdexcept>
#include <string>

namespace helper::team {

/// It reports a call that breaks the rules of the team interface. The text names the argument or state and
/// its value.
class Misuse : public std::logic_error {
public:
  /// An `argument` is a value that cannot be; a `state` makes a value wrong that is fine at other moments.
  enum class Kind { argument, state };

  Misuse(Kind kind, const std::string& text) : std::logic_error(text), kind_(kind) {}

  Kind kind() const noexcept { return kind_; }

private:
  Kind kind_;
};

} // namespace helper::team

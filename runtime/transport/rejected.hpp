// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <stdexcept>
#include <string>

namespace helper::transport {

/// This says, to the error handler of the call's communicator, that a function does not accept an argument.
/// `error_class` is one of the standard's classes.
class Rejected : public std::invalid_argument {
public:
  Rejected(int error_class, const std::string& text) : std::invalid_argument(text), class_(error_class) {}
  int error_class() const noexcept { return class_; }

private:
  int class_;
};

} // namespace helper::transport

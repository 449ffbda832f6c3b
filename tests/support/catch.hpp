// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Lets tests be written for Catch2 version 2, and compiled with version 2 or 3. Only this file knows the
// difference: with version 3 it defines the names of version 2.
#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>

#include <string>

namespace Catch {

using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::Matches;
using Matchers::StartsWith;
using Matchers::VectorContains;

inline auto Contains(const std::string& part) {
  return Matchers::ContainsSubstring(part);
}

} // namespace Catch

using Catch::Approx;

#else

#include <catch2/catch.hpp>

#endif

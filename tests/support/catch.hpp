// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// Catch2, version 2 or 3. The tests are written for version 2. This file is the only one that knows the
// difference: it defines version 2's names for version 3.
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

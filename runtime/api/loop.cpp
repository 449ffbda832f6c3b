// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Implements the loop of mpi_helper.h whose pieces the members of a team run.

#include "mpi_helper.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/guarded.hpp"
#include "team/registry.hpp"

using namespace helper;

namespace {

constexpr const char* name = "MPIX_Helper_for";

// True while the thread runs a piece of a loop. The thread runs a nested loop alone.
thread_local constinit bool in_piece = false;

void check(MPI_Count begin, MPI_Count end, MPI_Count grain, MPIX_Helper_for_function* function) {
  const auto reject = [](const std::string& text) {
    throw team::Misuse(team::Misuse::Kind::argument, std::string(name) + ": " + text);
  };
  if (end < begin) reject("end " + std::to_string(end) + " is less than begin " + std::to_string(begin));
  if (grain < 1) reject("grain " + std::to_string(grain) + " is less than 1");
  if (function == nullptr) reject("function is a null pointer");
}

} // namespace

extern "C" int MPIX_Helper_for(MPI_Helper_team team, MPI_Count begin, MPI_Count end, MPI_Count grain,
                               MPIX_Helper_for_function* function, void* data) {
  // Whether a piece has thrown. The first that throws sets it and writes `thrown`. Relaxed: a piece that
  // misses it merely runs. The caller reads both after all pieces have ended, which the work list orders.
  std::atomic<bool> has_failed{false};
  std::exception_ptr thrown; // nullptr also for a foreign exception, which cannot be rethrown
  // Runs the piece [from, to), relative to the start, unless a piece has failed. For any thread.
  const auto piece = [&](std::size_t from, std::size_t to) noexcept {
    if (has_failed.load(std::memory_order_relaxed)) return;
    const team::StepOutside outside;
    const bool is_nested = std::exchange(in_piece, true);
    const auto first = static_cast<std::uint64_t>(begin); // unsigned: `from` may exceed what MPI_Count holds
    try {
      function(static_cast<MPI_Count>(first + from), static_cast<MPI_Count>(first + to), data);
    } catch (...) {
      if (!has_failed.exchange(true, std::memory_order_relaxed)) thrown = std::current_exception();
    }
    in_piece = is_nested;
  };
  const int code = api::guarded(name, [&] {
    check(begin, end, grain, function);
    const std::size_t size = static_cast<std::size_t>(end) - static_cast<std::size_t>(begin);
    if (in_piece) {
      if (size != 0) piece(0, size);
    } else {
      team::Member& member = team::joined(team, name);
      const team::InCall in_call(member, name);
      member.run(team::Job::of(trace::Stage::work, size, static_cast<std::size_t>(grain), piece),
                 team::Woken::by_helpers);
    }
    if (has_failed.load(std::memory_order_relaxed) && thrown == nullptr)
      throw std::runtime_error("function was left by an exception of another language");
    return MPI_SUCCESS;
  });
  if (thrown != nullptr) std::rethrow_exception(thrown);
  return code;
}

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The processes of one MPI that `transfers` gives commands to: by native MPI, and where the program is linked
// with the library, in phases of teams.

#include "jobs/worker.hpp"
#include "jobs/phases.hpp"
#include "transfer.hpp"
#include "types.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>

namespace {

using namespace bench;

/// Executes commands on the transfer that they are about, which lasts until they turn to another.
class Executor {
public:
  Answer operator()(const Command& command) {
    if (!transfer_ || command.operation != family_ || command.bytes != bytes_) {
      family_ = command.operation;
      bytes_ = command.bytes;
      transfer_.reset();
      transfer_.emplace(type_families()[static_cast<std::size_t>(family_)], bytes_);
    }
    const bool native = command.team == 0;
    if (command.verb == Command::Verb::check) return {0, transfer_->is_right(native)};
    transfer_->seconds(native, 1); // warms caches up and wakes helpers
    return {transfer_->seconds(native, command.calls), true};
  }

private:
  std::int32_t family_ = -1;
  std::uint64_t bytes_ = 0;
  std::optional<Transfer> transfer_;
};

} // namespace

/// Arguments: the team sizes, and the socket.
int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    Executor execute;
    run_phases(argc - 2, argv + 1,
               [&](const Phase& phase) { serve(argv[argc - 1], phase, std::ref(execute)); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
}

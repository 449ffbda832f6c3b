// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The processes of another MPI, which execute commands of `throughput`.

#include "jobs/worker.hpp"
#include "workload.hpp"

/// Arguments: the name of the memory, then those of bench::work().
int main(int argc, char** argv) {
  const bench::Memory memory = bench::memories().at(argv[1]);
  return bench::work(argc - 1, argv + 1, [=](int operation, std::size_t bytes) {
    return std::make_unique<bench::Workload>(static_cast<bench::Operation>(operation), bytes, memory);
  });
}

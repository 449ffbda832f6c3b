// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// Processes of another MPI, which execute commands of `throughput`.

#include "jobs/worker.hpp"
#include "workload.hpp"

#include <cstdlib>

/// Arguments: the stride of vectors, the name of the memory, then those of bench::work().
int main(int argc, char** argv) {
  const int stride = std::atoi(argv[1]);
  const bench::Memory memory = bench::memories().at(argv[2]);
  return bench::work(argc - 2, argv + 2, [=](int operation, std::size_t bytes) {
    return std::make_unique<bench::Workload>(static_cast<bench::Operation>(operation), bytes, stride, memory);
  });
}

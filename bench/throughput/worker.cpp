// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The processes of another MPI, which execute commands of `throughput`.

#include "workload.hpp"

/// Arguments: the kind of memory, then the arguments of bench::work().
int main(int argc, char** argv) {
  const bool alloc_mem = std::string(argv[1]) == "alloc_mem";
  return bench::work(argc - 1, argv + 1, [=](int operation, std::size_t bytes) {
    return std::make_unique<bench::Workload>(bench::operations()[static_cast<std::size_t>(operation)], bytes,
                                             alloc_mem);
  });
}

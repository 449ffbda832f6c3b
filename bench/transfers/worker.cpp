// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

// The processes of another MPI, which execute commands of `transfers`.

#include "transfer.hpp"

int main(int argc, char** argv) {
  return bench::work(argc, argv, [](int operation, std::size_t bytes) {
    return std::make_unique<bench::Transfer>(bench::type_families()[static_cast<std::size_t>(operation)],
                                             bytes);
  });
}

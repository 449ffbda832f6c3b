// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "operation.hpp"

#include <fmt/format.h>

namespace bench {

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> by_name{{"allreduce", Operation::allreduce},
                                                        {"bcast", Operation::bcast},
                                                        {"bcast-vector", Operation::bcast_vector}};
  return by_name;
}

std::string name(Operation operation) {
  for (const auto& [name, value] : operations())
    if (value == operation) return name;
  return {};
}

std::string title(Operation operation, int stride) {
  switch (operation) {
  case Operation::allreduce:
    return "MPI_Allreduce, contiguous doubles";
  case Operation::bcast:
    return "MPI_Bcast, contiguous doubles";
  case Operation::bcast_vector:
    return fmt::format("MPI_Bcast, vector of single doubles, stride {}", stride);
  }
  return {};
}

} // namespace bench

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "process/notice.hpp"

#include "process/process.hpp"
#include "shm/node_context.hpp"

namespace helper::process {

void print_once_on_node(Notice notice, const std::string& text) {
  if (shm::node_state().first_to_report(static_cast<std::uint64_t>(notice))) print(text);
}

} // namespace helper::process

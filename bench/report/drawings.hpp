// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "chart.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace bench::report {

/// Figures of the pages of docs/, of the results that the table of that name is made of.
Drawing draw_allreduce(const std::vector<nlohmann::json>& results);
Drawing draw_oversubscribed(const std::vector<nlohmann::json>& results);
Drawing draw_collectives(const std::vector<nlohmann::json>& results);
Drawing draw_peers(const std::vector<nlohmann::json>& results);
Drawing draw_transfers(const std::vector<nlohmann::json>& results);
Drawing draw_packing(const std::vector<nlohmann::json>& results);
Drawing draw_helpers(const std::vector<nlohmann::json>& results);
Drawing draw_sums(const std::vector<nlohmann::json>& results);
Drawing draw_programs(const std::vector<nlohmann::json>& results);
Drawing draw_creation(const std::vector<nlohmann::json>& results);
Drawing draw_creation_model(const std::vector<nlohmann::json>& results);
Drawing draw_groups(const std::vector<nlohmann::json>& results);
Drawing draw_enrolments(const std::vector<nlohmann::json>& results);
Drawing draw_trees_memory(const std::vector<nlohmann::json>& results);
Drawing draw_groups_allreduce(const std::vector<nlohmann::json>& results);
Drawing draw_nodes(const std::vector<nlohmann::json>& results);

} // namespace bench::report

// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <fstream>
#include <string>

namespace bench {

/// A new file, in place of what had the name. Throws std::system_error if it cannot be made; the stream
/// throws std::ios_base::failure if it cannot be written to.
std::ofstream create_file(const std::string& file);

/// Writes `json` to a file, for people to read, too.
void write_json(const nlohmann::ordered_json& json, const std::string& file);

} // namespace bench

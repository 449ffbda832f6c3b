// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include "common/output.hpp"
#include "common/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace bench {
void print_head(const Report& report) {
  fmt::print("\n{:<28} {:>8}", "", "");
  for (const std::string& variant : report.variants) fmt::print(" | {:^22}", variant);
  fmt::print("\n{:<28} {:>8}", "type", "size");
  for (std::size_t variant = 0; variant < report.variants.size(); ++variant)
    fmt::print(" | {:>8} {:>6} {:>6}", "us", "GB/s", variant == 0 ? "" : "ratio");
  fmt::print("\n");
}

void print(const Point& point) {
  fmt::print("{:<28} {:>8}", point.type, size_name(point.bytes));
  for (std::size_t variant = 0; variant < point.seconds.size(); ++variant)
    fmt::print(" | {:>8} {:>6} {:>6}", digits(point.seconds[variant].median * 1e6),
               digits(point.bandwidth(variant) / 1e9),
               variant == 0 ? "" : fmt::format("{:.2f}", point.speedup(variant)));
  fmt::print("\n");
  std::fflush(stdout);
}

void write_json(const Report& report, const std::string& file) {
  nlohmann::ordered_json json{{"variants", report.variants}, {"points", nlohmann::ordered_json::array()}};
  for (const Point& point : report.points) {
    auto& entry = json["points"].emplace_back();
    entry = {{"type", point.type},
             {"bytes", point.bytes},
             {"calls_per_sample", point.calls},
             {"samples", point.samples},
             {"seconds", nlohmann::ordered_json::array()}};
    for (const auto& [p10, median, p90] : point.seconds)
      entry["seconds"].push_back({{"p10", p10}, {"median", median}, {"p90", p90}});
  }
  write_json(json, file);
}

} // namespace bench

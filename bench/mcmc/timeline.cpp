// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "timeline.hpp"

#include "common/output.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <mpi.h>

namespace mcmc {
namespace {

constexpr int width = 900, line_height = 12, margin = 40;

void draw(std::ostream& picture, int rank, const std::vector<Membership>& memberships, double end) {
  for (std::size_t i = 0; i < memberships.size(); ++i) {
    const auto& [since, first, last] = memberships[i];
    const double until = i + 1 < memberships.size() ? memberships[i + 1].since : end;
    fmt::print(picture,
               "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"hsl({},{}%,60%)\">"
               "<title>rank {}, {:.3f} to {:.3f} s: ranks {} to {}</title></rect>\n",
               margin + since / end * width, margin + rank * line_height, (until - since) / end * width,
               line_height - 1, first * 360 / 37 % 360, 30 + 70 * (last - first + 1) / 32 % 71, rank, since,
               until, first, last);
  }
}

} // namespace

void draw_timeline(const Run& run, const std::string& file) {
  constexpr int tag = 4;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) {
    MPI_Send(run.memberships.data(), static_cast<int>(run.memberships.size() * sizeof(Membership)), MPI_BYTE,
             0, tag, MPI_COMM_WORLD);
    return;
  }
  const double end = run.outcome.seconds_to_end;
  auto picture = bench::create_file(file);
  fmt::print(
      picture,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{}\" y=\"20\">ranks (from above) by group, 0 to {:.2f} s</text>\n",
      width + 2 * margin, ranks * line_height + 2 * margin, margin, end);
  draw(picture, 0, run.memberships, end);
  for (int source = 1; source < ranks; ++source) {
    MPI_Status status;
    int bytes = 0;
    MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<Membership> memberships(static_cast<std::size_t>(bytes) / sizeof(Membership));
    MPI_Recv(memberships.data(), bytes, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    draw(picture, source, memberships, end);
  }
  fmt::print(picture, "</svg>\n");
}

} // namespace mcmc

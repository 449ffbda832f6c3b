// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "advice/findings.hpp"

namespace helper::advice {

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t most_places = 6;
constexpr int name_columns = 31;

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  std::array<char, 512> line{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  return line.data();
}

std::string plural(int count, const char* thing, const char* ending = "s") {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : ending);
}

/// Returns the text wrapped to the width of the screen.
std::string wrapped(const std::string& words) {
  std::string lines;
  std::size_t begin = 0;
  while (words.size() - begin > columns) {
    std::size_t end = words.rfind(' ', begin + columns);
    if (end == words.npos || end <= begin) end = begin + columns;
    lines += words.substr(begin, end - begin) + "\n";
    begin = std::min(words.size(), end + 1);
  }
  return lines + words.substr(begin) + "\n";
}

std::string bytes_text(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return text(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

template <class Of>
std::vector<double> values_of(const Findings& findings, const Of& of) {
  std::vector<double> values;
  for (const Spent& spent : findings.spent) values.push_back(std::invoke(of, spent));
  return values;
}

template <class Of>
double sum_of(const Findings& findings, const Of& of) {
  const auto values = values_of(findings, of);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::string times(const Findings& findings) {
  const auto row = [&](const char* name, const auto& of, double whole, const char* of_what) {
    const Range range = range_of(values_of(findings, of));
    return text("%-26s %10.3f %10.3f %10.3f  %5.1f %%%s\n", name, range.least, range.median, range.greatest,
                100 * sum_of(findings, of) / std::max(whole, 1e-9), of_what);
  };
  const double in_mpi = sum_of(findings, &Spent::total);
  std::string lines =
      text("%-26s %10s %10s %10s   %s\n", "seconds of a rank", "min", "median", "max", "share") +
      row("in MPI", &Spent::total, findings.elapsed * findings.ranks, " of the run");
  constexpr std::pair<const char*, double Spent::*> parts[] = {{"  waiting for other ranks", &Spent::waiting},
                                                               {"  moving contiguous data", &Spent::moving},
                                                               {"  packing and unpacking", &Spent::packing},
                                                               {"  reducing", &Spent::reducing},
                                                               {"  files", &Spent::files},
                                                               {"  one-sided", &Spent::one_sided},
                                                               {"  other", &Spent::other}};
  for (const auto& [name, part] : parts) lines += row(name, part, in_mpi, "");
  return lines;
}

std::string calls(const Findings& findings) {
  auto places = findings.places;
  std::ranges::sort(places, std::ranges::greater(), [](const CallSite& place) { return place.seconds; });
  if (places.size() > most_places) places.resize(most_places);
  if (places.empty()) return {};
  std::string lines = text("\n%-*s %8s %9s %9s %8s %9s\n", name_columns, "calls that a team can carry",
                           "calls", "bytes", "in runs", "s", "saves s");
  for (const CallSite& place : places) {
    std::string name = place.function + " in " + place.caller;
    if (name.size() > name_columns) name += "\n" + std::string(name_columns, ' ');
    lines +=
        text("%-*s %8llu %9s %9s %8.3f %9.3f\n", name_columns, name.c_str(),
             static_cast<unsigned long long>(place.calls),
             bytes_text(place.bytes / static_cast<double>(std::max<std::uint64_t>(place.calls, 1))).c_str(),
             place.run == 0 ? "-" : bytes_text(place.run).c_str(), place.seconds, place.saved);
  }
  return lines;
}

int idle_cores(const Findings& findings) {
  return std::max(0, findings.cores / findings.sharers - 1);
}

std::string cores(const Findings& findings) {
  std::string who = plural(findings.sharers, "process", "es");
  if (findings.openmp_threads > 1) who += " of " + plural(findings.openmp_threads, "OpenMP thread");
  return "\nidle cores per process: " + std::to_string(idle_cores(findings)) + " (" + who +
         (findings.sharers == 1 ? " has " : " have ") + plural(findings.cores, "core") + ")\n";
}

std::string savings(const Findings& findings) {
  if (findings.savings.empty()) return {};
  std::string lines = text("\n%-26s %10s   %s\n", "threads of each process", "saves s", "range");
  for (const Saving& saving : findings.savings) {
    const std::string name =
        std::to_string(saving.threads) +
        (saving.threads == 1 ? " (no helper)" : " (" + plural(saving.threads - 1, "helper") + ")");
    lines += text("%-26s %10.3f   %.3f to %.3f\n", name.c_str(), saving.seconds, saving.low, saving.high);
  }
  return lines;
}

/// Returns the team that saves most, or a smaller one that saves about as much; null if no saving is certain.
const Saving* best_of(const Findings& findings) {
  const Saving* best = nullptr;
  for (const Saving& saving : findings.savings) {
    const bool is_better = best == nullptr || saving.seconds > best->seconds + 0.05 * std::abs(best->seconds);
    const bool is_felt = saving.low > 0 && saving.seconds > 0.02 * findings.elapsed;
    if (is_felt && is_better) best = &saving;
  }
  return best;
}

/// Returns why teams would save nothing.
std::string reason(const Findings& findings) {
  const double in_mpi = sum_of(findings, &Spent::total);
  const double waiting = sum_of(findings, &Spent::waiting);
  const double elsewhere =
      sum_of(findings, [](const Spent& spent) { return spent.files + spent.one_sided + spent.other; });
  if (in_mpi < 0.02 * findings.elapsed * findings.ranks)
    return text("MPI takes %.1f %% of the run.", 100 * in_mpi / findings.ranks / findings.elapsed);
  if (waiting > 0.5 * in_mpi) {
    std::string line = text("%.0f %% of the time in MPI is waiting", 100 * waiting / in_mpi);
    if (findings.share_of_last > 0.5)
      line += text(", most of it for rank %d: balance the load", findings.last_rank);
    return line + ".";
  }
  if (elsewhere > 0.5 * in_mpi)
    return text("%.0f %% of the time in MPI is in files, one-sided and other calls, which MPI does.",
                100 * elsewhere / in_mpi);
  if (findings.savings.empty())
    return "The library cannot begin with all ranks, so that nothing was repeated.";
  return "The library repeated these calls with teams: no faster, within the range.";
}

/// Returns whether a team may save or cost a tenth of the run.
bool is_unclear(const Findings& findings) {
  const double tenth = 0.1 * findings.elapsed;
  return std::ranges::any_of(
      findings.savings, [&](const Saving& saving) { return saving.low < -tenth && saving.high > tenth; });
}

std::string verdict(const Findings& findings) {
  const Saving* const best = best_of(findings);
  std::string lines = "\n";
  if (best == nullptr && is_unclear(findings))
    lines += wrapped("Too unsteady to tell: the repeated calls vary too much. Run it again on idle cores.");
  else if (best == nullptr)
    lines += wrapped("Nothing to gain: " + reason(findings));
  else
    lines += wrapped(text("A team of %d saves about %.2g s (%.2g to %.2g s) of %.3g s.", best->threads,
                          best->seconds, best->low, best->high, findings.elapsed));
  if (findings.openmp_threads * findings.sharers > findings.cores)
    lines += wrapped("The program has more threads than cores: they take turns already now.");
  else if (idle_cores(findings) == 0)
    lines += wrapped("No idle cores: a helper would take turns with the program's own threads.");
  if (best == nullptr) return lines;
  const bool uses_openmp = findings.openmp_threads > 0 && best->threads > 1;
  const std::string options = uses_openmp ? "--openmp" : "--threads " + std::to_string(best->threads);
  return lines + "Try: mpiexec -n " + std::to_string(findings.ranks) + " mpi_helper run " + options + " " +
         findings.command + "\n";
}

} // namespace

std::string screen(const Findings& findings) {
  return text("mpi_helper: advice for %s, %.3g s from MPI_Init to MPI_Finalize\n",
              plural(findings.ranks, "rank").c_str(), findings.elapsed) +
         times(findings) + calls(findings) + cores(findings) + savings(findings) + verdict(findings);
}

} // namespace helper::advice

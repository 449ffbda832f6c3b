// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/summary.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <span>
#include <sstream>
#include <vector>

namespace helper::trace {

namespace {

std::int64_t nanoseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

std::string fixed(double value, int decimals) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

/// A dash stands for "none", because a column of zeros would hide the other numbers.
std::string count_text(std::uint64_t count) {
  return count == 0 ? "-" : std::to_string(count);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return count_text(bytes) + (bytes == 0 ? "" : " B");
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024; ++unit) value /= 1024;
  return fixed(value, 1) + " " + units[unit];
}

using Cells = std::vector<std::string>;

/// Aligns the cells of lines in columns, the first left, the others right. A line of one cell is unchanged.
std::string aligned(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths;
  for (const Cells& cells : lines) {
    if (cells.size() == 1) continue;
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t column = 0; column < cells.size(); ++column)
      widths[column] = std::max(widths[column], cells[column].size());
  }
  std::string text;
  for (const Cells& cells : lines) {
    if (!text.empty()) text += '\n';
    text += cells.front();
    if (cells.size() > 1) text.append(widths.front() - cells.front().size(), ' ');
    for (std::size_t column = 1; column < cells.size(); ++column)
      text += "  " + std::string(widths[column] - cells[column].size(), ' ') + cells[column];
  }
  return text;
}

constexpr std::size_t columns = 100;

/// Appends a line with details of a function, wrapped if it is long.
void append_detail(std::vector<Cells>& lines, const std::string& text) {
  const std::string indentation(4, ' ');
  std::string line = indentation;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > indentation.size() + 2 && line.size() + 1 + word.size() > columns) {
      lines.push_back({line});
      line = indentation + "  ";
    }
    line += (line.ends_with(' ') ? "" : " ") + word;
  }
  lines.push_back({line});
}

/// Returns who ran how many of the chunks that helpers could run.
std::string chunks_text(const std::map<int, std::uint64_t>& helped, std::uint64_t own) {
  std::string text = "chunks: " + std::to_string(own) + " by callers";
  for (const auto& [helper, count] : helped)
    text += ", " + std::to_string(count) + " by helper " + std::to_string(helper);
  return text + (helped.empty() ? ", none by helpers" : "");
}

std::string milliseconds(double nanoseconds) {
  const double value = nanoseconds / 1e6;
  return fixed(value, value < 10 ? 3 : value < 1000 ? 1 : 0);
}

} // namespace

// Returns a line per member and function: fields separated by tabs, algorithms with counts, and reasons.
std::string counters_text(const std::deque<Track>& tracks) {
  std::ostringstream text;
  for (const Track& track : tracks) {
    for (const Counters& counters : track.counters()) {
      text << track.team() << '\t' << track.member() << '\t' << counters.operation;
      for (const auto& calls : counters.calls) text << '\t' << calls.value();
      text << '\t' << counters.bytes.value() << '\t' << nanoseconds(counters.time.value()) << '\t'
           << nanoseconds(counters.waiting.value()) << '\t' << counters.own_chunks.value() << '\t'
           << counters.helped_chunks.value();
      const auto end = std::ranges::find(counters.algorithms, nullptr, &Counters::Share::text);
      const std::span algorithms(counters.algorithms.begin(), end);
      text << '\t' << algorithms.size();
      for (const std::span<const Counters::Share> shares : {algorithms, std::span(counters.declined)}) {
        for (const auto& [share, calls] : shares) text << '\t' << calls << '\t' << share;
      }
      text << '\n';
    }
  }
  return text.str();
}

void Summary::Times::add(std::int64_t time) noexcept {
  least = processes == 0 ? time : std::min(least, time);
  greatest = std::max(greatest, time);
  sum += time;
  ++processes;
}

std::string Summary::Times::mean() const {
  return milliseconds(static_cast<double>(sum) / processes);
}

std::string Summary::Times::range() const {
  return milliseconds(static_cast<double>(least)) + " to " + milliseconds(static_cast<double>(greatest));
}

void Summary::add(const std::string& counters) {
  struct OfProcess {
    std::int64_t time = 0;
    std::int64_t waiting = 0;
    int callers = 0;
    int caller = 0; // the index of the last caller
    std::map<int, std::uint64_t> helped;
  };
  std::map<Key, OfProcess> processes;
  std::istringstream lines(counters);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Key key;
    int member = 0;
    fields >> key.first >> member >> key.second;
    const auto next = [&fields] {
      std::uint64_t value = 0;
      fields >> value;
      return value;
    };
    SummaryRow& row = rows_[key];
    OfProcess& process = processes[key];
    std::uint64_t calls = 0;
    for (std::uint64_t& of_way : row.calls) {
      const std::uint64_t more = next();
      of_way += more;
      calls += more;
    }
    if (calls != 0) {
      ++process.callers;
      process.caller = member;
    }
    row.bytes += next();
    process.time += static_cast<std::int64_t>(next());
    process.waiting += static_cast<std::int64_t>(next());
    row.own_chunks += next();
    if (const std::uint64_t chunks = next(); chunks != 0) process.helped[member] += chunks;
    std::uint64_t algorithms = next();
    for (std::string text; fields >> calls && std::getline(fields >> std::ws, text, '\t');) {
      auto& shares = algorithms != 0 ? row.algorithms : row.declined;
      if (algorithms != 0) --algorithms;
      shares[text] += calls;
    }
  }
  for (const auto& [key, process] : processes) {
    SummaryRow& row = rows_[key];
    row.time.add(process.time);
    row.waiting.add(process.waiting);
    // Helpers are numbered from 1. A single caller gets no number; several callers may help each other.
    for (const auto& [member, chunks] : process.helped)
      row.helped_chunks[process.callers == 1 && member > process.caller ? member : member + 1] += chunks;
  }
}

std::string Summary::table() const {
  std::vector<Cells> lines{{"", "calls", "carried", "lent", "native", "bytes", "time", "waiting"}};
  const int* team = nullptr;
  for (const auto& [key, row] : rows_) {
    if (team == nullptr || *team != key.first) lines.push_back({"team " + std::to_string(key.first)});
    team = &key.first;
    Cells cells{"  " + key.second,
                count_text(std::accumulate(row.calls.begin(), row.calls.end(), std::uint64_t{0}))};
    for (const std::uint64_t calls : row.calls) cells.push_back(count_text(calls));
    cells.push_back(bytes_text(row.bytes));
    cells.push_back(row.time.mean());
    cells.push_back(row.waiting.mean());
    lines.push_back(std::move(cells));
    for (const auto& [algorithm, calls] : row.algorithms)
      append_detail(lines, "carried: " + std::to_string(calls) + ", " + algorithm);
    for (const auto& [reason, calls] : row.declined)
      append_detail(lines, "not carried: " + std::to_string(calls) + ", " + reason);
    if (row.own_chunks != 0 || !row.helped_chunks.empty())
      append_detail(lines, chunks_text(row.helped_chunks, row.own_chunks));
    if (row.time.processes > 1)
      append_detail(lines, "ranks: time " + row.time.range() + ", waiting " + row.waiting.range());
  }
  return aligned(lines);
}

} // namespace helper::trace

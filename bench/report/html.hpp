// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench::report {

/// Text as it stands in HTML or SVG.
std::string escaped(std::string_view text);

/// Text whose lines end in `end` instead.
std::string in_lines(const std::string& text, const std::string& end);

/// CSS: colours, by day and by night, and what charts and timelines consist of.
std::string_view chart_style();

/// Cells of text, of several lines where it has such; the first column is a heading's.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// A table in a box of its own that scrolls.
std::string html(const Table& table);

/// The command that made a result, and where and when it did: date, machine, and state of the machine.
struct Source {
  std::string command, origin;
};

/// What several results that a figure is made of have, each once, a line each.
Source all_of(const std::vector<Source>& sources);

/// A page of sections, which have figures.
class Page {
public:
  /// Opens a section; `text` is HTML, or "".
  void section(const std::string& id, const std::string& title, const std::string& text);

  /// Into the section: a paragraph of HTML.
  void text(const std::string& html);

  /// Into the section: `body` is HTML; `caption`, text or "", says what one should see in it.
  void figure(const std::string& id, const std::string& body, const std::string& caption,
              const Source& source);

  /// Into the section: what is missing, text.
  void missing(const std::string& what, const std::string& command);

  /// All of it; `lead` is HTML.
  std::string html(const std::string& title, const std::string& lead) const;

private:
  std::string contents_, body_;
};

} // namespace bench::report

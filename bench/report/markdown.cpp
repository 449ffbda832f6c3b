// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "markdown.hpp"

#include "tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <utility>

namespace bench::report {
namespace {

std::string markdown_row(const std::vector<std::string>& cells) {
  return in_lines(fmt::format("| {} |", fmt::join(cells, " | ")), "<br>") + '\n';
}

std::string markdown(const Table& table) {
  std::string text = markdown_row(table.head) + "|";
  for (std::size_t i = 0; i < table.head.size(); ++i) text += "---|";
  text += '\n';
  for (const auto& row : table.rows) text += markdown_row(row);
  return text;
}

void replace_block(std::string& page, const std::string& name, const std::string& contents) {
  const std::string begin = fmt::format("<!-- {}:begin -->\n", name),
                    end = fmt::format("<!-- {}:end -->", name);
  const auto first = page.find(begin);
  const auto last = page.find(end, first);
  if (first == std::string::npos || last == std::string::npos)
    throw std::runtime_error("the page has no place for the table " + name);
  page.replace(first + begin.size(), last - first - begin.size(), contents);
}

void expect_known_blocks(const std::string& name, const std::string& page) {
  const std::regex block("<!-- ([a-z-]+):begin -->");
  for (std::sregex_iterator found(page.begin(), page.end(), block), none; found != none; ++found)
    if (std::ranges::none_of(tables(), [&](const TableOfPage& table) {
          return table.page == name && table.name == found->str(1);
        }))
      throw std::runtime_error("the page has a place for a table that nobody makes, " + found->str(1));
}

} // namespace

Remade with_tables(const std::string& name, std::string page, const Results& results) {
  expect_known_blocks(name, page);
  Remade remade{std::move(page), {}};
  for (const TableOfPage& table : tables()) {
    if (table.page != name) continue;
    const auto made = make(table, results);
    if (!made) continue;
    std::string block = in_lines(all_of(made->sources).origin, "<br>\n") + "\n\n";
    if (const std::string svg = picture(made->drawing); !svg.empty()) {
      const std::string file = table.name + ".svg";
      remade.figures[file] = svg;
      block += fmt::format("![{}](figures/{})\n\n", made->drawing.title, file);
    }
    replace_block(remade.page, table.name, block + markdown(made->table));
  }
  return remade;
}

std::set<std::string> pages_with_tables() {
  std::set<std::string> names;
  for (const TableOfPage& table : tables()) names.insert(table.page);
  return names;
}

} // namespace bench::report

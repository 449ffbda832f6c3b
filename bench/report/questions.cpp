// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "figures.hpp"
#include "pages.hpp"
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace bench::report {
namespace {

/// A paragraph as HTML. Links lead to other pages, which are not there: their texts remain.
std::string html_of(std::string_view paragraph) {
  std::string html = escaped(paragraph);
  const std::pair<const char*, const char*> forms[]{{R"(\[([^\]]*)\]\([^)]*\))", "$1"},
                                                    {"`([^`]*)`", "<code>$1</code>"},
                                                    {R"(\*\*([^*]+)\*\*)", "<b>$1</b>"},
                                                    {R"(\*([^*]+)\*)", "<i>$1</i>"}};
  for (const auto& [form, becomes] : forms) html = std::regex_replace(html, std::regex(form), becomes);
  return html;
}

/// Goes through a page's paragraphs, and keeps what belongs to its tables.
class Reading {
public:
  Reading(Page& page, const Results& results, const TextOfPage& text)
      : page_(page), results_(results), text_(text) {}

  void read() {
    for (const std::string_view paragraph : text_.paragraphs) {
      if (paragraph.starts_with("<!-- ")) add_table(paragraph.substr(5, paragraph.find(':') - 5));
      if (inside_) {
        inside_ = paragraph.find(":end -->") == std::string_view::npos;
      } else if (paragraph.starts_with("#")) {
        const std::string heading(paragraph.substr(paragraph.find(' ') + 1));
        if (paragraph.starts_with("# ")) title_ = heading;
        heading_ = heading.ends_with('?') ? heading : title_ + ": " + heading;
        above_ = {};
        has_section_ = false;
      } else if (has_section_ && paragraph.starts_with("**What limits it:**")) {
        page_.text(html_of(paragraph));
      } else {
        above_ = paragraph;
      }
    }
  }

private:
  void add_table(std::string_view name) {
    inside_ = true;
    const TableOfPage& table = *std::ranges::find_if(
        tables(), [&](const TableOfPage& one) { return one.page == text_.name && one.name == name; });
    if (!has_section_) page_.section("about-" + table.name, heading_, "");
    has_section_ = true;
    if (!above_.empty()) page_.text(html_of(above_));
    above_ = {};
    const auto made = make(table, results_);
    if (!made)
      return page_.missing("Not measured: " + table.name + ".",
                           results_.source(table.results.front()).command);
    std::string body = html(made->table);
    if (const std::string drawn = chart(made->drawing); !drawn.empty())
      body = drawn + "<details><summary>In numbers</summary>" + body + "</details>\n";
    page_.figure("tab-" + table.name, body, "", all_of(made->sources));
  }

  Page& page_;
  const Results& results_;
  const TextOfPage& text_;
  std::string title_,
      heading_;            ///< of the page; of a section, that of the page before it unless it is a question
  std::string_view above_; ///< the paragraph before this one
  bool has_section_ = false; ///< of this heading
  bool inside_ = false;      ///< between the begin and the end of a table
};

} // namespace

void add_questions(Page& page, const Results& results) {
  for (const TextOfPage& text : pages()) Reading(page, results, text).read();
}

} // namespace bench::report

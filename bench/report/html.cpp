// SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
// SPDX-License-Identifier: BSD-3-Clause

#include "html.hpp"

#include <fmt/format.h>

#include <regex>

namespace bench::report {
namespace {

constexpr std::string_view page_style = R"(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:74rem;background:var(--paper);color:var(--ink);
 font:16px/1.55 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0;letter-spacing:-.02em}
h2{font-size:1.3rem;margin:3.2rem 0 .6rem;padding-top:1rem;border-top:1px solid var(--grid);letter-spacing:-.01em}
p,figcaption,.missing{max-width:44rem}
p{margin:.6rem 0}
a{color:var(--accent)}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;margin:1.2rem 0}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
figure{margin:1.6rem 0 2.4rem}
figcaption{margin-top:.7rem;color:var(--muted);font-size:.9rem}
.panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20.5rem),1fr));gap:1.6rem 2rem}
svg{display:block;width:100%;height:auto;max-width:34rem}
svg.wide{max-width:none}
.scroll{overflow-x:auto;-webkit-overflow-scrolling:touch}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;white-space:nowrap}
th,td{padding:.25rem .8rem;text-align:right;border-bottom:1px solid var(--grid)}
th{font-weight:600;color:var(--muted);white-space:normal;vertical-align:bottom}
th:first-child,td:first-child{text-align:left;padding-left:0}
@media(max-width:40rem){th,td{padding:.25rem .45rem}th:first-child,td:first-child{white-space:normal;min-width:8.5rem}}
pre,code{font:.82rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{margin:0;padding:.8rem 1rem;background:var(--raised);border-radius:6px;white-space:pre-wrap}
figcaption code{display:block;margin-top:.4rem;padding:.4rem .7rem;background:var(--raised);border-radius:6px;
 overflow-wrap:anywhere;color:var(--ink)}
figcaption small{display:block;margin-top:.3rem}
details{margin-top:.8rem}
summary{cursor:pointer;color:var(--accent)}
.missing{border-left:3px solid var(--accent);padding-left:.8rem;color:var(--muted)}
)";

void add_line(std::string& lines, const std::string& line) {
  if (("\n" + lines + "\n").find("\n" + line + "\n") != std::string::npos) return;
  lines += (lines.empty() ? "" : "\n") + line;
}

std::string cells(const std::vector<std::string>& texts, std::string_view kind) {
  std::string html = "<tr>";
  for (const std::string& text : texts)
    html += fmt::format("<{0}>{1}</{0}>", kind, in_lines(escaped(text), "<br>"));
  return html + "</tr>\n";
}

} // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char character : text) {
    switch (character) {
    case '&':
      html += "&amp;";
      break;
    case '<':
      html += "&lt;";
      break;
    case '>':
      html += "&gt;";
      break;
    case '"':
      html += "&quot;";
      break;
    default:
      html += character;
    }
  }
  return html;
}

Source all_of(const std::vector<Source>& sources) {
  Source all;
  for (const auto& [command, origin] : sources) {
    add_line(all.command, command);
    add_line(all.origin, origin);
  }
  return all;
}

std::string in_lines(const std::string& text, const std::string& end) {
  return std::regex_replace(text, std::regex("\n"), end);
}

std::string_view chart_style() {
  return R"(
:root{color-scheme:light dark;--paper:#fff;--raised:#f4f5f7;--ink:#1b1f24;--muted:#626b76;--grid:#dfe3e8;--accent:#0b6bcb}
@media(prefers-color-scheme:dark){:root{--paper:#14171b;--raised:#1f242a;--ink:#e6e9ec;--muted:#98a2ad;--grid:#333a42;
--accent:#5fb0ff}}
svg text{font:12px system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink)}
svg .title{font-size:14px;font-weight:600}
svg .tick{fill:var(--muted);font-size:11px}
svg .middle{text-anchor:middle}
svg .end{text-anchor:end}
.paper{fill:var(--paper)}
.grid{stroke:var(--grid);fill:none}
.curve{fill:none;stroke-width:2;stroke-linejoin:round}
.dashed,.dashed .curve{stroke-dasharray:5 3}
.c0{stroke:var(--muted);fill:var(--muted)}
.c1{stroke:var(--accent);fill:var(--accent)}
.c2{stroke:var(--ink);fill:var(--ink)}
.c2 .curve{stroke-width:1.2}
.c3{stroke:var(--accent);fill:var(--accent);opacity:.5}
.c4{stroke:var(--ink);fill:var(--ink);opacity:.4}
.c5{stroke:var(--accent);fill:var(--accent);opacity:.75}
.c5 .curve{stroke-width:1.2}
path.curve{fill:none}
circle{stroke:none}
.span{fill:var(--accent)}
.span.helping{fill:var(--ink)}
.span.waiting{fill:var(--grid)}
.span.operation{fill:var(--paper);stroke:var(--muted)}
)";
}

std::string html(const Table& table) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>" + cells(table.head, "th") +
                     "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) text += cells(row, "td");
  return text + "</tbody></table></div>\n";
}

void Page::section(const std::string& id, const std::string& title, const std::string& text) {
  contents_ += fmt::format("<a href=\"#{}\">{}</a>\n", id, escaped(title));
  body_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, escaped(title));
  if (!text.empty()) this->text(text);
}

void Page::text(const std::string& html) {
  body_ += fmt::format("<p>{}</p>\n", html);
}

void Page::figure(const std::string& id, const std::string& body, const std::string& caption,
                  const Source& source) {
  body_ += fmt::format(
      "<figure id=\"{}\">\n{}<figcaption>{}<code>{}</code><small>{}</small></figcaption>\n</figure>\n", id,
      body, escaped(caption), in_lines(escaped(source.command), "<br>"),
      in_lines(escaped(source.origin), "<br>"));
}

void Page::missing(const std::string& what, const std::string& command) {
  body_ += fmt::format("<p class=\"missing\">{} <code>{}</code></p>\n", escaped(what), escaped(command));
}

std::string Page::html(const std::string& title, const std::string& lead) const {
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title>
<style>{1}{2}</style>
</head>
<body>
<header>
<h1>{0}</h1>
<p>{3}</p>
<nav>
{4}</nav>
</header>
<main>
{5}</main>
</body>
</html>
)",
                     escaped(title), chart_style(), page_style, lead, contents_, body_);
}

} // namespace bench::report

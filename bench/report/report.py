#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""Makes one HTML page from the results of the benchmarks in folders, and tables and figures in pages of Markdown.

The page needs no network and no script. The status is 77 without matplotlib or jinja2.
"""

import argparse
import html
import pathlib
import re
import sys

try:
    import jinja2
    from tables import OTHERS, TABLES
except ModuleNotFoundError as lacking:
    print(f"report: there is no {lacking.name}; as an administrator: apt-get install python3-matplotlib python3-jinja2",
          file=sys.stderr)
    sys.exit(77)

from results import ROOT, Results


def markdown(rows):
    lines = ["| " + " | ".join(cells).replace("\n", "<br>") + " |\n" for cells in rows]
    return lines[0] + "|" + "---|" * len(rows[0]) + "\n" + "".join(lines[1:])


def with_tables(page, name, results, figures):
    """Returns the page's text with its tables made again, and writes its figures into a folder.

    A table NAME is between <!-- NAME:begin --> and <!-- NAME:end -->, below the date and origin of its results. Its figure is NAME.svg. A
    table without results stays as it is.
    """
    of_page = {table.name: table for table in TABLES if table.page == name}
    for unknown in set(re.findall("<!-- ([a-z-]+):begin -->", page)) - set(of_page):
        raise SystemExit(f"report: {name} has a place for a table that nobody makes, {unknown}")
    made = {table: found for table, each in of_page.items() if (found := each.of(results))}
    for table in made:
        if not re.search(f"<!-- {table}:begin -->\n.*<!-- {table}:end -->", page, re.DOTALL):
            raise SystemExit(f"report: {name} has no place for the table {table}")
    for table, (rows, title, figure, (_, origins)) in made.items():
        before, _, rest = page.partition(f"<!-- {table}:begin -->\n")
        if figure:
            figures.mkdir(exist_ok=True)
            (figures / f"{table}.svg").write_text(figure)
            title = f"![{title}](figures/{table}.svg)\n\n"
        end = rest[rest.index(f"<!-- {table}:end -->"):]
        page = f"{before}<!-- {table}:begin -->\n" + origins.replace("\n", "<br>\n") + "\n\n" + title + markdown(rows) + end
    return page


def html_of(paragraph):
    """Formats a paragraph of Markdown. Links lead to pages outside this one, so only their texts remain."""
    made = html.escape(paragraph)
    for form, becomes in ((r"\[([^\]]*)\]\([^)]*\)", r"\1"), ("`([^`]*)`", r"<code>\1</code>"),
                          (r"\*\*([^*]+)\*\*", r"<b>\1</b>"), (r"\*([^*]+)\*", r"<i>\1</i>")):
        made = re.sub(form, becomes, made)
    return made


def parts_of(table, results, above=""):
    """Returns a table for the HTML page, below a paragraph of Markdown. It names missing results, unless some were asked for."""
    made = table.of(results)
    parts = [{"text": html_of(above)}] if above and (made or results.only is None) else []
    if made:
        rows, title, picture, (command, origin) = made
        return [*parts, {"id": table.name, "title": title, "picture": picture, "rows": rows, "command": command, "origin": origin}]
    missing = {"missing": f"Not measured: {table.name}.", "command": results.sources(table.results)[0]}
    return [*parts, missing] if results.only is None else parts


def sections_of(page, name, results):
    """Returns the sections of a page that have tables, with the paragraphs next to them."""
    sections, title, heading, above, begun, inside = [], "", "", "", False, False
    for paragraph in re.split(r"\n\s*\n", page.strip()):
        if found := re.match("<!-- ([a-z-]+):", paragraph):
            if not begun:
                sections.append({"id": "about-" + found[1], "title": heading, "parts": []})
            begun = inside = True
            table = next(each for each in TABLES if (each.page, each.name) == (name, found[1]))
            sections[-1]["parts"] += parts_of(table, results, above)
            above = ""
        if inside:
            inside = ":end -->" not in paragraph
        elif paragraph.startswith("#"):
            level, heading = paragraph.split(" ", 1)
            title = heading if level == "#" else title
            heading = heading if heading.endswith("?") else f"{title}: {heading}"
            above, begun = "", False
        elif begun and paragraph.startswith("**What limits it:**"):
            if sections[-1]["parts"]:
                sections[-1]["parts"].append({"text": html_of(paragraph)})
        elif not paragraph.startswith("|"):
            above = paragraph
    return sections


def page_of(results):
    names = dict.fromkeys(table.page for table in TABLES)
    sections = [section for name in names for section in sections_of((ROOT / f"docs/{name}.md").read_text(), name, results)]
    for title, text, tables in OTHERS:
        sections.append({"id": title.split()[0].lower(), "title": title, "text": text,
                         "parts": [part for table in tables for part in parts_of(table, results)]})
    if results.only is None and (found := results.text("machine.txt")):
        command, origin = results.sources(["machine"])
        sections.append({"id": "computer", "title": "The machine", "text": "What the library finds on this machine.",
                         "parts": [{"id": "machine", "found": found, "command": command, "origin": origin}]})
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), autoescape=True,
                                   trim_blocks=True, lstrip_blocks=True)
    return templates.get_template("page.html").render(sections=[section for section in sections if section["parts"]])


def main():
    parser = argparse.ArgumentParser(prog="report", description=__doc__.splitlines()[0])
    parser.add_argument("folders", metavar="FOLDER", nargs="+", help="where the results are: NAME.json and NAME.command; "
                        "the first that has one counts, and folders that are not there have none")
    parser.add_argument("--only", metavar="NAME", action="append", help="leave out all but these results; may be repeated")
    parser.add_argument("--page", metavar="FILE", type=pathlib.Path, help="write the page to this file")
    parser.add_argument("--tables", metavar="FOLDER", type=pathlib.Path,
                        help="make the tables and figures of the pages in this folder again, which is docs/")
    arguments = parser.parse_args()
    results = Results(arguments.folders, arguments.only)
    for name in dict.fromkeys(table.page for table in TABLES) if arguments.tables else ():
        file = arguments.tables / f"{name}.md"
        file.write_text(with_tables(file.read_text(), name, results, arguments.tables / "figures"))
    if arguments.page:
        arguments.page.write_text(page_of(results))


if __name__ == "__main__":
    main()

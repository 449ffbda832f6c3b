#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""Makes one HTML page from the results of the benchmarks in folders, and tables and figures in pages of Markdown.

The page needs no network and no script. The status is 77 without matplotlib or jinja2.
"""

import argparse
import pathlib
import re
import sys

try:
    import jinja2
    import sections
    from tables import TABLES
except ModuleNotFoundError as lacking:
    print(f"report: there is no {lacking.name}; as an administrator: apt-get install python3-matplotlib python3-jinja2",
          file=sys.stderr)
    sys.exit(77)

from results import ROOT, Results, all_of


def markdown(rows):
    def line(cells):
        return "| " + " | ".join(cells).replace("\n", "<br>") + " |\n"

    return line(rows[0]) + "|" + "---|" * len(rows[0]) + "\n" + "".join(map(line, rows[1:]))


def with_tables(page, name, results):
    """Returns the page's text with its tables made again, and its figures by file.

    A table NAME is between <!-- NAME:begin --> and <!-- NAME:end -->, below the date and origin of its results. Its figure is NAME.svg. A
    table without results stays as it is.
    """
    figures = {}
    of_page = [table for table in TABLES if table.page == name]
    for unknown in set(re.findall("<!-- ([a-z-]+):begin -->", page)) - {table.name for table in of_page}:
        raise SystemExit(f"report: {name} has a place for a table that nobody makes, {unknown}")
    for table in of_page:
        made = table.of(results)
        if made is None:
            continue
        rows, title, figure, sources = made
        block = all_of(sources)[1].replace("\n", "<br>\n") + "\n\n"
        if figure:
            figures[table.name + ".svg"] = figure
            block += f"![{title}](figures/{table.name}.svg)\n\n"
        begin, end = f"<!-- {table.name}:begin -->\n", f"<!-- {table.name}:end -->"
        before, found, rest = page.partition(begin)
        if not found or end not in rest:
            raise SystemExit(f"report: {name} has no place for the table {table.name}")
        page = before + begin + block + markdown(rows) + rest[rest.index(end):]
    return page, figures


def remake_tables(folder, results):
    for name in dict.fromkeys(table.page for table in TABLES):
        page, figures = with_tables((folder / name).read_text(), name, results)
        (folder / "figures").mkdir(exist_ok=True)
        for file, svg in figures.items():
            (folder / "figures" / file).write_text(svg)
        (folder / name).write_text(page)


def html(results):
    page = sections.Page(results)
    sections.add_all(page, ROOT / "docs")
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), autoescape=True,
                                   trim_blocks=True, lstrip_blocks=True)
    return templates.get_template("page.html").render(sections=page.sections, machine=page.machine())


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
    if arguments.tables:
        remake_tables(arguments.tables, results)
    if arguments.page:
        arguments.page.write_text(html(results))


if __name__ == "__main__":
    main()

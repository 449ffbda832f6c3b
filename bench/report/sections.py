# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the page. The page names missing results."""

import html
import re

from drawings import SPEEDUP, over_size
from figures import chart, tree
from results import all_of, size_name
from tables import TABLES, timed


class Page:
    """The sections, which have paragraphs and figures."""

    def __init__(self, results):
        self.results, self.sections = results, []

    def section(self, name, title, text=""):
        self.intro = text
        self.sections.append({"id": name, "title": title, "parts": []})

    def add(self, **part):
        if self.intro:
            self.sections[-1]["parts"].append({"text": self.intro})
            self.intro = ""
        self.sections[-1]["parts"].append(part)

    def text(self, paragraph):
        self.add(text=paragraph)

    def figure(self, name, body, caption, *sources):
        """Adds a figure. `body` is HTML; sources are names of results, or the sources themselves."""
        of = [self.results.source(one) if isinstance(one, str) else one for one in sources]
        command, origin = all_of(of)
        self.add(id=name, body=body, caption=caption, command=command, origin=origin)

    def json(self, name):
        """Returns a result. If it is missing, the page says so, unless only some results were asked for."""
        found = self.results.json(name)
        if found is None:
            self.missing(name)
        return found

    def missing(self, name, result=None):
        if self.results.only is None:
            self.add(missing=f"Not measured: {name}.", command=self.results.source(result or name)[0])

    def machine(self):
        throughput = self.results.json("throughput")
        if throughput is None or "processor" not in throughput.get("machine", {}):
            return ""
        of = throughput["machine"]
        return f"{of['ranks']} ranks, {of['processing_units']} processing units a node, {of['processor']}, {of['mpi']}. "


def panels(charts):
    return '<div class="panels">' + "".join(charts) + "</div>\n"


def details(summary, rows):
    return f"<details><summary>{summary}</summary>{table(rows)}</details>\n"


def table(rows):
    def line(cells, kind):
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells).replace("\n", "<br>") + "</tr>\n"

    return ('<div class="scroll" tabindex="0"><table>\n<thead>' + line(rows[0], "th") + "</thead>\n<tbody>\n" +
            "".join(line(row, "td") for row in rows[1:]) + "</tbody></table></div>\n")


def html_of(paragraph):
    """Formats a paragraph of Markdown. Links lead to pages outside this one, so only their texts remain."""
    made = html.escape(paragraph)
    for form, becomes in ((r"\[([^\]]*)\]\([^)]*\)", r"\1"), ("`([^`]*)`", r"<code>\1</code>"),
                          (r"\*\*([^*]+)\*\*", r"<b>\1</b>"), (r"\*([^*]+)\*", r"<i>\1</i>")):
        made = re.sub(form, becomes, made)
    return made


def add_tables(page, docs):
    """Adds the tables of the pages, with the paragraphs next to them."""
    for name in dict.fromkeys(each.page for each in TABLES):
        title = heading = above = ""
        begun = inside = False
        for paragraph in re.split(r"\n\s*\n", (docs / name).read_text().strip()):
            if found := re.match("<!-- ([a-z-]+):", paragraph):
                inside = True
                if not begun:
                    page.section("about-" + found[1], heading)
                begun = True
                add_table(page, next(each for each in TABLES if (each.page, each.name) == (name, found[1])), above)
                above = ""
            if inside:
                inside = ":end -->" not in paragraph
            elif paragraph.startswith("#"):
                level, heading = paragraph.split(" ", 1)
                title = heading if level == "#" else title
                heading = heading if heading.endswith("?") else f"{title}: {heading}"
                above, begun = "", False
            elif begun and paragraph.startswith("**What limits it:**"):
                if page.sections[-1]["parts"]:
                    page.text(html_of(paragraph))
            elif not paragraph.startswith("|"):
                above = paragraph


def add_table(page, of, above):
    made = of.of(page.results)
    if above and (made or page.results.only is None):
        page.text(html_of(above))
    if made is None:
        page.missing(of.name, of.results[0])
        return
    rows, _, figure, sources = made
    page.figure("tab-" + of.name, figure + details("In numbers", rows) if figure else table(rows), "", *sources)


def add_collectives(page):
    page.section("collectives", "Collective operations",
                 "All ways are measured alternately. Points are medians. In a team of 1 no helper works. In a team of 2 each "
                 "rank has a helper.")
    if throughput := page.json("throughput"):
        operations = sorted(throughput["operations"].items())
        charts = [chart(over_size(points, operation, SPEEDUP, lambda variant: variant["speedup"]))
                  for operation, points in operations]
        tables = [details(operation + ", in microseconds",
                          timed(["size"], (([size_name(point["bytes"])], point) for point in points)))
                  for operation, points in operations]
        page.figure("fig-speedup", panels(charts) + "".join(tables), "The time of MPICH divided by the time.", "throughput")


def add_trees(page):
    page.section("trees", "Trees of system-ranked groups",
                 "How processes find their places in the tree of a new group. The algorithms of the library run on a simulated "
                 "Blue Gene/P.")
    trees = page.json("trees")
    for name, figure, caption in (
            ("child", "1", "Figure 1: the upward pass with a child as filler, level by level, on a tree of our own. Dashed "
             "processes do not participate."),
            ("leaf", "2", "Figure 2: the same with a leaf as filler."),
            ("ranks", "3", "Figure 3: the ranks after the downward pass of hash, with a child as filler."),
            ("none", "4", "Figure 4: without filler, the size of the subtree that each process reports, and the ranks."),
            ("places", "places", "The tree of the new group, by scheme.")):
        if trees:
            pictures = [tree(of["title"], of["vertices"]) for of in trees["pictures"] if of["figure"] == figure]
            page.figure("fig-trees-" + name, panels(pictures), caption, "trees")


def add_machine(page):
    page.section("machine", "The machine", "What the library finds on this machine.")
    if page.results.only is not None:
        return
    if machine := page.results.text("machine.txt"):
        page.figure("fig-machine", f'<pre tabindex="0">{html.escape(machine)}</pre>', "Versions, settings in force, and the cores "
                    "and shared memory of each rank.", "machine")
    else:
        page.missing("the machine", "machine")


def add_all(page, docs):
    add_tables(page, docs)
    for add in (add_collectives, add_trees, add_machine):
        add(page)

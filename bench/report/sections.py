# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The sections of the page. Where a result is missing, the page says so."""

import re

from drawings import (FILLED, add_both, creation_model_panel, draw_mcmc, draw_trees_trace, fillers, over_size,
                      relative)
from figures import Panel, boxes, chart, escaped, tree
from results import (BY_HAND, HELPERS, HYBRID, SCHEMES, all_of, digits, from_paper, gigabytes, helpers_title,
                     is_of_all_threads, is_other, of_threads, over_mpich, shape, size_name, teams)
from tables import TABLES, timed


class Page:
    """Sections, which have paragraphs and figures."""

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

    def text(self, html):
        self.add(text=html)

    def figure(self, name, body, caption, *sources):
        """`body` is HTML; sources are names of results, or their sources."""
        of = [self.results.source(one) if isinstance(one, str) else one for one in sources]
        command, origin = all_of(of)
        self.add(id=name, body=body, caption=caption, command=command, origin=origin)

    def json(self, name):
        """A result; where it is missing the page says so, unless only some were asked for."""
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
        return "<tr>" + "".join(f"<{kind}>{escaped(cell)}</{kind}>" for cell in cells).replace("\n", "<br>") + "</tr>\n"

    return ('<div class="scroll" tabindex="0"><table>\n<thead>' + line(rows[0], "th") + "</thead>\n<tbody>\n" +
            "".join(line(row, "td") for row in rows[1:]) + "</tbody></table></div>\n")


def html_of(paragraph):
    """A paragraph of Markdown. Links lead to other pages, which are not there: their texts remain."""
    html = escaped(paragraph)
    for form, becomes in ((r"\[([^\]]*)\]\([^)]*\)", r"\1"), ("`([^`]*)`", r"<code>\1</code>"),
                          (r"\*\*([^*]+)\*\*", r"<b>\1</b>"), (r"\*([^*]+)\*", r"<i>\1</i>")):
        html = re.sub(form, becomes, html)
    return html


def add_tables(page, docs):
    """The tables of the pages, with the paragraphs beside them: what they are, and what limits the library."""
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
                 "Each way is measured in turn, again and again; points are medians. A team of 1 is the library without a "
                 "helper, one of 2 has a helper in each rank.")
    throughput = page.json("throughput")
    if throughput is None:
        return
    operations = sorted(throughput["operations"].items())
    speedups = [chart(over_size(points, operation, "speedup (higher is better)", lambda variant: variant["speedup"]))
                for operation, points in operations]
    rates = [chart(over_size(points, operation, "GB/s (higher is better)", lambda variant: variant["bytes_per_second"] / 1e9))
             for operation, points in operations]
    tables = [details(operation + ", in microseconds",
                      timed(["size"], (([size_name(point["bytes"])], point) for point in points)))
              for operation, points in operations]
    page.figure("fig-speedup", panels(speedups), "How many times as fast as MPICH, whose own line is 1.", "throughput")
    page.figure("fig-throughput", panels(rates) + "".join(tables), "The same as bytes of the message over time.", "throughput")


def add_messages(page):
    page.section("transfers", "Messages from one process to another",
                 "From rank 0 to rank 1: contiguous doubles, rows, columns, structs and faces of a cube, described to MPI as "
                 "datatypes.")
    if transfers := page.json("transfers"):
        of_types, rows = {}, [["type", "size", *(variant + ", µs" for variant in transfers["variants"])]]
        for point in transfers["points"]:
            kind = point["type"]
            panel = of_types.setdefault(kind, Panel(kind, "bytes of data", "GB/s (higher is better)", in_bytes=True))
            for variant, seconds in zip(transfers["variants"], point["seconds"]):
                panel.add(variant, point["bytes"], gigabytes(point["bytes"], seconds))
            rows.append([kind, size_name(point["bytes"]), *(digits(of["median"] * 1e6) for of in point["seconds"])])
        page.figure("fig-transfers", panels(map(chart, of_types.values())) + details("In microseconds", rows),
                    "Throughput of one-way messages.", "transfers")
    page.section("pack", "Packing alone", "Data of a type made contiguous, and put back, by one thread and by two.")
    if pack := page.json("pack"):
        of_types = {}
        for point in pack:
            panel = of_types.setdefault(point["type"], Panel(point["type"], "bytes of data", "GB/s (higher is better)", in_bytes=True))
            for way, name in (("native", "MPICH"), ("alone", "1 thread"), ("team", "2 threads")):
                panel.add(name, point["bytes"], gigabytes(point["bytes"], point["pack_seconds"][way]))
        page.figure("fig-pack", panels(map(chart, of_types.values())), "Packing, GB/s.", "pack")


def add_helpers(page):
    """A team of several threads against one thread, as Graph 1 of the proposal."""
    page.section("helpers", "What helpers do, over the size",
                 "A team of several threads against one thread, where each has a core, and where it has an emulated one.")
    charts, sources = [], []
    for name in HELPERS:
        result = page.results.json(name)
        if result is None:
            continue
        panel = Panel(helpers_title(result), "message size", "speedup (higher is better)", log_y=False, in_bytes=True)
        for threads in teams(result):
            for point in sorted(result["points"], key=lambda point: point["bytes"]):
                sums = is_of_all_threads(point)
                if point["data"] != "sum of double" or not (sums if result["ranks"] == 1
                                                            else point["function"] == "MPI_Allreduce"):
                    continue
                one = of_threads(point, BY_HAND[0] if sums else "team", threads if sums else 1)
                panel.add(f"team of {threads}", point["bytes"], one / of_threads(point, HYBRID if sums else "team", threads))
        charts.append(chart(panel))
        sources.append(name)
    if not charts:
        return page.missing("what helpers do", HELPERS[0])
    page.figure("fig-helpers", panels(charts), "MPI_Allreduce of doubles, and for one rank sums over its threads: how many "
                "times as fast as one thread a team is. Emulated cores show whether work is shared evenly, not what many "
                "cores make of caches and memory.", *sources)


def add_groups(page):
    page.section("creation-model", "Creating communicators, of very many processes",
                 "Each way as steps, messages and time in a simulator in which every process has a processor.")
    if points := page.json("creation_model"):
        title = f"Figure 1: cost of creation, of {points[0]['parent']} processes"
        page.figure("fig-creation-model", panels([
            chart(creation_model_panel(points, title, "seconds", "µs (lower is better)", 1e6)),
            chart(creation_model_panel(points, "Messages, each after the one before", "steps", "steps")),
            chart(creation_model_panel(points, "Messages in all", "messages", "messages"))]),
            "On a simulated Blue Gene/P, as Figure 1 of Dinan et al. has it for the paper's algorithm, here textbook, beside "
            "MPI_Comm_create.", "creation_model")
    page.section("mcmc", "Load balancing with such communicators",
                 "A Markov chain Monte Carlo benchmark, after Dinan et al., <i>Noncollective Communicator Creation in MPI</i>, "
                 "section 4.2: groups that have done their work merge with the group to the right.")
    if runs := page.json("mcmc"):
        page.figure("fig-mcmc-groups", panels(map(lifetimes, runs)), "Who belonged to which group when: a box is a group of "
                    "those ranks, from top to bottom, dark while it has work and pale while it has none.", "mcmc")
    if runs := page.json("mcmc_model"):
        most = max((run["seconds"] / run["ideal_seconds"] for run in runs if run["balancing"] == "asynchronous"), default=0)
        page.figure("fig-mcmc", panels([chart(draw_mcmc([runs]))]), "With asynchronous balancing groups merge as soon as they are idle. It "
                    f"takes at most {most:.3f} times as long as the ideal.", "mcmc_model")
    page.section("groups", "System-ranked groups, all that was measured",
                 "Groups that are only a tree, beside what MPI has for the same.")
    if lines := page.json("groups"):
        rows, first = [["", "way", "median", "p10", "p90", "ratio"]], {}
        for line in (line for line in lines if "median" in line):
            begins = line["what"] not in first
            ratio = first.setdefault(line["what"], line["median"]) / line["median"]
            rows.append([line["what"] if begins else "", line["way"],
                         *(digits(line[of]) for of in ("median", "p10", "p90")), f"{ratio:.2f}"])
        page.figure("tab-groups-all", table(rows), "The ratio is to the first way of each kind, MPI's: above 1 the group is "
                    "faster.", "groups")


def lifetimes(run):
    rows = []
    for group in run["groups"]:
        rows.append((group["first"], group["last"], group["since"], group["until"], "has none"))
        rows.append((group["first"], group["last"], group["since"], group["worked_until"], "has work"))
    return boxes(run["balancing"], "seconds", rows, {"has work": "#0072b2", "has none": "#c2dcec"})


def add_trees(page):
    page.section("trees", "Trees of system-ranked groups",
                 "How processes find their places in the tree of a new group, by the library's own algorithms on a simulated "
                 "Blue Gene/P, beside Table II of Langer, Venkataraman and Kale, who measured a real one.")
    trees = page.json("trees")
    if trees is None:
        return
    for name, figure, caption in (
            ("child", "1", "Figure 1, of a tree of our own: the upward pass with a child as filler, level by level. Dashed "
             "processes do not participate."),
            ("leaf", "2", "Figure 2: the same with a leaf as filler."),
            ("ranks", "3", "Figure 3: the ranks after the downward pass of hash, with a child as filler."),
            ("none", "4", "Figure 4: without filler, the size of the subtree that each process reports, and the ranks."),
            ("places", "places", "The trees of the new group that each scheme makes of it.")):
        pictures = [tree(of["title"], of["vertices"]) for of in trees["pictures"] if of["figure"] == figure]
        page.figure("fig-trees-" + name, panels(pictures), caption, "trees")
    page.figure("fig-trees-trace", panels([draw_trees_trace([trees])[1]]),
                "Figure 5: who handles which message when. Children fill holes.", "trees")
    add_cells(page, trees["cells"])


def add_cells(page, cells):
    for name, quantity, y, scale, figure in (("messages", "messages", "messages", 1, "Figure 6: messages"),
                                             ("times", "seconds", "µs", 1e6, "Figure 8: times")):
        charts = [chart(relative(cells, quantity, figure))]
        for fraction in (0.01, 0.3, 0.9):
            panel = Panel(f"{fraction} of all participate", "processes", y)
            for cell in (cell for cell in cells if cell["fraction"] == fraction and cell["scheme"] in SCHEMES):
                add_both(panel, cell, cell["processes"], lambda of: of[quantity] * scale)
            charts.append(chart(panel))
        off = 100 * max((from_paper(cell, quantity) for cell in cells if "paper" in cell), default=0)
        page.figure("fig-trees-" + name, panels(charts), f"The dashed lines are the paper's. Ours are within {off:.1f} % of "
                    "them.", "trees")
    page.figure("fig-trees-fillers", panels(chart(fillers(cells, fraction)) for fraction in FILLED), "Which process fills the "
                "place of one that does not participate.", "trees")
    rows = [["scheme", "fraction", "processes", "µs", "paper", "messages", "paper"]]
    for cell in cells:
        paper = cell.get("paper")
        rows.append([cell["scheme"], f"{cell['fraction']:g}", str(cell["processes"]), f"{cell['seconds'] * 1e6:.0f}",
                     f"{paper['seconds'] * 1e6:.0f}" if paper else "", str(cell["messages"]),
                     f"{paper['messages']:.0f}" if paper else ""])
    page.figure("tab-trees", details("All cells", rows), "Table II, ours beside the paper's.", "trees")


def add_nodes(page):
    page.section("nodes", "Many nodes, of three networks",
                 "Collective operations on up to 16,384 nodes, by the library's own selection, schedules and model of costs, "
                 "beside MPICH's algorithms and a simulator of both. Nothing of it is measured.")
    cells = page.json("nodes")
    if cells is None:
        return
    for name, others in (("fig-nodes", False), ("fig-nodes-others", True)):
        of = {}
        for cell in cells:
            if is_other(cell) == others and cell["bytes"] == 1 << 20 and shape(cell) in ("1 x 64", "8 x 8", "128 x 1"):
                title = f"{cell['network']}, {shape(cell)}"
                of.setdefault(title, Panel(title, "nodes", "MPICH = 1")).add(cell["operation"], cell["nodes"], over_mpich(cell))
        page.figure(name, panels(map(chart, of.values())), "MPICH's time over the library's at 1 MiB, by ranks of a node and "
                    "threads of a team. At 1 the library leaves the operation to MPICH.", "nodes")
    rows = [["network", "operation", "size", "algorithm", "us", "simulated", "MPICH", "simulated", "by the book", "untuned"]]
    for cell in cells:
        if cell["nodes"] in (1024, cells[-1]["nodes"]) and shape(cell) == "1 x 64":
            times = [digits(cell[whose][of] * 1e6) if of in cell[whose] else "" for whose in ("library", "mpich")
                     for of in ("seconds", "simulated")]
            rows.append([f"{cell['network']}, {cell['nodes']}", cell["operation"], size_name(cell["bytes"]), cell["algorithm"],
                         *times, *(digits(cell[of] * 1e6) for of in ("textbook_seconds", "untuned_seconds"))])
    page.figure("tab-nodes-times", details("Nodes of one rank", rows), "Microseconds: of what the library selects knowing the "
                "network's costs, of MPICH, of the best textbook algorithm, and of what the library selects by its default "
                "costs.", "nodes")


def add_machine(page):
    page.section("machine", "The machine", "What the library finds where these figures were made.")
    if page.results.only is not None:
        return
    if machine := page.results.text("machine.txt"):
        page.figure("fig-machine", f'<pre tabindex="0">{escaped(machine)}</pre>', "Versions, settings in force, and of each "
                    "rank the processing units and the memory it shares.", "machine")
    else:
        page.missing("the machine", "machine")


def add_all(page, docs):
    add_tables(page, docs)
    for add in (add_collectives, add_messages, add_helpers, add_groups, add_trees, add_nodes, add_machine):
        add(page)

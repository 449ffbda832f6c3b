# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the pages of docs/, and the figures above them. Their heads and cells are templates for records.

A table is a list of rows of texts; the first row is its header. The cells of a template stand between bars. Templates have Python's
formats and those of FORMATS, and nothing stands for what a record lacks.
"""

import dataclasses
import re
import string
import typing

import results as read
from figures import Panel, boxes, chart, digits, machines, ratios, size_name

SPEEDUP = "speedup (higher is better)"
MICROSECONDS = "µs (lower is better)"
FORMATS = {
    "size": size_name, "doubles": lambda number: size_name(8 * number), "k": lambda number: f"{number // 1024}k", "digits": digits,
    "us": lambda seconds: digits(seconds * 1e6), "ms": lambda seconds: digits(seconds * 1e3),
    "whole_us": lambda seconds: "–" if seconds is None else f"{seconds * 1e6:.0f}", "whole": lambda number: f"{number or '–'}",
    "percent": lambda part: f"{100 * part:.0f} %", "more": lambda ratio: "" if ratio is None else f", {ratio:.2f}",
    "more_1": lambda ratio: "" if ratio is None else f", {ratio:.1f}",
    "range": lambda values: f"{digits(min(values))} to {digits(max(values))}",
    "spread": lambda values: f"{digits(sorted(values)[len(values) // 2])} ({digits(min(values))}-{digits(max(values))})",
    "ends": lambda numbers: "–".join(map(str, dict.fromkeys((numbers[0], numbers[-1])))), "first": lambda words: words.split(",")[0],
    "function": lambda operation: {
        "reduce-scatter": "MPI_Reduce_scatter_block", "bcast-vector": "MPI_Bcast of a vector"}.get(operation, "MPI_" + operation.capitalize()),
    "team": lambda team: f"team of {team}" if team else "MPICH"}


class Formatter(string.Formatter):
    def get_field(self, name, positional, record):
        try:
            return super().get_field(name, positional, record)
        except (KeyError, TypeError):
            return None, name

    def format_field(self, value, spec):
        return FORMATS[spec](value) if spec in FORMATS else "" if value is None else format(value, spec)


def text(template, record):
    return Formatter().vformat(template, (), record)


def cells(template, record):
    return [text(cell.strip(), record) for cell in template.split("|")]


def listing(head, row, where=lambda record: True):
    """Makes a row for each record."""
    return lambda records: [cells(head, {}), *(cells(row, record) for record in filter(where, records))]


def pivot(head, keys, column, cell, where=lambda record: True, join=None):
    """Makes a row for each key and a column for each name, in order of appearance. The last cell for a place counts, or all joined."""
    def make(all_records):
        records, rows, columns = list(filter(where, all_records)), {}, {}
        for record in records:
            name, row = text(column, record), rows.setdefault(tuple(cells(keys, record)), {})
            row[name] = row[name] + join + text(cell, record) if join and name in row else text(cell, record)
            columns[name] = None
        return [[*cells(head, records[0] if records else {}), *columns]] + [
            [*key, *(row.get(name, "") for name in columns)] for key, row in rows.items()]

    return make


def timed(head, key):
    """Makes rows of points: the time of each way, and the speedup of each team over the fastest native way."""
    def make(records):
        rows = []
        for point in records:
            names, row = cells(head, {}), cells(key, point)
            for way in point["ways"]:
                # "MPICH Version:      4.2.1,A=1" becomes a cell of two lines.
                name = re.sub("( Version:)? +", " ", way["way"]).replace(",", "\n")
                names += [name, "ratio"] if way["team_size"] else [name]
                row += cells("{seconds:us} | {gain:.2f}" if way["team_size"] else "{seconds:us}", way)
            rows.append(row)
        return [names, *rows]

    return make


def curves(title, x, y, name, at, value, records=lambda records: records, unit=1, where=lambda record: True, by=None, of_all=None,
           **options):
    """Draws a curve for each name, in a panel for each value of `by`. The titles and the label of x are templates for the first point."""
    def draw(all_records):
        groups = {}
        for record in records(all_records):
            if where(record) and record[value] is not None:
                groups.setdefault(record.get(by), []).append(record)
        panels = [Panel(text(title, drawn[0]), text(x, drawn[0]), y, [
            (text(name, record), record[at], record[value] * unit, record.get("style", {})) for record in drawn], **options)
            for drawn in groups.values()]
        return (of_all or panels[0].title, chart(*panels)) if panels else ("", "")

    return draw


def over_size(title, **options):
    return curves(title, "message size", SPEEDUP, "{way}", "bytes", "speedup", read.by_way, in_bytes=True, **options)


def gains(title, name, leave_out, **options):
    return curves(title, "bytes of data", SPEEDUP, name, "bytes", "gain", lambda points: [point["team"] for point in points],
                  in_bytes=True, leave_out=leave_out, **options)


def draw_programs(records):
    drawn = {}
    for run in records:
        name = "1 thread" if run["threads"] == 1 else f"{run['threads']} threads"
        drawn.setdefault(name, []).append((run["number"], run["ratio"]))
    title = "Whole programs: speed with the library"
    return title, ratios(title, SPEEDUP, list({run["number"]: run["name"] for run in records}.values()), drawn)


def draw_trace(trace):
    rest = "before and after"
    rows = [(part["process"], part["since"] * 1e6, part["until"] * 1e6, read.PASSES.get(part["kind"], rest)) for part in trace]
    shades = dict(zip([*dict.fromkeys(read.PASSES.values()), rest], ["#0b6bcb", "#d9480f", "#2b8a3e", "#9c36b5", "#868e96"]))
    title = f"Figure 5: {max(process for process, *_ in rows) + 1} processes"
    return title, boxes(title, "µs", rows, shades)


def draw_relative(title, quantity):
    return curves(title + ", {processes} processes", "fraction that participates", "centralised = 1", "{name}", "fraction", quantity,
                  read.relative, log_y=False)


def hosts(records):
    """Makes a table with rows of how far the model is off in half of the operations, and in all, if it has predictions."""
    off = {}
    for team in (point["team"] for point in records if point["team"]["off"] is not None):
        percent = 100 * (max(team["off"], 1 / team["off"]) - 1)
        off.setdefault(str(team["ranks"]), {}).setdefault(team["bytes"], []).append(percent)
    table = pivot("operation | hosts", "{operation:function} | {ranks}", "{bytes:size}",
                  "{team[seconds]:ms}, {team[gain]:.2f}{team[off]:more}")
    return table(sorted(records, key=lambda point: point["operation"])) + [
        ["off the model", ranks, *(f"{sorted(each)[(len(each) - 1) // 2]:.0f} %, {max(each):.0f} %" for each in sizes.values())]
        for ranks, sizes in off.items()]


@dataclasses.dataclass
class Table:
    """A table of a page, and the figure above it. `records` makes records of those of its results that exist."""

    page: str
    name: str
    results: list
    records: typing.Callable
    make: typing.Callable
    draw: typing.Callable = lambda records: ("", "")

    def of(self, results):
        """Returns (rows, title of the figure, figure or "", commands and origins); None without any of its results."""
        found = [name for name in self.results if results.json(name) is not None]
        if not found:
            return None
        records = list(self.records(*map(results.json, found)))
        return self.make(records), *self.draw(records), results.sources(found)


HELPERS = [f"helpers-{setting}" for setting in ("threads", "idle", "ranks", "emulated")]
DRAWN = ("vector-1", "struct", "MINLOC of double_int", "sum of double", "user's operation")
TABLES = [
    *(Table(page, name, [result], read.allreduces, timed("size", "{bytes:size}"), over_size("MPI_Allreduce of doubles against MPICH"))
      for page, name, result in (("performance", "allreduce", "throughput"), ("appendix", "alloc-mem", "alloc_mem"))),
    Table("appendix", "limits", ["limits"], read.lines, listing(
        "size | memory | crossing | chunk | stores | pack | reduce | fetch | limit | library | ratio",
        "{bytes:size} | {memory} | {crossing_bytes:size} | {chunk_bytes:size} | {stores} | {seconds pack[median]:us} | "
        "{seconds reduce[median]:us} | {seconds fetch[median]:us} | {seconds limit[median]:us} | {seconds library[median]:us} | "
        "{ratio:.2f}")),
    Table("appendix", "oversubscribed", [f"oversubscribed-{ranks}" for ranks in (4, 8, 16, 32)], read.allreduces,
          timed("ranks | size", "{ranks} | {bytes:size}"),
          curves("MPI_Allreduce with more ranks than cores", "ranks", MICROSECONDS, "{plain}, {bytes:size}", "ranks", "seconds",
                 read.by_way, unit=1e6)),
    Table("appendix", "first-calls", ["first_calls"], read.lines, listing(
        "operation | size |  | call 1 | calls 2 to 5 | call 100 | 1 to 5 : 100 | ratio",
        "{operation:function} | {bytes:size} | {team:team} | {first:digits} | {next_four:digits} | {hundredth:digits} | "
        "{over_hundredth:.2f} | {ratio:.2f}")),
    Table("appendix", "collectives", ["collectives"], read.points,
          pivot("size", "{bytes:size}", "{operation:function}", "{team[seconds]:us}, {team[gain]:.2f}"), gains(
              "Collectives, team of 1, against native MPI", "{operation:function}", ("MPI_Gather", "MPI_Scatter"))),
    Table("appendix", "peers", ["peers"], read.points, timed("operation | size", "{operation:function} | {bytes:size}"),
          gains("Collectives, team of 1, against newer MPIs", "{operation:function}", ("MPI_Gather", "MPI_Scatter"), level=True)),
    Table("performance", "transfers", ["transfers"], lambda result: read.points(result, is_sorted=False),
          lambda points: pivot("type | by", "{operation} | {way}", "{bytes:size}", "{seconds:us}, {gain:.2f}",
                               lambda way: way["team_size"])(read.by_way(points)),
          gains("Messages, team of 1, against native MPI", "{operation}",
                ("vector-2", "vector-64", "rows-4x1", "random", "x-face", "y-face"))),
    Table("appendix", "pack", ["pack"], read.packing,
          pivot("type | ", "{data} | {does}", "{asked_bytes:size}", "{rate:digits}", join=" / "),
          curves("Packing a vector of single doubles", "bytes of data", "GB/s (higher is better)", "{name}", "asked_bytes", "rate",
                 where=lambda record: (record["function"], record["data"]) == ("MPI_Pack", "vector-1"), log_y=False, in_bytes=True)),
    Table("appendix", "helpers", HELPERS, read.by_helpers,
          pivot("function | data", "{function} | {data}", "{title}, {threads} threads, {sizes}", "{speedup:.2f}",
                lambda record: record["threads"] != 1, " / "),
          curves("Speedup by helpers, {asked_bytes:size}", "threads of a team ({title})", SPEEDUP, "{function}, {data}", "threads",
                 "speedup", where=lambda record: record["is_last"] and record["is_largest"] and record["data"] in DRAWN and
                 record["function"] in ("MPI_Allreduce", "MPI_Bcast"), log_y=False, ideal=True)),
    Table("appendix", "helpers-sums", HELPERS, read.sums,
          pivot(" | threads | size", "{title} | {threads} | {bytes:size}", "{way}", "{cell}"),
          curves("Adding the arrays of {threads} threads: {title}", "bytes of each thread", MICROSECONDS, "{way}", "bytes", "seconds",
                 unit=1e6, where=lambda record: record["number"] == 0 and record["threads"] == record["most"], in_bytes=True)),
    Table("papers", "graph", ["graph", "helpers-graph"], read.megabytes, pivot("size", "{bytes:size}", "{name}, MB/s", "{rate:.0f}"),
          curves("Graph 1: MPI_Allreduce of ints, 2 ranks", "message size", "MB/s (higher is better)", "{name}", "bytes", "rate",
                 in_bytes=True)),
    *(Table("papers", name, [result], read.by_helpers,
            pivot("function | data | size | 1 thread, ms", "{function} | {data} | {asked_bytes:size} | {one:ms}", "{threads} threads",
                  "{speedup:.2f}", lambda record: record["threads"] != 1),
            curves(title + ", {asked_bytes:size}", "threads of each rank", SPEEDUP, "{function}, {data}", "threads", "speedup",
                   where=lambda record: record["is_largest"], log_y=False))
      for name, result, title in (("messages-teams", "helpers-messages", "Messages between two ranks"),
                                  ("groups-teams", "helpers-groups", "Groups of four ranks"))),
    Table("papers", "mcmc-teams", [f"mcmc_emulated-{threads}" for threads in (2, 4)],
          read.balanced("the ideal"), pivot("balancing", "{balancing}", "{threads} threads, {by}", "{seconds:.3f}")),
    Table("guide", "placement", ["placement"], read.placement,
          pivot("placement", "{name}", "member {member}", "{pus:ends}"),
          lambda records: machines("Where the members of a team run", records[0]["result"])),
    Table("appendix", "pinned", ["helpers-pinned"], read.helped,
          pivot("function | data | size", "{function} | {data} | {asked_bytes:size}", "{threads} threads, {placement}",
                "{free:us}, {gain:.2f}", lambda record: record["placement"] and record["threads"] != 1 and
                record["data"] in ("vector-1", "struct", "sum of double"))),
    Table("performance", "costs", ["costs"], read.lines, listing(
        " | median | p10 | p90 | unit | limit", "{what} | {median:digits} | {p10:digits} | {p90:digits} | {unit} | {limit:g}",
        lambda record: not record["what"].startswith("end of a region"))),
    Table("appendix", "busy-neighbour", ["busy_neighbour"],
          lambda lines: [{**line, "ratio": max(line["library"]) / max(line["native"])} for line in lines],
          listing("processes beside | what | MPICH | library | worst : worst",
                  "{load} | {what} | {native:range} | {library:range} | {ratio:.2f}")),
    Table("performance", "programs", ["programs"], read.programs, listing(
        "program | ranks x threads | native | in MPI | library | in MPI | ratio",
        "{name} | {ranks} x {threads} | {native[total][median]:digits} | {native[in_mpi][median]:digits} | {total[median]:digits} | "
        "{in_mpi[median]:digits} | {ratio:.3f}"), draw_programs),
    Table("appendix", "creation", ["creation"], read.creations,
          pivot("of {parent} ranks", "{group}", "{way}", "{seconds:ms}", lambda line: line["is_most"]),
          curves("Creating a communicator: part of {parent} ranks", "ranks of the communicator", MICROSECONDS, "{way}", "group", "seconds",
                 unit=1e6, where=lambda line: line["is_most"], leave_out=("from_group", "recursive"))),
    Table("appendix", "groups", ["groups", "groups-many"], lambda *results: [
        line for line in read.lines(*results) if line["what"] == "made and freed, all, us" and line["way"].endswith(("split", "k 4"))],
          pivot("ranks", "{ranks}", "{way:first}", "{median:digits}{ratio:more_1}"),
          curves("Making and freeing a group of all ranks", "ranks", MICROSECONDS, "{way}", "ranks", "median")),
    Table("appendix", "groups-memory", ["groups", "groups-many"], read.lines, listing(
        "ranks | group | communicator", "{ranks} | {group:.0f} | {communicator:.0f}", lambda line: line["what"] == "bytes")),
    Table("appendix", "groups-allreduce", ["groups"],
          lambda lines: [line for line in lines if line["what"] == "allreduce, us" and line["way"].startswith("MPIX")],
          pivot("team", "{team}", "{bytes:size}", "{ratio:.2f}"),
          curves("MPIX_Sysgroup_allreduce against MPI_Allreduce", "message size", SPEEDUP, "team of {team}", "bytes", "ratio",
                 log_y=False, in_bytes=True, level=True)),
    Table("appendix", "enrolments", [f"enrolments-{ranks}" for ranks in (2, 8, 32)], read.lines,
          pivot("ranks | fraction", "{ranks} | {fraction}", "{scheme}", "{messages}, {model_messages}, {microseconds:digits}"),
          curves("Messages to make a group of {ranks} ranks", "fraction of the ranks that join", "messages (fewer is better)", "{scheme}",
                 "fraction", "messages", lambda cells: [cell for cell in cells if cell["ranks"] == cells[-1]["ranks"]], log_y=False)),
    Table("appendix", "trees-memory", ["trees_memory"], lambda result: result["cells"],
          pivot("processes", "{processes}", "{scheme}", "{most_state_bytes}, {mean_state_bytes:.0f}, {most_place_bytes}"),
          curves("Memory of a process that makes a group", "processes", "bytes (lower is better)", "{scheme}", "processes",
                 "most_state_bytes")),
    *(Table("appendix", name, ["nodes"], lambda result, others=others: [cell for cell in read.nodes(result) if cell["others"] == others],
            pivot("network | nodes | ranks x team | operation", "{network} | {nodes} | {shape} | {operation}", "{bytes:size}", "{text}"),
            *drawn) for name, others, drawn in (
                ("nodes-others", True, []),
                ("nodes", False, [curves("Model: {nodes:,} nodes of 1 rank, teams of 64", "message size", SPEEDUP, "{operation}", "bytes",
                                         "ratio", read.most_nodes, in_bytes=True, leave_out=("gather", "scatter"), level=True)]))),
    Table("appendix", "creation-few", ["creation", "creation-2"],
          # In a job of many ranks few ranks have a core of their own. The last result is of a job of two ranks.
          read.creations,
          pivot("ranks of the group, of all", "{group} of {parent}", "{way}", "{seconds:us}", lambda line: line["parent"] <= 8)),
    Table("appendix", "creation-model", ["creation_model"], read.creations,
          pivot("members", "{group}", "{way}", "{steps}, {seconds:us}"),
          curves("Creating a communicator: part of {parent} processes", "processes of the communicator", MICROSECONDS, "{way}", "group",
                 "seconds", unit=1e6, leave_out=("recursive",))),
    Table("appendix", "mcmc-threads", [f"mcmc_threads-{ranks}" for ranks in (2, 4, 8)],
          read.balanced("the ideal, with a processor for each rank"),
          pivot("balancing", "{balancing}", "{processes} ranks", "{seconds:.3f}")),
    *(Table("appendix", name, ["idle_threads"], lambda lines, program=program: [line for line in lines if line["program"] == program],
            pivot(elements + " | OMP_WAIT_POLICY", "{elements} ({elements:doubles}) | {policy}", "{way}", "{milliseconds:spread}"))
      for name, program, elements in (("deposit", "deposit", "cells"), ("columns", "columns", "rows"),
                                      ("columns-region", "columns in a region", "rows"))),
    Table("appendix", "hosts", [f"hosts-{hosts}" for hosts in (2, 4, 8, 16)], read.points, hosts),
    Table("protocols", "overlap", ["overlap"], read.lines,
          pivot("operation", "{operation}", "{bytes:size}", "{pure:digits} ({overlap:percent})", lambda line: line["team"] < 2, " → ")),
    Table("papers", "mcmc", ["mcmc", "mcmc_model"], read.mcmc,
          listing("balancing | processes | seconds | × ideal | regroupings: mean, deviation, least, most | in the paper (8192)",
                  "{balancing} | {processes} | {seconds:.3f} | {ratio:.3f} | {regroupings[mean]:.2f}, {regroupings[deviation]:.2f}, "
                  "{regroupings[least]}, {regroupings[most]} | {paper}", lambda run: run["is_most"]),
          curves("Figure 2: weak scaling in the model", "processes", "seconds", "{balancing}", "processes", "seconds", read.scaling,
                 log_y=False)),
    Table("papers", "trees-trace", ["trees"], lambda result: result["trace"], lambda trace: listing(
        "messages | number | first, µs | last, µs", "{messages} | {number} | {first:us} | {last:us}")(read.passes(trace)), draw_trace),
    Table("papers", "trees-messages", ["trees"], lambda result: result["cells"],
          lambda cells: listing(" | messages, deviation at most | times within 15 % | within 30 %",
                                "{scheme} | {percent:.2f} % | {within[0]} of {count} cells | {within[1]}")(read.deviations(cells)),
          draw_relative("Figure 6: messages", "messages")),
    Table("papers", "trees-fillers", ["trees"], lambda result: [result],
          lambda results: pivot("a list costs", "{cost:g} of a message", "{column}", "{cell}")(read.fillers(results[0]["list_costs"])),
          curves("Figure 7: hash, {fraction} participate", "processes", "µs", "{name}", "processes", "seconds",
                 lambda results: read.with_paper(results[0]["cells"]), 1e6, by="fraction", of_all="Figure 7: times with each filler",
                 log_y=False, where=lambda cell: cell["scheme"].startswith("hash") and cell["fraction"] in (0.001, 0.01, 0.3, 0.9))),
    Table("papers", "trees-times", ["trees"], lambda result: result["cells"],
          pivot("fraction | scheme", "{fraction:g} | {scheme}", "{processes:k}",
                "{seconds:whole_us}, {paper[seconds]:whole_us}\n{messages}, {paper[messages]:whole}",
                lambda cell: cell["scheme"] in read.SCHEMES), draw_relative("Figure 8: times", "seconds")),
]


# Sections that no page of docs/ has: their titles, introductions and tables.
OTHERS = [
    ("Collective operations", "All ways are measured alternately. Points are medians. In a team of 1 no helper works. In a team of 2 each "
     "rank has a helper.", [Table("", "speedup", ["throughput"], read.points, timed("operation | size", "{operation:function} | {bytes:size}"),
                                  over_size("{operation:function}", by="operation", of_all="The time of MPICH divided by the time."))]),
    ("Trees of system-ranked groups", "How processes find their places in the tree of a new group. The algorithms of the library run on a "
     "simulated Blue Gene/P. A row of these tables is a process.", [Table(
         "", "trees-" + name, ["trees"], lambda result, name=name: [cell for cell in result["figures"] if cell["figure"] == name],
         pivot("process", "{process}", "{column}", "{cell}"), lambda cells, caption=caption: (caption, "")) for name, caption in (
         ("hash-child", "Figures 1 and 3: the parents of processes in the upward pass with a child as filler, level by level, and the ranks "
          "after the downward pass of hash, on a tree of our own. Holes do not participate."),
         ("hash-leaf", "Figure 2: the same with a leaf as filler."),
         ("hash", "Figure 4: without filler, the size of the subtree that each process reports, and the ranks."),
         ("places", "The new group by scheme: ranks and parents."))])]

# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the pages of docs/, and the figures above them.

A table is a list of rows of texts, the first of them its head. Each function takes the list of those results that are
there, at least one.
"""

import json
import re

from figures import Panel, chart, ratios
from results import (BY_HAND, FUNCTIONS, HELPERS, HYBRID, ROOT, SCHEMES, Ways, digits, find_cell, from_paper, gigabytes,
                     group_reductions, helpers_title, is_in_table, is_of_all_threads, median_of, of_threads, over_mpich,
                     preloaded_runs, shape, size_name, teams, way_name)


def pivot(head, entries):
    """A row for each key and a column for each name, in the order in which they come, of (key, name, cell)."""
    rows, columns = {}, {}
    for key, column, cell in entries:
        rows.setdefault(key, {})[column] = cell
        columns[column] = None
    return [[*head, *columns]] + [[*key, *(row.get(column, "") for column in columns)] for key, row in rows.items()]


def micro(seconds):
    return digits(seconds * 1e6)


def timed(head, points):
    """Of each way its time, and of a team its gain, of (first cells, point)."""
    rows = []
    for first, point in points:
        ways = Ways.of_collective(point)
        names, cells = list(head), list(first)
        for name, is_team, seconds in ways:
            names.append(name)
            cells.append(micro(seconds))
            if is_team:
                names.append("ratio")
                cells.append(f"{ways.gain(seconds):.2f}")
        rows.append(cells)
    return [names, *rows]


def allreduce(results):
    return timed(["size"], (([size_name(point["bytes"])], point) for point in results[0]["operations"]["allreduce"]))


def oversubscribed(results):
    return timed(["ranks", "size"], (([str(result["machine"]["ranks"]), size_name(point["bytes"])], point)
                                     for result in results for point in result["operations"]["allreduce"]))


def points_of(result):
    for operation, points in sorted(result["operations"].items()):
        for point in points:
            yield FUNCTIONS[operation], point


def peers(results):
    table = timed(["operation", "size"],
                  (([function, size_name(point["bytes"])], point) for function, point in points_of(results[0])))
    # "MPICH Version:      4.2.1,A=1" is a cell of two lines.
    table[0] = [re.sub("( Version:)? +", " ", name).replace(",", "\n") for name in table[0]]
    return table


def gain_cell(ways, unit=1e6):
    seconds, gain = ways.first_team()
    return f"{digits(seconds * unit)}, {gain:.2f}"


def collectives(results):
    return pivot(["size"], (((size_name(point["bytes"]),), function, gain_cell(Ways.of_collective(point)))
                            for function, point in points_of(results[0])))


def transfers(results):
    points = results[0]["points"]
    sizes = [size_name(point["bytes"]) for point in points if point["type"] == points[0]["type"]]
    entries = []
    for index, point in enumerate(points):
        ways = Ways.of_transfer(point, results[0]["variants"])
        entries += [((point["type"], name), sizes[index % len(sizes)], f"{micro(seconds)}, {ways.gain(seconds):.2f}")
                    for name, is_team, seconds in ways if is_team]
    return pivot(["type", "by"], entries)


def pack(results):
    return pivot(["type", ""], (
        ((point["type"], direction), size_name(point["asked_bytes"]),
         " / ".join(digits(gigabytes(point["bytes"], point[direction + "_seconds"][way]))
                    for way in ("native", "alone", "team")))
        for point in results[0] for direction in ("pack", "unpack")))


def costs(results):
    return [["", "median", "p10", "p90", "unit", "limit"]] + [
        [cost["what"], digits(cost["median"]), digits(cost["p10"]), digits(cost["p90"]), cost["unit"],
         f"{cost['limit']:g}" if "limit" in cost else ""] for cost in results[0]]


def creation(results):
    most = max(creation["parent"] for creation in results[0])
    return pivot([f"of {most} ranks"], (((str(creation["group"]),), way, digits(seconds * 1e3))
                                        for creation in results[0] if creation["parent"] == most
                                        for way, seconds in sorted(creation["seconds"].items())))


def creation_of_few(results):
    return pivot(["ranks of the group, of all"],
                 (((f"{creation['group']} of {creation['parent']}",), way, micro(seconds))
                  for creation in results[0] if creation["parent"] <= 8
                  for way, seconds in sorted(creation["seconds"].items())))


def creation_model(results):
    return pivot(["members"], (((str(point["group"]),), point["way"], f"{point['steps']}, {micro(point['seconds'])}")
                               for point in results[0]))


def trees_memory(results):
    return pivot(["processes"], (
        ((str(cell["processes"]),), cell["scheme"],
         f"{cell['most_state_bytes']}, {cell['mean_state_bytes']:.0f}, {cell['most_place_bytes']}")
        for cell in results[0]["cells"]))


MADE = "made and freed, all, us"


def groups(results):
    schemes = ["balance", "hash", "centralised"]
    table = [["ranks", "MPI_Comm_split", *schemes]]
    for result in results:
        split = median_of(result, MADE, "MPI_Comm_split")
        times = [median_of(result, MADE, scheme + ", k 4") for scheme in schemes]
        table.append([str(result[0]["ranks"]), digits(split), *(f"{digits(time)}, {split / time:.1f}" for time in times)])
    return table


def groups_memory(results):
    return [["ranks", "group", "communicator"]] + [
        [str(line["ranks"]), f"{line['group']:.0f}", f"{line['communicator']:.0f}"]
        for result in results for line in result if line["what"] == "bytes"]


def groups_allreduce(results):
    return pivot(["team"], (((team,), size_name(size), f"{ratio:.2f}")
                            for team, size, ratio in group_reductions(results[0])))


def programs(results):
    table = [["program", "ranks x threads", "native", "in MPI", "library", "in MPI", "ratio"]]
    for program in results[0]:
        for threads, native, library, ratio in preloaded_runs(program):
            medians = [digits(way[what]["median"]) for way in (native, library) for what in ("seconds", "seconds_in_mpi")]
            table.append([program["name"], f"{program['ranks']} x {threads}", *medians, f"{ratio:.3f}"])
    return table


def nodes_table(results, others):
    return pivot(["network", "nodes", "ranks x team", "operation"], (
        ((cell["network"], str(cell["nodes"]), shape(cell), cell["operation"]), size_name(cell["bytes"]),
         "native" if cell["algorithm"] == "native" else f"{over_mpich(cell):.2f} {cell['algorithm']}")
        for cell in results[0] if is_in_table(cell, others)))


def over_model(point):
    """What the first team took over what the model of costs says; None where that has no say."""
    team = next(variant for variant in point["variants"] if variant["team_size"] != 0)
    return team["seconds"]["median"] / team["modelled"]["seconds"] if "modelled" in team else None


def off_model(result):
    """For each size how far the model is off in half of the operations, and in all; empty where it has no say."""
    off = {}
    for _, point in points_of(result):
        if (ratio := over_model(point)) is not None:
            off.setdefault(point["bytes"], []).append(100 * (max(ratio, 1 / ratio) - 1))
    return [f"{sorted(ratios)[(len(ratios) - 1) // 2]:.0f} %, {max(ratios):.0f} %" for ratios in off.values()]


def hosts(results):
    entries = []
    for operation in sorted(results[0]["operations"]):
        for result in results:
            for point in result["operations"].get(operation, []):
                ratio = over_model(point)
                cell = gain_cell(Ways.of_collective(point), 1e3) + (f", {ratio:.2f}" if ratio is not None else "")
                entries.append(((FUNCTIONS[operation], str(result["machine"]["ranks"])), size_name(point["bytes"]), cell))
    return pivot(["operation", "hosts"], entries) + [
        ["off the model", str(result["machine"]["ranks"]), *off] for result in results if (off := off_model(result))]


def overlap(results):
    def cell(line):
        return f"{digits(line['pure'])} ({100 * line['overlap']:.0f} %)"

    native = {(line["operation"], line["bytes"]): cell(line) for line in results[0] if line["team"] == 0}
    return pivot(["operation"], (((line["operation"],), size_name(line["bytes"]),
                                  native[line["operation"], line["bytes"]] + " → " + cell(line))
                                 for line in results[0] if line["team"] == 1))


def first_calls(results):
    table = [["operation", "size", "", "call 1", "calls 2 to 5", "call 100", "1 to 5 : 100", "ratio"]]
    for line in results[0]:
        team, five = line["team"], line["first_five"]
        native = five if team == 0 else native
        table.append([FUNCTIONS[line["operation"]], size_name(line["bytes"]), f"team of {team}" if team else "MPICH",
                      *(digits(line[calls]) for calls in ("first", "next_four", "hundredth")),
                      f"{five / line['hundredth']:.2f}", f"{native / five:.2f}" if team else ""])
    return table


def busy_neighbour(results):
    def runs(values):
        return f"{digits(min(values))} to {digits(max(values))}"

    return [["processes beside", "what", "MPICH", "library", "worst : worst"]] + [
        [line["load"], line["what"], runs(line["native"]), runs(line["library"]),
         f"{max(line['library']) / max(line['native']):.2f}"] for line in results[0]]


def helpers(results):
    entries = []
    for result in results:
        points = result["points"]
        first = (points[0]["function"], points[0]["data"])
        sizes = " / ".join(size_name(point["asked_bytes"]) for point in points
                           if (point["function"], point["data"]) == first)
        for threads in teams(result):
            gains = {}
            for point in points:
                if not is_of_all_threads(point):
                    gain = of_threads(point, "team", 1) / of_threads(point, "team", threads)
                    gains.setdefault((point["function"], point["data"]), []).append(f"{gain:.2f}")
            entries += [(what, f"{helpers_title(result)}, {threads} threads, {sizes}", " / ".join(of_sizes))
                        for what, of_sizes in gains.items()]
    return pivot(["function", "data"], entries)


def sums(results):
    table = [["", "threads", "size", HYBRID, *BY_HAND, "ratio"]]
    for result in results:
        for threads in teams(result):
            for point in filter(is_of_all_threads, result["points"]):
                own = of_threads(point, HYBRID, threads)
                by_hand = [of_threads(point, way, threads) for way in BY_HAND]
                fastest = min(seconds for seconds in by_hand if seconds is not None)
                table.append([helpers_title(result), str(threads), size_name(point["bytes"]), micro(own),
                              *("" if seconds is None else micro(seconds) for seconds in by_hand), f"{fastest / own:.2f}"])
    return table


def enrolments(results):
    return pivot(["ranks", "fraction"], (
        ((str(cell["ranks"]), json.dumps(cell["fraction"])), cell["scheme"],
         f"{cell['messages']}, {cell['model_messages']}, {digits(cell['microseconds'])}")
        for result in results for cell in result))


def in_paper(balancing):
    """What Table I of Dinan et al. has for one of our ways to balance."""
    paper = {}
    for line in (ROOT / "bench/mcmc/dinan_table1.csv").read_text().splitlines():
        if not line.startswith("#"):
            way, period, *cells = line.split(",")
            paper[way, period] = ", ".join(cells)
    way, _, period = balancing.replace("asynchronous", "async").partition(" ")
    return paper.get((way, period), "")


def mcmc(results):
    table = [["balancing", "processes", "seconds", "× ideal", "regroupings: mean, deviation, least, most",
              "in the paper (8192)"]]
    for result in results:
        most = max(run["processes"] for run in result)
        for run in (run for run in result if run["processes"] == most):
            of = run["regroupings"]
            table.append([run["balancing"], str(most), f"{run['seconds']:.3f}",
                          f"{run['seconds'] / run['ideal_seconds']:.3f}",
                          f"{of['mean']:.2f}, {of['deviation']:.2f}, {of['least']}, {of['most']}",
                          in_paper(run["balancing"])])
    return table


def mcmc_threads(results):
    entries = []
    for result in results:
        ranks = f"{result[0]['processes']} ranks"
        entries.append((("the ideal, with a processor for each rank",), ranks, f"{result[0]['ideal_seconds']:.3f}"))
        entries += [((run["balancing"],), ranks, f"{run['seconds']:.3f}") for run in result]
    return pivot(["balancing"], entries)


def idle_threads(program, elements):
    def table(results):
        entries = []
        for line in (line for line in results[0] if line["program"] == program):
            number, values = line["elements"], sorted(line["milliseconds"])
            spread = f"{digits(values[len(values) // 2])} ({digits(values[0])}-{digits(values[-1])})"
            entries.append(((f"{number} ({size_name(number * 8)})", line["policy"]), line["way"], spread))
        return pivot([elements, "OMP_WAIT_POLICY"], entries)

    return table


def trees_paper(results):
    table = [["", "messages, deviation at most", "times within 15 %", "within 30 %"]]
    for scheme in SCHEMES:
        cells = [cell for cell in results[0]["cells"] if cell["scheme"] == scheme and "paper" in cell]
        messages = max((from_paper(cell, "messages") for cell in cells), default=0)
        within = [sum(from_paper(cell, "seconds") <= most for cell in cells) for most in (0.15, 0.3)]
        table.append([scheme, f"{messages * 100:.2f} %", f"{within[0]} of {len(cells)} cells", str(within[1])])
    return table


def trees_lists(results):
    entries = []
    for cost in results[0]["list_costs"]:
        key, cells = (f"{cost['cost']:g} of a message",), cost["cells"]
        for cell in (cell for cell in cells if cell["scheme"] == "hash"):
            child, leaf = (find_cell(cells, "hash-" + filler, cell)["seconds"] / cell["seconds"]
                           for filler in ("child", "leaf"))
            entries.append((key, f"{cell['fraction']:g}", f"{child:.2f}, {leaf:.2f}"))
        balance = [cell for cell in cells if cell["scheme"] == "balance" and "paper" in cell]
        within = sum(from_paper(cell, "seconds") <= 0.3 for cell in balance)
        entries.append((key, "balance within 30 %", f"{within} of {len(balance)}"))
    return pivot(["a list costs"], entries)


# The figures.

SPEEDUP = "speedup (higher is better)"
MICROSECONDS = "µs (lower is better)"


def over_size(points, title, y, value):
    """A curve for each way that an operation is measured in."""
    panel = Panel(title, "message size", y, in_bytes=True)
    for point in points:
        for variant in point["variants"]:
            panel.add(way_name(variant), point["bytes"], value(variant))
    return panel


def draw_allreduce(results):
    return over_size(results[0]["operations"]["allreduce"], "MPI_Allreduce of doubles against MPICH", SPEEDUP,
                     lambda variant: variant["speedup"])


def draw_oversubscribed(results):
    panel = Panel("MPI_Allreduce with more ranks than cores", "ranks", MICROSECONDS)
    for result in results:
        for point in result["operations"]["allreduce"]:
            for name, _, seconds in Ways.of_collective(point):
                panel.add(f"{name.split(' (')[0]}, {size_name(point['bytes'])}", result["machine"]["ranks"], seconds * 1e6)
    return panel


def gains(title, points):
    panel = Panel(title, "bytes of data", SPEEDUP, in_bytes=True)
    for name, size, ways in points:
        panel.add(name, size, ways.first_team()[1])
    return panel


def draw_collectives(results, over="native MPI"):
    panel = gains("Collectives, team of 1, against " + over,
                  ((function, point["bytes"], Ways.of_collective(point)) for function, point in points_of(results[0])))
    panel.leave_out("MPI_Gather", "MPI_Scatter")
    return panel


def draw_peers(results):
    panel = draw_collectives(results, "newer MPIs")
    panel.add_level()
    return panel


def draw_transfers(results):
    panel = gains("Messages, team of 1, against native MPI",
                  ((point["type"], point["bytes"], Ways.of_transfer(point, results[0]["variants"]))
                   for point in results[0]["points"]))
    panel.leave_out("vector-2", "vector-64", "rows-4x1", "random", "x-face", "y-face")
    return panel


def draw_pack(results):
    panel = Panel("Packing a vector of single doubles", "bytes of data", "GB/s (higher is better)", log_y=False, in_bytes=True)
    for point in (point for point in results[0] if point["type"] == "vector-1"):
        for way, name in (("native", "MPI_Pack"), ("alone", "1 thread"), ("team", "2 threads")):
            panel.add(name, point["asked_bytes"], gigabytes(point["bytes"], point["pack_seconds"][way]))
    return panel


def draw_helpers(results):
    # Where threads have a core each; a machine that cannot emulate them has fewer.
    result = results[-1]
    largest = max(point["asked_bytes"] for point in result["points"])
    panel = Panel(f"Speedup by helpers: {helpers_title(result)}, {size_name(largest)}", "threads of a team", SPEEDUP,
                  log_y=False)
    drawn = ("vector-1", "struct", "MINLOC of double_int", "sum of double", "user's operation")
    for point in result["points"]:
        if point["asked_bytes"] == largest and point["data"] in drawn and point["function"] in ("MPI_Allreduce", "MPI_Bcast"):
            for threads in result["teams"]:
                panel.add(f"{point['function']}, {point['data']}", threads,
                          of_threads(point, "team", 1) / of_threads(point, "team", threads))
    for threads in result["teams"]:
        panel.add("ideal", threads, threads, True, "#a0a0a0")
    return panel


def draw_sums(results):
    threads = results[0]["teams"][-1]
    panel = Panel(f"Adding the arrays of {threads} threads: {helpers_title(results[0])}", "bytes of each thread", MICROSECONDS,
                  in_bytes=True)
    for way in [BY_HAND[0], HYBRID, *BY_HAND[1:]]:
        for point in filter(is_of_all_threads, results[0]["points"]):
            if (seconds := of_threads(point, way, threads)) is not None:
                panel.add(way, point["bytes"], seconds * 1e6)
    return panel


def draw_creation(results):
    most = max(creation["parent"] for creation in results[0])
    panel = Panel(f"Creating a communicator: part of {most} ranks", "ranks of the communicator", MICROSECONDS)
    for creation in (creation for creation in results[0] if creation["parent"] == most):
        for way, seconds in sorted(creation["seconds"].items()):
            panel.add(way, creation["group"], seconds * 1e6, way in creation.get("collective_over_parent", []))
    panel.leave_out("from_group", "recursive")
    return panel


def creation_model_panel(points, title, quantity, y, scale=1.0):
    panel = Panel(title, "processes of the communicator", y)
    for point in points:
        panel.add(point["way"], point["group"], point[quantity] * scale, point["collective_over_parent"])
    panel.leave_out("recursive")
    return panel


def draw_creation_model(results):
    return creation_model_panel(results[0], f"Creating a communicator: part of {results[0][0]['parent']} processes", "seconds",
                                MICROSECONDS, 1e6)


def draw_groups(results):
    panel = Panel("Making and freeing a group of all ranks", "ranks", MICROSECONDS)
    for result in results:
        for way in ("MPI_Comm_split", "balance, k 4", "hash, k 4", "centralised, k 4"):
            panel.add(way, result[0]["ranks"], median_of(result, MADE, way))
    return panel


def draw_groups_allreduce(results):
    panel = Panel("MPIX_Sysgroup_allreduce against MPI_Allreduce", "message size", SPEEDUP, log_y=False, in_bytes=True)
    for team, size, ratio in group_reductions(results[0]):
        panel.add("team of " + team, size, ratio)
    panel.add_level()
    return panel


def draw_enrolments(results):
    panel = Panel(f"Messages to make a group of {results[-1][0]['ranks']} ranks", "fraction of the ranks that join",
                  "messages (fewer is better)", log_y=False)
    for cell in results[-1]:
        panel.add(cell["scheme"], cell["fraction"], cell["messages"])
    return panel


def draw_trees_memory(results):
    panel = Panel("Memory of a process that makes a group", "processes", "bytes (lower is better)")
    for cell in results[0]["cells"]:
        panel.add(cell["scheme"], cell["processes"], cell["most_state_bytes"])
    return panel


def draw_nodes(results):
    cells = [cell for cell in results[0] if is_in_table(cell, False)]
    most = max(cell["nodes"] for cell in cells)
    panel = Panel(f"Model: {most:,} nodes of 1 rank, teams of 64", "message size", SPEEDUP, in_bytes=True)
    for cell in cells:
        if cell["nodes"] == most and shape(cell) == "1 x 64":
            panel.add(cell["operation"], cell["bytes"], over_mpich(cell))
    panel.leave_out("gather", "scatter")
    panel.add_level()
    return panel


def draw_programs(results):
    curves = {}
    for row, program in enumerate(results[0]):
        for threads, _, _, ratio in preloaded_runs(program):
            curves.setdefault("1 thread" if threads == 1 else f"{threads} threads", []).append((row, ratio))
    title = "Whole programs: speed with the library"
    return title, ratios(title, "speedup (higher is better)", [program["name"] for program in results[0]], curves)


class Table:
    """A table of a page, and the figure above it."""

    def __init__(self, page, name, results, make, draw=None):
        self.page, self.name, self.results, self.make, self.draw = page + ".md", name, results, make, draw

    def of(self, results):
        """(rows, title of the figure, figure or "", sources); None if none of its results is there."""
        found = [name for name in self.results if results.json(name) is not None]
        if not found:
            return None
        values = [results.json(name) for name in found]
        drawn = self.draw(values) if self.draw else ("", "")
        if isinstance(drawn, Panel):
            drawn = drawn.title, chart(drawn)
        return self.make(values), *drawn, [results.source(name) for name in found]


TABLES = [
    Table("performance", "allreduce", ["throughput"], allreduce, draw_allreduce),
    Table("appendix", "alloc-mem", ["alloc_mem"], allreduce, draw_allreduce),
    Table("appendix", "oversubscribed", [f"oversubscribed-{ranks}" for ranks in (4, 8, 16, 32)], oversubscribed,
          draw_oversubscribed),
    Table("appendix", "first-calls", ["first_calls"], first_calls),
    Table("appendix", "collectives", ["collectives"], collectives, draw_collectives),
    Table("appendix", "peers", ["peers"], peers, draw_peers),
    Table("performance", "transfers", ["transfers"], transfers, draw_transfers),
    Table("appendix", "pack", ["pack"], pack, draw_pack),
    Table("appendix", "helpers", HELPERS, helpers, draw_helpers),
    Table("appendix", "helpers-sums", HELPERS, sums, draw_sums),
    Table("performance", "costs", ["costs"], costs),
    Table("appendix", "busy-neighbour", ["busy_neighbour"], busy_neighbour),
    Table("performance", "programs", ["programs"], programs, draw_programs),
    Table("appendix", "creation", ["creation"], creation, draw_creation),
    Table("appendix", "groups", ["groups", "groups-many"], groups, draw_groups),
    Table("appendix", "groups-memory", ["groups", "groups-many"], groups_memory),
    Table("appendix", "groups-allreduce", ["groups"], groups_allreduce, draw_groups_allreduce),
    Table("appendix", "enrolments", [f"enrolments-{ranks}" for ranks in (2, 8, 32)], enrolments, draw_enrolments),
    Table("appendix", "trees-memory", ["trees_memory"], trees_memory, draw_trees_memory),
    Table("appendix", "nodes", ["nodes"], lambda results: nodes_table(results, False), draw_nodes),
    Table("appendix", "nodes-others", ["nodes"], lambda results: nodes_table(results, True)),
    Table("appendix", "creation-few", ["creation"], creation_of_few),
    Table("appendix", "creation-model", ["creation_model"], creation_model, draw_creation_model),
    Table("appendix", "mcmc", ["mcmc", "mcmc_model"], mcmc),
    Table("appendix", "mcmc-threads", [f"mcmc_threads-{ranks}" for ranks in (2, 4, 8)], mcmc_threads),
    Table("appendix", "deposit", ["idle_threads"], idle_threads("deposit", "cells")),
    Table("appendix", "columns", ["idle_threads"], idle_threads("columns", "rows")),
    Table("appendix", "columns-region", ["idle_threads"], idle_threads("columns in a region", "rows")),
    Table("appendix", "hosts", [f"hosts-{hosts}" for hosts in (2, 4, 8, 16)], hosts),
    Table("design", "overlap", ["overlap"], overlap),
    Table("design", "trees-paper", ["trees"], trees_paper),
    Table("design", "trees-lists", ["trees"], trees_lists),
]

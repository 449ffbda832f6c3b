# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the pages of docs/.

A table is a list of rows of texts; the first row is its header. Each function takes the list of the results that exist, at least one.
"""

import json
import re

import drawings
from figures import Panel, chart
from results import (BY_HAND, FUNCTIONS, HELPERS, HYBRID, MADE, PACKING, ROOT, SCHEMES, Ways, digits, find_cell, from_paper,
                     group_reductions, helpers_title, is_in_table, is_of_all_threads, median_of,
                     megabytes, of_threads, over_mpich, packing_rate, points_of, preloaded_runs, shape, size_name, speedup, teams)


def pivot(head, entries):
    """Makes a table from (key, name, cell): a row for each key and a column for each name, in order of appearance."""
    rows, columns = {}, {}
    for key, column, cell in entries:
        rows.setdefault(key, {})[column] = cell
        columns[column] = None
    return [[*head, *columns]] + [[*key, *(row.get(column, "") for column in columns)] for key, row in rows.items()]


def micro(seconds):
    return digits(seconds * 1e6)


def timed(head, points):
    """Makes rows from (first cells, point): the time of each way, and the speedup of each team."""
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


def peers(results):
    table = timed(["operation", "size"],
                  (([function, size_name(point["bytes"])], point) for function, point in points_of(results[0])))
    # "MPICH Version:      4.2.1,A=1" becomes a cell of two lines.
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
        ((point["data"], point["function"][4:].lower()), size_name(point["asked_bytes"]),
         " / ".join(digits(packing_rate(point, *way)) for way in PACKING))
        for point in sorted(results[0]["points"], key=lambda point: point["data"])))


def costs(results):
    return [["", "median", "p10", "p90", "unit", "limit"]] + [
        [cost["what"], digits(cost["median"]), digits(cost["p10"]), digits(cost["p90"]), cost["unit"],
         f"{cost['limit']:g}" if "limit" in cost else ""] for cost in results[0]]


def limits(results):
    return [["size", "memory", "crossing", "chunk", "stores", "pack", "reduce", "fetch", "limit", "library", "ratio"]] + [
        [size_name(line["bytes"]), line["memory"], size_name(line["crossing_bytes"]), size_name(line["chunk_bytes"]), line["stores"],
         *(micro(line["seconds " + name]["median"]) for name in ("pack", "reduce", "fetch", "limit", "library")), f"{line['ratio']:.2f}"]
        for line in results[0]]


def creation(results):
    most = max(creation["parent"] for creation in results[0])
    return pivot([f"of {most} ranks"], (((str(creation["group"]),), way, digits(seconds * 1e3))
                                        for creation in results[0] if creation["parent"] == most
                                        for way, seconds in sorted(creation["seconds"].items())))


def creation_of_few(results):
    # In a job of many ranks few ranks have a core of their own. The last result is of a job of two ranks.
    return pivot(["ranks of the group, of all"],
                 (((f"{creation['group']} of {creation['parent']}",), way, micro(seconds))
                  for result in results for creation in result if creation["parent"] <= 8
                  for way, seconds in sorted(creation["seconds"].items())))


def creation_model(results):
    return pivot(["members"], (((str(point["group"]),), point["way"], f"{point['steps']}, {micro(point['seconds'])}")
                               for point in results[0]))


def trees_memory(results):
    return pivot(["processes"], (
        ((str(cell["processes"]),), cell["scheme"],
         f"{cell['most_state_bytes']}, {cell['mean_state_bytes']:.0f}, {cell['most_place_bytes']}")
        for cell in results[0]["cells"]))


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
    """Returns the time of the first team divided by the prediction of the cost model; None if the model has no prediction."""
    team = next(variant for variant in point["variants"] if variant["team_size"] != 0)
    return team["seconds"]["median"] / team["modelled"]["seconds"] if "modelled" in team else None


def off_model(result):
    """Returns for each size how far the model is off in half of the operations, and in all; empty if it has no prediction."""
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
    native = 0
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


def graph(results):
    return pivot(["size"], (((size_name(size),), name + ", MB/s", f"{rate:.0f}")
                            for result in results for name, size, rate in megabytes(result)))


def by_teams(results):
    """Makes a table of the milliseconds of one thread and the speedups of teams."""
    table = [["function", "data", "size", "1 thread, ms", *(f"{team} threads" for team in teams(results[0]))]]
    for point in results[0]["points"]:
        table.append([point["function"], point["data"], size_name(point["asked_bytes"]),
                      digits(of_threads(point, "team", 1) * 1e3),
                      *(f"{speedup(point, team):.2f}" for team in teams(results[0]))])
    return table


def pinned(results):
    """Makes a table of each team's microseconds without binding, and its speedup if bound."""
    placements = [placement for placement in results[0]["placements"] if placement != "none"]
    entries = []
    for point in (point for point in results[0]["points"] if point["data"] in ("vector-1", "struct", "sum of double")):
        for team in teams(results[0]):
            free = of_threads(point, "team", team)
            entries += [((point["function"], point["data"], size_name(point["asked_bytes"])), f"{team} threads, {placement}",
                         f"{micro(free)}, {free / of_threads(point, 'team, ' + placement, team):.2f}") for placement in placements]
    return pivot(["function", "data", "size"], entries)


def placement(results):
    def name(pus):
        return str(pus[0]) if len(pus) == 1 else f"{pus[0]}–{pus[-1]}"

    return pivot(["placement"], (((policy["name"],), f"member {member}", name(place))
                                 for policy in results[0]["policies"] for member, place in enumerate(policy["places"])))


def enrolments(results):
    return pivot(["ranks", "fraction"], (
        ((str(cell["ranks"]), json.dumps(cell["fraction"])), cell["scheme"],
         f"{cell['messages']}, {cell['model_messages']}, {digits(cell['microseconds'])}")
        for result in results for cell in result))


def in_paper(balancing):
    """Returns the values of Table I of Dinan et al. for one of our ways to balance."""
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


def mcmc_teams(results):
    entries = [(("the ideal",), f"{result[0]['threads']} threads, alone", f"{result[0]['ideal_seconds']:.3f}") for result in results]
    for result in results:
        for run in result:
            balancing, team, _ = run["balancing"].partition(" teams")
            entries.append(((balancing,), f"{run['threads']} threads, {'team' if team else 'alone'}", f"{run['seconds']:.3f}"))
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


def trees_messages(results):
    table = [["", "messages, deviation at most", "times within 15 %", "within 30 %"]]
    for scheme in SCHEMES:
        cells = [cell for cell in results[0]["cells"] if cell["scheme"] == scheme and "paper" in cell]
        messages = max((from_paper(cell, "messages") for cell in cells), default=0)
        within = [sum(from_paper(cell, "seconds") <= most for cell in cells) for most in (0.15, 0.3)]
        table.append([scheme, f"{messages * 100:.2f} %", f"{within[0]} of {len(cells)} cells", str(within[1])])
    return table


def trees_times(results):
    """Makes Table II with our values and the paper's."""
    entries = []
    for cell in (cell for cell in results[0]["cells"] if cell["scheme"] in SCHEMES):
        of_paper = cell.get("paper")
        paper = [f"{of_paper['seconds'] * 1e6:.0f}", f"{of_paper['messages']:.0f}"] if of_paper else ["–", "–"]
        entries.append(((f"{cell['fraction']:g}", cell["scheme"]), f"{cell['processes'] // 1024}k",
                        f"{cell['seconds'] * 1e6:.0f}, {paper[0]}\n{cell['messages']}, {paper[1]}"))
    return pivot(["fraction", "scheme"], entries)


def trees_trace(results):
    table = [["messages", "number", "first, µs", "last, µs"]]
    for kind in dict.fromkeys(drawings.PASSES.values()):
        of_kind = [of for of in results[0]["trace"] if drawings.PASSES.get(of["kind"]) == kind]
        if of_kind:
            table.append([kind, str(len(of_kind)), digits(min(of["since"] for of in of_kind) * 1e6),
                          digits(max(of["until"] for of in of_kind) * 1e6)])
    return table


def trees_fillers(results):
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


class Table:
    """A table of a page, and the figure above it."""

    def __init__(self, page, name, results, make, draw=None):
        self.page, self.name, self.results, self.make, self.draw = page + ".md", name, results, make, draw

    def of(self, results):
        """Returns (rows, title of the figure, figure or "", sources); None without any of its results."""
        found = [name for name in self.results if results.json(name) is not None]
        if not found:
            return None
        values = [results.json(name) for name in found]
        drawn = self.draw(values) if self.draw else ("", "")
        if isinstance(drawn, Panel):
            drawn = drawn.title, chart(drawn)
        return self.make(values), *drawn, [results.source(name) for name in found]


TABLES = [
    Table("performance", "allreduce", ["throughput"], allreduce, drawings.draw_allreduce),
    Table("appendix", "alloc-mem", ["alloc_mem"], allreduce, drawings.draw_allreduce),
    Table("appendix", "limits", ["limits"], limits),
    Table("appendix", "oversubscribed", [f"oversubscribed-{ranks}" for ranks in (4, 8, 16, 32)], oversubscribed,
          drawings.draw_oversubscribed),
    Table("appendix", "first-calls", ["first_calls"], first_calls),
    Table("appendix", "collectives", ["collectives"], collectives, drawings.draw_collectives),
    Table("appendix", "peers", ["peers"], peers, drawings.draw_peers),
    Table("performance", "transfers", ["transfers"], transfers, drawings.draw_transfers),
    Table("appendix", "pack", ["pack"], pack, drawings.draw_pack),
    Table("appendix", "helpers", HELPERS, helpers, drawings.draw_helpers),
    Table("appendix", "helpers-sums", HELPERS, sums, drawings.draw_sums),
    Table("papers", "graph", ["graph", "helpers-graph"], graph, drawings.draw_graph),
    Table("papers", "messages-teams", ["helpers-messages"], by_teams,
          drawings.draw_teams("Messages between two ranks")),
    Table("papers", "groups-teams", ["helpers-groups"], by_teams, drawings.draw_teams("Groups of four ranks")),
    Table("papers", "mcmc-teams", [f"mcmc_emulated-{threads}" for threads in (2, 4)], mcmc_teams),
    Table("guide", "placement", ["placement"], placement, drawings.draw_placement),
    Table("appendix", "pinned", ["helpers-pinned"], pinned),
    Table("performance", "costs", ["costs"], costs),
    Table("appendix", "busy-neighbour", ["busy_neighbour"], busy_neighbour),
    Table("performance", "programs", ["programs"], programs, drawings.draw_programs),
    Table("appendix", "creation", ["creation"], creation, drawings.draw_creation),
    Table("appendix", "groups", ["groups", "groups-many"], groups, drawings.draw_groups),
    Table("appendix", "groups-memory", ["groups", "groups-many"], groups_memory),
    Table("appendix", "groups-allreduce", ["groups"], groups_allreduce, drawings.draw_groups_allreduce),
    Table("appendix", "enrolments", [f"enrolments-{ranks}" for ranks in (2, 8, 32)], enrolments, drawings.draw_enrolments),
    Table("appendix", "trees-memory", ["trees_memory"], trees_memory, drawings.draw_trees_memory),
    Table("appendix", "nodes", ["nodes"], lambda results: nodes_table(results, False), drawings.draw_nodes),
    Table("appendix", "nodes-others", ["nodes"], lambda results: nodes_table(results, True)),
    Table("appendix", "creation-few", ["creation", "creation-2"], creation_of_few),
    Table("appendix", "creation-model", ["creation_model"], creation_model, drawings.draw_creation_model),
    Table("appendix", "mcmc-threads", [f"mcmc_threads-{ranks}" for ranks in (2, 4, 8)], mcmc_threads),
    Table("appendix", "deposit", ["idle_threads"], idle_threads("deposit", "cells")),
    Table("appendix", "columns", ["idle_threads"], idle_threads("columns", "rows")),
    Table("appendix", "columns-region", ["idle_threads"], idle_threads("columns in a region", "rows")),
    Table("appendix", "hosts", [f"hosts-{hosts}" for hosts in (2, 4, 8, 16)], hosts),
    Table("protocols", "overlap", ["overlap"], overlap),
    Table("papers", "mcmc", ["mcmc", "mcmc_model"], mcmc, drawings.draw_mcmc),
    Table("papers", "trees-trace", ["trees"], trees_trace, drawings.draw_trees_trace),
    Table("papers", "trees-messages", ["trees"], trees_messages, drawings.draw_trees_messages),
    Table("papers", "trees-fillers", ["trees"], trees_fillers, drawings.draw_trees_fillers),
    Table("papers", "trees-times", ["trees"], trees_times, drawings.draw_trees_times),
]

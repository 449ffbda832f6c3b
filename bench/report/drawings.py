# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The figures above the tables of the pages of docs/.

Each function takes the list of the results that exist, at least one.
"""

from figures import COLOURS, Panel, boxes, chart, machines, ratios
from results import (BY_HAND, HYBRID, MADE, PACKING, SCHEMES, Ways, find_cell, group_reductions, helpers_title,
                     is_in_table, is_of_all_threads, median_of, megabytes, of_threads, over_mpich, packing_rate, points_of,
                     preloaded_runs,
                     shape, size_name, speedup, way_name)


SPEEDUP = "speedup (higher is better)"
MICROSECONDS = "µs (lower is better)"


def over_size(points, title, y, value):
    """A curve for each way of measuring an operation."""
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
    for point in results[0]["points"]:
        for way, name in PACKING.items():
            if (point["function"], point["data"]) == ("MPI_Pack", "vector-1"):
                panel.add(name, point["asked_bytes"], packing_rate(point, *way))
    return panel


def draw_helpers(results):
    # This needs a core for each thread. A machine that cannot emulate them has fewer threads.
    result = results[-1]
    largest = max(point["asked_bytes"] for point in result["points"])
    panel = Panel(f"Speedup by helpers, {size_name(largest)}", f"threads of a team ({helpers_title(result)})", SPEEDUP,
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


def draw_graph(results):
    panel = Panel("Graph 1: MPI_Allreduce of ints, 2 ranks", "message size", "MB/s (higher is better)", in_bytes=True)
    for result in results:
        for name, size, rate in megabytes(result):
            panel.add(name, size, rate, "emulated" in name)
    return panel


def draw_teams(title):
    """A curve of the largest size for each function and kind of data."""
    def draw(results):
        points, sizes = results[0]["points"], [point["asked_bytes"] for point in results[0]["points"]]
        panel = Panel(f"{title}, {size_name(max(sizes))}", "threads of each rank", SPEEDUP, log_y=False)
        for point in (point for point in points if point["asked_bytes"] == max(sizes)):
            for threads in results[0]["teams"]:
                panel.add(f"{point['function']}, {point['data']}", threads, speedup(point, threads))
        return panel

    return draw


def draw_placement(results):
    title = "Where the members of a team run"
    return title, machines(title, results[0]["nodes"], results[0]["cores"],
                           {policy["name"]: policy["places"] for policy in results[0]["policies"]})


def draw_creation(results):
    most = max(creation["parent"] for creation in results[0])
    panel = Panel(f"Creating a communicator: part of {most} ranks", "ranks of the communicator", MICROSECONDS)
    for creation in (creation for creation in results[0] if creation["parent"] == most):
        for way, seconds in sorted(creation["seconds"].items()):
            panel.add(way, creation["group"], seconds * 1e6, way in creation.get("collective_over_parent", []))
    panel.leave_out("from_group", "recursive")
    return panel


def draw_creation_model(results):
    panel = Panel(f"Creating a communicator: part of {results[0][0]['parent']} processes", "processes of the communicator",
                  MICROSECONDS)
    for point in results[0]:
        panel.add(point["way"], point["group"], point["seconds"] * 1e6, point["collective_over_parent"])
    panel.leave_out("recursive")
    return panel


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


def draw_mcmc(results):
    panel = Panel("Figure 2: weak scaling in the model", "processes", "seconds", log_y=False)
    for run in results[-1]:
        if run["balancing"] in ("none", "asynchronous", "prompt", "collective 1", "collective 16", "collective 128"):
            panel.add(run["balancing"], run["processes"], run["seconds"])
        if run["balancing"] == "none":
            panel.add("ideal", run["processes"], run["ideal_seconds"], True, "#a0a0a0")
    return panel


# Messages by their purpose, in the order in which an enrolment starts with them.
PASSES = {"report": "upward pass", "relocation": "relocations", "descent": "downward pass", "registration": "hashing",
          "introduction": "hashing"}
REST = "before and after"
FILLED = (0.001, 0.01, 0.3, 0.9)


def draw_trees_trace(results):
    shades = dict(zip([*dict.fromkeys(PASSES.values()), REST], ["#0b6bcb", "#d9480f", "#2b8a3e", "#9c36b5", "#868e96"]))
    rows = [(of["process"], of["process"], of["since"] * 1e6, of["until"] * 1e6, PASSES.get(of["kind"], REST))
            for of in results[0]["trace"]]
    title = f"Figure 5: {max(row[1] for row in rows) + 1} processes"
    return title, boxes(title, "µs", rows, shades)


def draw_trees_messages(results):
    return relative(results[0]["cells"], "messages", "Figure 6: messages")


def draw_trees_fillers(results):
    return "Figure 7: times with each filler", chart(*(fillers(results[0]["cells"], fraction) for fraction in FILLED))


def draw_trees_times(results):
    return relative(results[0]["cells"], "seconds", "Figure 8: times")


def fillers(cells, fraction):
    panel = Panel(f"Figure 7: hash, {fraction} participate", "processes", "µs", log_y=False)
    for cell in cells:
        if cell["scheme"] in ("hash", "hash-child", "hash-leaf") and cell["fraction"] == fraction:
            add_both(panel, cell, cell["processes"], lambda of: of["seconds"] * 1e6)
    return panel


def add_both(panel, cell, x, value, paper=None):
    """A point of our measurements, and one of the paper's."""
    colour = COLOURS[(*SCHEMES, "hash-child", "hash-leaf").index(cell["scheme"])]
    panel.add(cell["scheme"], x, value(cell), colour=colour)
    if "paper" in cell and (paper or value)(cell["paper"]) is not None:
        panel.add(cell["scheme"] + ", paper", x, (paper or value)(cell["paper"]), True, colour)


def relative(cells, quantity, title):
    """A quantity divided by that of the centralised scheme, by fraction, for the largest number of processes in the paper."""
    processes = max(cell["processes"] for cell in cells if cell["processes"] <= 65536)
    panel = Panel(f"{title}, {processes} processes", "fraction that participates", "centralised = 1", log_y=False)
    for cell in (cell for cell in cells if cell["scheme"] in SCHEMES[1:] and cell["processes"] == processes):
        reference = find_cell(cells, SCHEMES[0], cell)
        if reference is not None:
            papers = reference.get("paper")
            add_both(panel, cell, cell["fraction"], lambda of: of[quantity] / reference[quantity],
                     lambda of: of[quantity] / papers[quantity] if papers else None)
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

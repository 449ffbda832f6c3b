# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The results that the benchmarks left in folders, as lists of records: dictionaries of what a row or a point needs.

The functions that make records take the results that exist, at least one. A record's "style" is that of its curve.
"""

import json
import pathlib
import re

from figures import COLOURS, DASHED, LEVEL, digits, size_name

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Results:
    """Reads NAME.json and NAME.command from folders. The first folder that has a file counts; folders need not exist.

    `only` names the results to read; None: all.
    """

    def __init__(self, folders, only=None):
        self.folders, self.only = [pathlib.Path(folder) for folder in folders], only

    def text(self, file):
        """Returns the contents of a file; "" if it does not exist."""
        return next((path.read_text() for folder in self.folders if (path := folder / file).is_file()), "")

    def json(self, name):
        """Returns a result; None if it does not exist."""
        content = self.text(name + ".json") if self.only is None or name in self.only else ""
        return json.loads(content) if content else None

    def sources(self, names):
        """Returns the commands and the origins (date, machine and commit) of results, each once, one per line."""
        lines = [(self.text(name + ".command").splitlines() + ["", ""])[:2] for name in names]
        return ["\n".join(dict.fromkeys(each)) for each in zip(*lines)]


def lines(*results):
    """Results that are records already."""
    return [line for result in results for line in result]


def points(*results, is_sorted=True):
    """What `throughput` and `transfers` have measured. The gain of a way is its speedup over the fastest native way."""
    for result in results:
        groups = {}
        for line in sorted(result, key=lambda line: line["operation"]) if is_sorted else result:
            groups.setdefault((line["operation"], line["bytes"]), []).append({**line, "seconds": line["seconds"]["median"]})
        for ways in groups.values():
            native = min(way["seconds"] for way in ways if way["team_size"] == 0)
            for way in ways:
                way |= {"gain": native / way["seconds"], "way": "MPICH" if way["way"] == "native" else way["way"],
                        "plain": way["way"].split(" (")[0],
                        # the time divided by the prediction of the cost model
                        "off": way["seconds"] / way["modelled"]["seconds"] if "modelled" in way else None}
            yield {**ways[0], "ways": ways, "team": next(way for way in ways if way["team_size"] != 0)}


def allreduces(*results):
    return [point for point in points(*results) if point["operation"] == "allreduce"]


def by_way(of):
    return [way for point in of for way in point["ways"]]


def helped(*results):
    """What `helpers` has measured. The speedup of a way is over one thread, its gain over a team without binding."""
    for number, result in enumerate(results):
        first, largest = result[0], max(line["asked_bytes"] for line in result)
        title = (f"{first['ranks']} ranks, emulated cores" if first["slower"] != 1 else "1 rank" if first["ranks"] == 1 else
                 f"{first['ranks']} ranks{', one at work' if first['alone'] else ''}")
        sizes = dict.fromkeys(size_name(line["asked_bytes"]) for line in result if line["function"] == first["function"])
        medians = {(line["function"], line["data"], line["asked_bytes"], line["way"], line["threads"]): line["seconds"]["median"]
                   for line in result}
        for (*what, way, threads), line in zip(medians, result):
            own, one, free = (medians.get((*what, *who)) for who in ((way, threads), ("team", 1), ("team", threads)))
            yield {**line, "title": title, "sizes": " / ".join(sizes), "number": number, "is_last": result is results[-1],
                   "is_largest": line["asked_bytes"] == largest, "most": max(line["threads"] for line in result),
                   "seconds": own, "one": one, "speedup": one and one / own, "free": free, "gain": free and free / own,
                   "placement": way.partition(", ")[2], "rate": line["bytes"] / own * line["slower"]}


def by_helpers(*results):
    return [record for record in helped(*results) if record["way"] == "team" and record["function"] != "all threads"]


def packing(result):
    names = {("native", 1): "MPI_Pack", ("team", 1): "1 thread", ("team", 2): "2 threads"}
    for record in sorted(helped(result), key=lambda record: record["data"]):
        if name := names.get((record["way"], record["threads"])):
            yield {**record, "name": name, "rate": record["rate"] / 1e9, "does": record["function"][4:].lower()}


def sums(*results):
    """The sums over threads, by the library's function and by hand. The ratio is that of the fastest by hand."""
    of = [record for record in helped(*results) if record["function"] == "all threads" and record["threads"] != 1]
    for key in sorted({(record["number"], record["threads"], record["bytes"]) for record in of}):
        own, *by_hand = ways = [record for record in of if (record["number"], record["threads"], record["bytes"]) == key]
        yield from ({**way, "cell": digits(way["seconds"] * 1e6)} for way in ways)
        yield {**own, "way": "ratio", "cell": f"{min(way['seconds'] for way in by_hand) / own['seconds']:.2f}", "seconds": None}


def megabytes(*results):
    """MB/s of MPI_Allreduce of ints. Rates on emulated cores are multiplied by the slowdown."""
    for result in results:
        if "operation" in result[0]:
            yield from ({**way, "name": "1 thread" if way["team_size"] == 1 else way["way"], "rate": way["bytes"] / way["seconds"] / 1e6}
                        for way in by_way(points(result)))
        else:
            yield from ({**way, "name": f"{way['threads']} thread{'s' if way['threads'] > 1 else ''}, emulated cores",
                         "rate": way["rate"] / 1e6, "style": DASHED} for way in helped(result))


def creations(*results):
    for result in results:
        most = max(line["parent"] for line in result)
        for line in result:
            yield {**line, "is_most": line["parent"] == most, "style": DASHED if line["collective_over_parent"] else {}}


def programs(result):
    names = list(dict.fromkeys(way["name"] for way in result))
    for way in result:
        if way["helpers"] == "":
            native = way  # it precedes the ways that are compared with it
        else:
            yield {**way, "number": names.index(way["name"]), "native": native, "ratio": native["total"]["median"] / way["total"]["median"]}


def placement(result):
    for policy in result["policies"]:
        yield from ({**policy, "member": member, "pus": pus, "result": result} for member, pus in enumerate(policy["places"]))


def nodes(result):
    """What `nodes` has computed, as far as the pages show it. There are tables of operations and of others."""
    for cell in result:
        others, shape = cell["operation"] in ("barrier", "scan", "exscan", "allgatherv", "alltoallv"), f"{cell['ranks']} x {cell['team']}"
        if (cell["network"] not in ("1 Gbit Ethernet", "400 Gbit NDR") and shape in ("1 x 64", "8 x 8", "128 x 1")
                and (cell["nodes"] == 1024 or (cell["nodes"] == 16384 and not others))):
            ratio = cell["mpich"]["seconds"] / cell["library"]["seconds"]
            text = "native" if cell["algorithm"] == "native" else f"{ratio:.2f} {cell['algorithm']}"
            yield {**cell, "shape": shape, "others": others, "ratio": ratio, "text": text}


def most_nodes(of):
    most = max(cell["nodes"] for cell in of)
    return [cell for cell in of if cell["shape"] == "1 x 64" and cell["nodes"] == most]


def mcmc(*results):
    """The runs, with the values in Table I of Dinan et al."""
    rows = [line.split(",") for line in (ROOT / "bench/mcmc/dinan_table1.csv").read_text().splitlines()]
    for result in results:
        for run in result:
            way, _, period = run["balancing"].replace("asynchronous", "async").partition(" ")
            yield {**run, "ratio": run["seconds"] / run["ideal_seconds"], "is_last": result is results[-1],
                   "paper": next((", ".join(cells[2:]) for cells in rows if cells[:2] == [way, period]), ""),
                   "is_most": run["processes"] == max(other["processes"] for other in result)}


def scaling(of):
    for run in (run for run in of if run["is_last"]):
        if run["balancing"] in ("none", "asynchronous", "prompt", "collective 1", "collective 16", "collective 128"):
            yield run
        if run["balancing"] == "none":
            yield {**run, "balancing": "ideal", "seconds": run["ideal_seconds"], "style": LEVEL}


def balanced(ideal):
    """The ideal and the runs of `mcmc`. Those of teams have a mark."""
    def make(*results):
        yield from ({**result[0], "balancing": ideal, "seconds": result[0]["ideal_seconds"], "by": "alone"} for result in results)
        for run in lines(*results):
            balancing, team, _ = run["balancing"].partition(" teams")
            yield {**run, "balancing": balancing, "by": "team" if team else "alone"}

    return make


SCHEMES = ["centralised", "balance", "hash"]  # of Table II of Langer et al.


def with_paper(of):
    """The cells of `trees`, and the paper's as cells of their own."""
    for cell in of:
        style = {"color": COLOURS[[*SCHEMES, "hash-child", "hash-leaf", "balance-child"].index(cell["scheme"])]}
        yield {**cell, "name": cell["scheme"], "style": style}
        if "paper" in cell:
            yield {**cell, **cell["paper"], "name": cell["scheme"] + ", paper", "style": {**DASHED, **style}}


def relative(of):
    """Divides cells by those of the centralised scheme, for the largest number of processes in the paper."""
    most = max(cell["processes"] for cell in of if cell["processes"] <= 65536)
    made = {(cell["name"], cell["fraction"]): cell for cell in with_paper(of) if cell["processes"] == most}
    for (name, fraction), cell in made.items():
        if cell["scheme"] in SCHEMES[1:] and (base := made.get((name.replace(cell["scheme"], SCHEMES[0]), fraction))):
            yield {**cell, **{quantity: cell[quantity] / base[quantity] for quantity in ("seconds", "messages")}}


def from_paper(cell, quantity):
    """Returns how far the model is from the paper."""
    return abs(cell[quantity] / cell["paper"][quantity] - 1)


def deviations(cells):
    for scheme in SCHEMES:
        compared = [cell for cell in cells if cell["scheme"] == scheme and "paper" in cell]
        within = [sum(from_paper(cell, "seconds") <= most for cell in compared) for most in (0.15, 0.3)]
        yield {"scheme": scheme, "percent": 100 * max((from_paper(cell, "messages") for cell in compared), default=0),
               "count": len(compared), "within": within}


def fillers(costs):
    for cost in costs:
        seconds = {(cell["scheme"], cell["fraction"]): cell["seconds"] for cell in cost["cells"]}
        for (scheme, fraction), own in seconds.items():
            if scheme == "hash":
                child, leaf = (seconds["hash-" + filler, fraction] / own for filler in ("child", "leaf"))
                yield {**cost, "column": f"{fraction:g}", "cell": f"{child:.2f}, {leaf:.2f}"}
        balance = [from_paper(cell, "seconds") <= 0.3 for cell in cost["cells"] if cell["scheme"] == "balance" and "paper" in cell]
        yield {**cost, "column": "balance within 30 %", "cell": f"{sum(balance)} of {len(balance)}"}


# Messages by their purpose, in the order in which an enrolment starts with them.
PASSES = {"report": "upward pass", "relocation": "relocations", "descent": "downward pass", "registration": "hashing",
          "introduction": "hashing"}


def passes(trace):
    for each in dict.fromkeys(PASSES.values()):
        if of := [part for part in trace if PASSES.get(part["kind"]) == each]:
            first, last = min(part["since"] for part in of), max(part["until"] for part in of)
            yield {"messages": each, "number": len(of), "first": first, "last": last}

# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""The results that the benchmarks left in folders, and how to format their numbers."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

FUNCTIONS = {
    "allreduce": "MPI_Allreduce", "bcast": "MPI_Bcast", "bcast-vector": "MPI_Bcast of a vector",
    "reduce": "MPI_Reduce", "reduce-scatter": "MPI_Reduce_scatter_block", "scan": "MPI_Scan", "exscan": "MPI_Exscan",
    "allgather": "MPI_Allgather", "allgatherv": "MPI_Allgatherv", "gather": "MPI_Gather", "scatter": "MPI_Scatter",
    "alltoall": "MPI_Alltoall", "alltoallv": "MPI_Alltoallv", "barrier": "MPI_Barrier",
}


class Results:
    """Reads NAME.json and NAME.command from folders. The first folder that has a file counts; folders need not exist.

    `only` names the results to read; None: all.
    """

    def __init__(self, folders, only=None):
        self.folders = [pathlib.Path(folder) for folder in folders]
        self.only = only

    def text(self, file):
        """Returns the contents of a file; "" if it does not exist."""
        for folder in self.folders:
            if (folder / file).is_file():
                return (folder / file).read_text()
        return ""

    def json(self, name):
        """Returns a result; None if it does not exist."""
        if self.only is not None and name not in self.only:
            return None
        content = self.text(name + ".json")
        return json.loads(content) if content else None

    def source(self, name):
        """Returns the command that made a result, and its origin: date, machine and commit."""
        lines = self.text(name + ".command").splitlines() + ["", ""]
        return lines[0], lines[1]


def all_of(sources):
    """Returns the commands and the origins of several results, each once, one per line."""
    return ["\n".join(dict.fromkeys(lines)) for lines in zip(*sources)]


def size_name(number):
    """Returns 2048 as "2 KiB". A number that is no multiple of 1024 stays as it is."""
    units = ["B", "KiB", "MiB", "GiB"]
    number = int(number)
    while number >= 1024 and number % 1024 == 0:
        number //= 1024
        units.pop(0)
    return f"{number} {units[0]}"


def digits(value):
    """Returns three significant digits, or all digits before the point."""
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0}f}"


class Ways:
    """The ways in which something was measured: their names, whether they are teams, and medians in seconds."""

    def __init__(self, ways):
        self.ways = ways

    def __iter__(self):
        return iter(self.ways)

    @staticmethod
    def of_collective(point):
        return Ways([(way_name(variant), variant["team_size"] != 0, variant["seconds"]["median"])
                     for variant in point["variants"]])

    @staticmethod
    def of_transfer(point, variants):
        return Ways([(name, name.startswith("team"), seconds["median"])
                     for name, seconds in zip(variants, point["seconds"])])

    def gain(self, seconds):
        """Returns the speedup over the fastest native way."""
        return min(way[2] for way in self.ways if not way[1]) / seconds

    def first_team(self):
        """Returns the seconds of the first team, and its speedup."""
        seconds = next(way[2] for way in self.ways if way[1])
        return seconds, self.gain(seconds)


def way_name(variant):
    return "MPICH" if variant["name"] == "native" else variant["name"]


MADE = "made and freed, all, us"  # by `groups`


def points_of(result):
    for operation, points in sorted(result["operations"].items()):
        for point in points:
            yield FUNCTIONS[operation], point


def median_of(lines, what, way):
    """Returns a value that `groups` has measured."""
    for line in lines:
        if line["what"] == what and line.get("way") == way:
            return line["median"]
    raise KeyError(f"there is no {what} by {way}")


def group_reductions(lines):
    """Returns (team, bytes, MPI_Allreduce's time divided by the group's) as measured by `groups`."""
    units = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
    team, allreduce = "", 0
    for line in lines:
        if not line["what"].startswith("allreduce of "):
            continue
        if line["way"].startswith("MPI_Allreduce"):
            team, allreduce = line["way"].rsplit(" ", 1)[1], line["median"]
        else:
            number, unit = line["what"][13:].split(",")[0].split()
            yield team, int(number) * units[unit], allreduce / line["median"]


def preloaded_runs(program):
    """Returns (threads, native way, way with the library, ratio) of a result of `programs`."""
    native = None  # the native line precedes the lines that are compared with it
    for way in program["ways"]:
        if way["helpers"] == "":
            native = way
        else:
            yield way["threads"], native, way, native["seconds"]["median"] / way["seconds"]["median"]


# What `helpers` has measured.

HYBRID = "MPIX_Helper_allreduce"
BY_HAND = ["one thread", "critical", "reduction clause", "tree", "loop"]
HELPERS = ["helpers-threads", "helpers-idle", "helpers-ranks", "helpers-emulated"]


def helpers_title(result):
    ranks = result["ranks"]
    if result["slower"] != 1:
        return f"{ranks} ranks, emulated cores"
    return "1 rank" if ranks == 1 else f"{ranks} ranks{', one at work' if result['alone'] else ''}"


def of_threads(point, name, threads):
    """Returns the median of a way in seconds; None if it was not measured."""
    for way in point["ways"]:
        if way["name"] == name and way["threads"] == threads:
            return way["seconds"]["median"]
    return None


def megabytes(result):
    """Returns (name, bytes, MB/s) of MPI_Allreduce of ints. Rates on emulated cores are multiplied by the slowdown."""
    if "operations" in result:
        for point in result["operations"]["allreduce-ints"]:
            for variant in point["variants"]:
                name = "1 thread" if variant["team_size"] == 1 else way_name(variant)
                yield name, point["bytes"], point["bytes"] / variant["seconds"]["median"] / 1e6
        return
    for point in result["points"]:
        for way in point["ways"]:
            name = f"{way['threads']} thread{'s' if way['threads'] > 1 else ''}, emulated cores"
            yield name, point["bytes"], point["bytes"] / way["seconds"]["median"] / 1e6 * result["slower"]


PACKING = {("native", 1): "MPI_Pack", ("team", 1): "1 thread", ("team", 2): "2 threads"}


def packing_rate(point, way, threads):
    """GB/s."""
    return point["bytes"] / of_threads(point, way, threads) / 1e9


def speedup(point, threads):
    """Returns the speedup of a team over one thread."""
    return of_threads(point, "team", 1) / of_threads(point, "team", threads)


def is_of_all_threads(point):
    return point["function"] == "all threads"


def teams(result):
    """Returns the teams of more than one thread."""
    return [team for team in result["teams"] if team != 1]


# What `nodes` has computed.

def shape(cell):
    return f"{cell['ranks']} x {cell['team']}"


def over_mpich(cell):
    return cell["mpich"]["seconds"] / cell["library"]["seconds"]


def is_other(cell):
    """Returns whether the operation is in the second of the two tables and figures of operations."""
    return cell["operation"] in ("barrier", "scan", "exscan", "allgatherv", "alltoallv")


def is_in_table(cell, others):
    return (is_other(cell) == others and cell["network"] not in ("1 Gbit Ethernet", "400 Gbit NDR")
            and (cell["nodes"] == 1024 or (cell["nodes"] == 16384 and not others))
            and shape(cell) in ("1 x 64", "8 x 8", "128 x 1"))


# What `trees` has computed.

SCHEMES = ["centralised", "balance", "hash"]


def find_cell(cells, scheme, like):
    for cell in cells:
        if cell["scheme"] == scheme and all(cell[key] == like[key] for key in ("fraction", "processes")):
            return cell
    return None


def from_paper(cell, quantity):
    """Returns how far the model is from the paper."""
    return abs(cell[quantity] / cell["paper"][quantity] - 1)

# SPDX-FileCopyrightText: 2026 The MPI Helper Teams developers
# SPDX-License-Identifier: BSD-3-Clause
"""Charts as SVG, by matplotlib. Every function returns the text of an <svg> element, 360 points wide at most."""

import html
import io
import re

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullLocator

matplotlib.use("svg")
plt.rcParams.update({
    "savefig.bbox": "tight", "svg.fonttype": "none", "svg.hashsalt": "", "font.size": 10, "font.family": "sans-serif", "axes.grid": True,
    "grid.color": "#dfe3e8", "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 11,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "legend.fontsize": 10, "legend.frameon": False, "legend.loc": "upper left",
    "lines.markersize": 3, "lines.linewidth": 1.5})
COLOURS = ["#404040", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
MOST_CURVES = 6  # a reader cannot tell more apart
DASHED = {"linestyle": "--"}
LEVEL = {**DASHED, "color": "#a0a0a0"}


class Panel:
    """Curves over an axis, from points (name of the curve, x, y, style). The first seven have colours of their own.

    Drops the curves `leave_out`, in this order, until MOST_CURVES remain whose style has no colour. `level` draws a line at ratio 1, where
    nothing is gained, and `ideal` a line y = x.
    """

    def __init__(self, title, x, y, points, log_x=True, log_y=True, in_bytes=False, leave_out=(), level=False,
                 ideal=False):
        self.title, self.x, self.y, self.log_x, self.log_y, self.in_bytes = title, x, y, log_x, log_y, in_bytes
        self.curves = {}  # name: (style, points)
        for name, at, value, style in points:
            self.curves.setdefault(name, (style, []))[1].append((at, value))
        for name in leave_out:
            if sum("color" not in style for style, _ in self.curves.values()) > MOST_CURVES:
                self.curves.pop(name, None)
        if level:
            ends = [edge(at for _, curve in self.curves.values() for at, _ in curve) for edge in (min, max)]
            self.curves["equal"] = (LEVEL, [(at, 1) for at in ends])
        if ideal:
            self.curves["ideal"] = (LEVEL, [(at, at) for at in sorted({at for _, curve in self.curves.values() for at, _ in curve})])

    def draw(self, axes):
        for index, (name, (style, points)) in enumerate(self.curves.items()):
            axes.plot(*zip(*points), **{"marker": "o", "linestyle": "--" if index >= 7 else "-", "label": name,
                                        "color": COLOURS[index % 7], **style})
        axes.set(title=self.title, xlabel=self.x, ylabel=self.y)
        xs, ys = zip(*(point for _, points in self.curves.values() for point in points))
        if self.log_y:
            low, high = min(ys) * 0.9, max(ys) * 1.1
            margin = 1.5 if high / low < 4 else 1  # one value next to an axis does not show its distances
            axes.set(yscale="log", ylim=(low / margin, high * margin))
            set_scale(axes.yaxis, 10, number_name)
        else:
            axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
        if self.log_x:
            axes.set_xscale("log")
            name = (lambda value, _: size_name(value).replace(" ", "")) if self.in_bytes else number_name
            set_scale(axes.xaxis, 10 if min(xs) < 1 else 2, name)
        axes.legend(bbox_to_anchor=(-0.12, -0.24), ncol=1 if max(map(len, self.curves)) > 20 else 2)


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


def number_name(value, _=None):
    for thousand in (1024, 1000):
        if value >= 10 * thousand and value % thousand == 0:
            return f"{value / thousand:g}k"
    return f"{value:g}"


def svg_of(figure, title):
    """Closes the figure."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = text.getvalue()
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{html.escape(title)}" ', svg[svg.index("<svg"):], count=1)


def set_scale(axis, base, name):
    """Sets a logarithmic scale with a few ticks, formatted by `name`."""
    subs = (1, 2, 5) if base == 10 and axis.get_view_interval()[1] / axis.get_view_interval()[0] < 100 else (1,)
    axis.set_major_locator(LogLocator(base, subs, numticks=7))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(name)


def chart(*panels):
    """Returns one picture of these panels, one below the other."""
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(4.8, 4.2 * len(panels) - 1.3), squeeze=False)
    figure.subplots_adjust(hspace=0.9)
    for panel, axes in zip(panels, all_axes.flat):
        panel.draw(axes)
    return svg_of(figure, panels[0].title)


def ratios(title, x, names, curves):
    """Draws ratios of named things: `curves` are lists of (row, value) by title. Draws a line at 1."""
    figure, axes = plt.subplots(figsize=(4.8, 0.6 + 0.26 * len(names)))
    for colour, (name, points) in zip(COLOURS[1:], curves.items()):
        axes.plot([value for _, value in points], [row for row, _ in points], "o", label=name, markersize=5, color=colour)
    axes.axvline(1, **LEVEL, label="equal")
    axes.set(title=title, xlabel=x, yticks=range(len(names)), yticklabels=names, ylim=(len(names) - 0.5, -0.5))
    axes.legend(bbox_to_anchor=(0, -1.2 / len(names) - 0.06), ncol=4)
    return svg_of(figure, title)


def machines(title, result):
    """Draws a machine for each policy: packages with a NUMA node each, their cores and PUs, with the numbers of the members there."""
    policies = result["policies"]
    figure, all_axes = plt.subplots(len(policies), 1, figsize=(4.8, 1.35 * len(policies)))
    for axes, policy in zip(all_axes, policies):
        x, places = 0, policy["places"]
        for number, node in enumerate(result["nodes"]):
            first = x
            whole = [member for member, place in enumerate(places) if place == node]
            for core in (core for core in result["cores"] if core[0] in node):
                for at, pu in enumerate(core):
                    members = [str(member) for member, place in enumerate(places) if place == [pu]]
                    axes.add_patch(Rectangle((x + at, 0), 1, 1, edgecolor="#404040", facecolor="#cfe8f7" if whole else "white"))
                    if members:
                        axes.plot(x + at + 0.5, 0.5, "o", markersize=13, color="#56b4e9")
                    axes.text(x + at + 0.5, 0.5, ", ".join(members), ha="center", va="center", weight="bold")
                axes.add_patch(Rectangle((x, 0), len(core), 1, fill=False, linewidth=2))
                x += len(core) + 0.3
            axes.text(first, 1.2, f"{' and '.join(map(str, whole))} anywhere" if whole else f"package {number}", ha="left", va="bottom")
            axes.add_patch(Rectangle((first - 0.25, -0.25), x - first + 0.2, 2.1, fill=False, edgecolor="#a0a0a0"))
            x += 0.6
        axes.set(xlim=(-0.4, x), ylim=(-0.4, 2.1), title=policy["name"])
        axes.axis("off")
    figure.tight_layout()
    return title, svg_of(figure, title)


def boxes(title, unit, rows, kinds):
    """Draws a timeline from (row, since, until, kind), and the colours of kinds by name."""
    lowest = max(row for row, *_ in rows)
    figure, axes = plt.subplots(figsize=(4.8, 0.8 + 0.075 * (lowest + 1)))
    for row, since, until, kind in rows:
        axes.broken_barh([(since, until - since)], (row - 0.45, 0.9), facecolors=kinds[kind])
    for name, colour in kinds.items():
        axes.plot([], [], "s", color=colour, label=name, markersize=7)
    axes.set(title=title, xlabel=unit, ylim=(lowest + 0.5, -0.5), yticks=[])
    axes.legend(bbox_to_anchor=(0, -0.5 / (0.8 + 0.075 * lowest)), ncol=2)
    return svg_of(figure, title)

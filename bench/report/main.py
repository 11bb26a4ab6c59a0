"""Makes `bench/report.html` and `bench/RESULTS.md` of what the programs measured.

`results.json` is held against `goals.json`; `growth.json` gives the curves; `missed.json` says for each goal that is
missed why, and what would reach it, `bends.json` why a curve bends. Ends with status 1 if a goal was not measured, or
if one that is missed has no sentence.
"""

from __future__ import annotations

import html
import io
import json
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, NullFormatter

Row = dict[str, Any]

BENCH = Path(__file__).resolve().parent.parent
LANGUAGES = {"rust": "Rust", "python": "Python", "node": "Node", "c": "C"}
#: entable's own things, which a row may be compared with: not somebody else's product.
OWN = {"none", "scan", "fetching", "core", "core by name"}
CAVEAT = (
    "Only ratios within one run count: between two runs on a shared machine the same microseconds move by up to two "
    "times. A ratio is entable's figure over the peer's, so that less is better; it is the median over interleaved "
    "rounds, least and most beside it."
)


def read(name: str) -> list[Row]:
    file = BENCH / name
    rows: list[Row] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return rows


def machine() -> str:
    """The machine in a line, without anything that names it."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), platform.machine())
    gib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return f"{os.cpu_count()} cores of {model}, {gib:.0f} GiB, {platform.system()} {platform.release().split('-')[0]}"


def short(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.0f}" if abs(figure) >= 100 else f"{figure:.2f}"


def spread(row: Row) -> str:
    if row["ratio"] is None:
        return "not measured"
    least, most = row["spread"]
    return f"{row['ratio']:.2f}" if least == most else f"{row['ratio']:.2f} ({least:.2f} to {most:.2f})"


def key(row: Row) -> tuple[str, str, str]:
    return row["lang"], row["op"], row["peer"]


# ---- what is said


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def goals_table(rows: Iterable[Row]) -> str:
    met = {True: "yes", False: "**no**"}
    cells = (
        [
            row["layout"],
            row["op"],
            f"{short(row['entable'])} {row['unit']}",
            row["peer"],
            short(row["against"]),
            spread(row),
            str(row["goal"]),
            met[row["met"]],
        ]
        for row in rows
    )
    return table(["layout", "op", "entable", "peer", "its figure", "ratio (spread)", "goal", "met"], cells)


def wins_table(rows: Iterable[Row]) -> str:
    cells = ([row["layout"], row["op"], row["peer"], spread(row)] for row in rows)
    return table(["layout", "op", "peer", "entable's figure over the peer's"], cells)


def growth_table(rows: Sequence[Row]) -> str:
    cells = (
        [
            f"{row['at']:,}",
            row["op"],
            f"{short(row['entable'])} {row['unit']}",
            short(row["floor"]),
            short(row["entable_growth"]),
            short(row["floor_growth"]),
            short(row["relative_growth"]),
        ]
        for row in rows
    )
    return table(["at", "op", "entable", "floor", "growth", "the floor's", "relative"], cells)


def of_curves(growth: Sequence[Row]) -> dict[str, list[Row]]:
    curves: dict[str, list[Row]] = {}
    for row in growth:
        curves.setdefault(row["curve"], []).append(row)
    return curves


def results_text(results: Sequence[Row], growth: Sequence[Row], missed: Sequence[Row], bends: Sequence[Row]) -> str:
    parts = [
        "# Results",
        f"Of `make bench` on a machine at rest: {machine()}. {CAVEAT} The form of the rows, and what is fair, is in "
        "[README.md](README.md); plots are in `report.html`.",
        "This page is made by `bench/report/main.py` of `results.json`, `growth.json`, `goals.json` and the sentences "
        "in `missed.json` and `bends.json`.",
    ]
    said = {key(row): row for row in missed}
    for lang, name in LANGUAGES.items():
        rows = [row for row in results if row["lang"] == lang]
        judged = [row for row in rows if row["goal"] is not None]
        if not judged:
            continue
        met = sum(row["met"] for row in judged)
        parts += [f"## {name}", f"{met} of {len(judged)} goals met.", goals_table(judged)]
        late = dict.fromkeys(key(row) for row in judged if not row["met"])
        if late:
            parts.append(f"### Missed in {name}")
            sentences = {at: said.get(at, {}).get("why", "**No sentence yet.**") for at in late}
            parts.append("\n".join(f"- *{op}* to {peer}: {why}" for (_, op, peer), why in sentences.items()))
        behind = [row for row in rows if row["ratio"] is not None and row["ratio"] > 1 and row["peer"] not in OWN]
        if behind:
            parts += [f"### Where a peer wins in {name}", wins_table(behind)]
    if growth:
        parts += [
            "## Growth",
            "Each figure as a multiple of that at the curve's first step, entable's beside raw LMDB's (the floor); "
            "*relative* is the one over the other.",
        ]
        causes = {row["curve"]: row["why"] for row in bends}
        for curve, rows in of_curves(growth).items():
            parts += [f"### {curve}", f"{rows[0]['about'].capitalize()}.", growth_table(rows)]
            if curve in causes:
                parts.append(causes[curve])
    return "\n\n".join(parts) + "\n"


# ---- what is drawn


def svg(figure: Any) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = out.getvalue()
    return text[text.index("<svg") :]


def plain(value: float, _position: int) -> str:
    return f"{value:g}"


def ratios_plot(rows: Sequence[Row]) -> str:
    """A dot for each ratio, its spread as a line, its goal as a mark; 1 is the peer."""
    rows = [row for row in rows if row["ratio"] and row["peer"] not in OWN]
    labels = list(dict.fromkeys((row["op"], row["peer"]) for row in rows))
    layouts = list(dict.fromkeys(row["layout"] for row in rows))
    figure, axes = plt.subplots(figsize=(9, 0.22 * len(labels) + 1))
    for number, layout in enumerate(layouts):
        of_layout = [row for row in rows if row["layout"] == layout]
        heights = [labels.index((row["op"], row["peer"])) + (number - len(layouts) / 2) * 0.15 for row in of_layout]
        figures = [row["ratio"] for row in of_layout]
        errors = [
            [max(row["ratio"] - row["spread"][0], 0) for row in of_layout],
            [max(row["spread"][1] - row["ratio"], 0) for row in of_layout],
        ]
        axes.errorbar(figures, heights, xerr=errors, fmt="o", markersize=3, linewidth=0.7, label=layout)
    for height, label in enumerate(labels):
        goals = {row["goal"] for row in rows if (row["op"], row["peer"]) == label and row["goal"] is not None}
        for goal in goals:
            axes.plot([goal], [height], marker="|", markersize=11, color="black")
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_yticks(range(len(labels)), [f"{op} / {peer}" for op, peer in labels], fontsize=7)
    axes.invert_yaxis()
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlabel("entable's figure over the peer's (less is better; the bar is the goal)")
    axes.grid(axis="x", linewidth=0.3)
    axes.legend(fontsize=7, loc="lower right")
    return svg(figure)


def growth_plot(rows: Sequence[Row]) -> str:
    operations = list(dict.fromkeys(row["op"] for row in rows))
    figure, grid = plt.subplots(1, len(operations), figsize=(2.7 * len(operations), 2.6), squeeze=False)
    for axes, op in zip(grid[0], operations, strict=True):
        of_op = [row for row in rows if row["op"] == op]
        at = [row["at"] for row in of_op]
        # Zero has no place on a logarithmic scale.
        axes.set_xscale("symlog" if at[0] == 0 else "log")
        axes.set_yscale("log")
        axes.plot(at, [row["entable_growth"] for row in of_op], marker="o", markersize=3, label="entable")
        axes.plot(at, [row["floor_growth"] for row in of_op], marker="s", markersize=3, label="floor", linestyle="--")
        axes.set_title(op, fontsize=9)
        axes.yaxis.set_major_formatter(FuncFormatter(plain))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(labelsize=7)
        axes.grid(linewidth=0.3)
    grid[0][0].set_ylabel("growth since the first step", fontsize=8)
    grid[0][0].legend(fontsize=7)
    return svg(figure)


def report(results: Sequence[Row], growth: Sequence[Row]) -> str:
    body = [f"<h1>entable beside its peers</h1><p>{html.escape(machine())}. {html.escape(CAVEAT)}</p>"]
    for lang, name in LANGUAGES.items():
        rows = [row for row in results if row["lang"] == lang]
        if rows:
            judged = [row for row in rows if row["goal"] is not None]
            met = sum(row["met"] for row in judged)
            body.append(f"<h2>{name}</h2><p>{met} of {len(judged)} goals met.</p>{ratios_plot(rows)}")
    if growth:
        body.append("<h2>Growth</h2><p>Since the first step of each curve; the floor is raw LMDB.</p>")
        for curve, rows in of_curves(growth).items():
            body.append(f"<h3>{html.escape(curve)}</h3><p>{html.escape(rows[0]['about'])}</p>{growth_plot(rows)}")
    style = "body{font:15px/1.4 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}svg{max-width:100%;height:auto}"
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>entable beside its peers</title>'
        f"<style>{style}</style>\n" + "\n".join(body) + "\n</html>\n"
    )


def main() -> int:
    mpl.rcParams["svg.fonttype"] = "none"
    mpl.rcParams["svg.hashsalt"] = "entable"
    results, growth, missed = read("results.json"), read("growth.json"), read("missed.json")
    measured = {(*key(row), row["layout"]) for row in results}
    unmeasured = [
        (goal["lang"], goal["op"], goal["peer"], layout)
        for goal in read("goals.json")
        for layout in goal["layouts"]
        if (goal["lang"], goal["op"], goal["peer"], layout) not in measured
    ]
    (BENCH / "report.html").write_text(report(results, growth), encoding="utf-8")
    text = results_text(results, growth, missed, read("bends.json"))
    (BENCH / "RESULTS.md").write_text(text, encoding="utf-8")
    late = {key(row) for row in results if row["met"] is False}
    said = {key(row) for row in missed}
    faults = [f"not measured: {' / '.join(goal)}" for goal in unmeasured]
    faults += [f"missed, and missed.json has no sentence: {' / '.join(at)}" for at in sorted(late - said)]
    for at in sorted(said - late):
        print(f"met, though missed.json has a sentence: {' / '.join(at)}", file=sys.stderr)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"written: {BENCH / 'report.html'}, {BENCH / 'RESULTS.md'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

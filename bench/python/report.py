"""Goals, results, and the table that shows both: the form is that of bench/rust."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from measure import Sample

LANG = "python"
Line = dict[str, Any]


def goals_of(file: Path) -> list[Line]:
    return [goal for goal in json.loads(file.read_text(encoding="utf-8")) if goal["lang"] == LANG]


def _rounded(figures: Iterable[float] | None) -> float | None:
    return round(median(figures), 3) if figures else None


def _line(layout: str, op: str, peer: str, sample: Sample | None) -> Line:
    ours = sample.figures.get("entable") if sample else None
    theirs = sample.figures.get(peer) if sample else None
    # A ratio is taken within each round.
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)] if ours and theirs else None
    return {
        "lang": LANG,
        "op": op,
        "layout": layout,
        "peer": peer,
        "ratio": _rounded(ratios),
        "goal": None,
        "met": None,
        "spread": [round(min(ratios), 3), round(max(ratios), 3)] if ratios else None,
        "unit": sample.unit if sample else "",
        "entable": _rounded(ours),
        "against": _rounded(theirs),
    }


def lines_of(layout: str, samples: Sequence[Sample], goals: Sequence[Line]) -> list[Line]:
    """The lines of a layout: every goal, measured or not, then what was measured beside."""
    wanted = [goal for goal in goals if layout in goal["layouts"]]
    by_op = {sample.op: sample for sample in samples}
    lines = []
    for goal in wanted:
        line = _line(layout, goal["op"], goal["peer"], by_op.get(goal["op"]))
        is_met = line["ratio"] is not None and line["ratio"] <= goal["at_most"]
        lines.append({**line, "goal": goal["at_most"], "met": is_met})
    have_goals = {(goal["op"], goal["peer"]) for goal in wanted}
    for sample in samples:
        beside = [peer for peer in sample.figures if peer != "entable" and (sample.op, peer) not in have_goals]
        lines += [_line(layout, sample.op, peer, sample) for peer in beside]
    return lines


def write(file: Path, lines: Sequence[Line]) -> None:
    """Puts the lines in place of those of their layouts; what other languages' programs wrote stays."""
    layouts = {line["layout"] for line in lines}
    old: list[Line] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    kept = [row for row in old if row["lang"] != LANG or row["layout"] not in layouts]
    rows = ",\n".join("  " + json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in [*kept, *lines])
    file.write_text(f"[\n{rows}\n]\n", encoding="utf-8")


def show(lines: Sequence[Line]) -> None:
    """Prints the lines as a Markdown table."""

    def short(figure: float | None) -> str:
        return "-" if figure is None else f"{figure:.0f}" if figure >= 100 else f"{figure:.2f}"

    print("| layout | op | entable | peer | its figure | ratio (spread) | goal | met |")
    print("|---|---|---|---|---|---|---|---|")
    for line in lines:
        ratio = "not measured"
        if line["ratio"] is not None:
            ratio = "{:.2f} ({:.2f} to {:.2f})".format(line["ratio"], *line["spread"])
        met = {None: "", True: "yes", False: "**no**"}[line["met"]]
        cells = [line["layout"], line["op"], f"{short(line['entable'])} {line['unit']}", line["peer"]]
        cells += [short(line["against"]), ratio, "" if line["goal"] is None else str(line["goal"]), met]
        print(f"| {' | '.join(cells)} |")
    judged = [line for line in lines if line["met"] is not None]
    print(f"\n{sum(line['met'] for line in judged)} of {len(judged)} goals met.")

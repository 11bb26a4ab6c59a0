"""Time, taken in rounds: every round runs each peer in turn, so that a bad minute of the machine hits all of them."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, NamedTuple

from peers import Peer


class Sample(NamedTuple):
    """What an operation took each peer, in each round."""

    op: str
    unit: str
    figures: dict[str, list[float]]


class Clock(NamedTuple):
    unit: str
    now: Callable[[], float]
    per_second: float


# This thread's processor time for reads from memory, of which nothing waits: what else runs counts little.
READ_US = Clock("us", time.thread_time, 1e6)
READ_MS = Clock("ms", time.thread_time, 1e3)
# Time on the wall for whatever waits for the disk.
WRITE_US = Clock("us", time.perf_counter, 1e6)


def rounds(
    peers: Sequence[Peer],
    count: int,
    op: str,
    clock: Clock,
    times: int,
    prepare: Callable[[Peer, int], Any],
    run: Callable[[Peer, Any], int | None],
) -> Sample:
    """Runs a job in rounds.

    ``run`` is given a peer and what ``prepare`` made, untimed; it answers how many rows it met, which must be as many
    for every peer, or ``None`` if the peer does not do it.
    """
    figures: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for number in range(count):
        met: int | None = None
        for turn in range(len(peers)):
            peer = peers[(turn + number) % len(peers)]
            if peer.name not in figures:
                continue
            prepared = prepare(peer, number)
            # No peer pays for another's garbage.
            gc.collect()
            begun = clock.now()
            rows = run(peer, prepared)
            took = clock.now() - begun
            del prepared
            if rows is None:
                del figures[peer.name]
                continue
            figures[peer.name].append(took * clock.per_second / times)
            met = rows if met is None else met
            if rows != met:
                raise SystemExit(f"{peer.name} met {rows} rows, others {met}: {op}")
    told = "  ".join(f"{name} {median(all_):.3f}" for name, all_ in figures.items())
    print(f"  {told}  {op} ({clock.unit})", file=sys.stderr, flush=True)
    return Sample(op, clock.unit, figures)

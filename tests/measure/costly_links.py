"""How much CPU time the links take that ask for the most work, and how long others wait while 20 visitors open them.

Each link is compared with a rerun of an app with one slider, measured in the same run: none may take more than 100
times as much. In each visit a number of the link is another one, so no cache has the answer. With `--visitors 20`, so
many visitors open the links again and again, while one moves a slider every two seconds.
"""

from __future__ import annotations

import asyncio
import time
from argparse import ArgumentParser
from collections.abc import Mapping
from itertools import count, cycle
from statistics import median
from urllib.parse import urlencode

import numpy as np

from crowd import ask, connect_visitor, messages_of_run, opening_message, run
from measure.benchmark import cpu_seconds, one_slider_app
from measure.capacity import keep_moving
from serving import ROOT, Server, serve

MOST_RERUNS = 100
RERUNS = 40
PAGE = "positional_encoding"  # the page with the slider
number = count()


def drawn(*shape: int) -> str:
    """Return a random matrix as text, with the decimals {n} in its first number."""
    numbers = np.random.default_rng(sum(shape)).normal(size=shape)
    rows = "\n".join(" ".join(f"{number:.2f}" for number in row) for row in numbers)
    return "0.{n}" + rows[rows.index(" ") :]


def own_problem(n: int, d: int, **more: str) -> dict[str, str]:
    """Return a link with somebody's own matrices and a random answer, for n tokens of the width d."""
    weights = {f"own_w_{name}": drawn(d, d) for name in ("q", "k", "v", "o")}
    return {"source": "weights", "own_x": drawn(n, d), "answer": drawn(n, d), "asked": "output"} | weights | more


SETTING = {"mask": "causal", "positions": "rotary_halves", "heads": "4"}
STEPS = {"steps": "on", "given_scores": drawn(3, 3), "given_weights": drawn(3, 3)}
WIDE = {"example": "heads_512", "taken": "{n}"}
LINKS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "many steps of training": ("training_step", WIDE),
    "what each matrix learns": ("training_step", WIDE | {"look": "learned"}),
    "a wrong gradient": ("training_step", WIDE | {"look": "check", "wrong": "tokens_not_summed"}),
    "100,000 draws": ("scaling", {"look": "weights", "draws": "100000", "seed": "{n}"}),
    "100,000 positive draws": (
        "scaling", {"look": "weights", "draws": "100000", "seed": "{n}", "distribution": "uniform"},
    ),
    "own numbers": ("check_my_matrix", own_problem(3, 4)),
    "own numbers, rotated": ("check_my_matrix", own_problem(3, 4, **SETTING)),
    "own numbers with steps": ("check_my_matrix", own_problem(3, 4, **STEPS)),
    "own numbers, rotated, with steps": ("check_my_matrix", own_problem(3, 4, **SETTING, **STEPS)),
    "wide own numbers": ("check_my_matrix", own_problem(8, 8, **SETTING)),
}  # fmt: skip


def query_of_next_visit(state: Mapping[str, str]) -> str:
    """Return the address of a link that nobody has opened lately."""
    n = next(number)
    return urlencode({name: text.replace("{n}", str(100 + n % 100)) for name, text in state.items()})


def seconds_of_rerun(server: Server) -> float:
    """Return the seconds of CPU time that a rerun of an app takes."""

    async def reruns() -> float:
        async with connect_visitor(server) as socket:
            took = []
            for _ in range(RERUNS):
                before = cpu_seconds(server.pid)
                _ = [message async for message in messages_of_run(socket, opening_message("home"))]
                took.append(cpu_seconds(server.pid) - before)
            return median(took)

    return run(reruns())


def seconds_of_link(server: Server, page: str, state: Mapping[str, str], visits: int) -> float:
    """Return the seconds of CPU time that a new visitor takes who opens a link: the median of several visits."""
    took = []
    for _ in range(visits):
        before = cpu_seconds(server.pid)
        run(_open(server, page, state))
        took.append(cpu_seconds(server.pid) - before)
    return median(took)


async def _open(server: Server, page: str, state: Mapping[str, str]) -> None:
    async with connect_visitor(server) as socket:
        if errors := (await ask(socket, page, query_of_next_visit(state))).errors:
            raise RuntimeError(f"{page}: {errors[0]}")


def print_costs(server: Server, visits: int) -> None:
    """Print what each link costs, and how many reruns of an app with one slider cost as much."""
    with one_slider_app(ROOT / ".streamlit") as smallest:
        for name, (page, state) in LINKS.items():
            run(_open(server, page, state))  # the first visit imports modules and compiles the code of mistakes
            ours, theirs = seconds_of_link(server, page, state, visits), seconds_of_rerun(smallest)
            too_much = "  too much" * (ours > MOST_RERUNS * theirs)
            print(f"  {name:<36}{1000 * ours:6.0f} ms{ours / theirs:7.0f} reruns{too_much}", flush=True)


def print_waits(server: Server, n_visitors: int, seconds: float) -> None:
    """Print within how long 95 % of the answers to one visitor came, alone and beside others who open the links."""

    async def together(n: int) -> float:
        waits, all_here, end = list[float](), asyncio.Barrier(1), time.monotonic() + seconds

        async def keep_opening(page: str, state: Mapping[str, str]) -> None:
            while time.monotonic() < end:
                await _open(server, page, state)

        links = cycle(LINKS.values())
        opening = [keep_opening(*next(links)) for _ in range(n)]
        await asyncio.gather(keep_moving(server, PAGE, seconds, waits, all_here), *opening)
        return sorted(waits)[int(0.95 * len(waits))]

    for n in (0, n_visitors):
        print(f"{n:>3} visitors open costly links: 95 % within {1000 * run(together(n)):.0f} ms", flush=True)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=0, help="how many open the links at the same time")
    parser.add_argument("--visits", type=int, default=5, help="of each link, of which the median counts")
    parser.add_argument("--seconds", type=float, default=30, help="for which the slider is moved")
    chosen = parser.parse_args()
    with serve() as app:
        print_costs(app, chosen.visits)
        if chosen.visitors:
            print_waits(app, chosen.visitors, chosen.seconds)

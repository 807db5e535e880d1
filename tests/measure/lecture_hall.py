"""Whether visitors who all come at the same moment see their pages, and how long the last of them waits.

First, some visitors come to a fresh server of one process, repeatedly. Then a hall of visitors comes to three fresh
processes behind nginx, if nginx is installed.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial

from crowd import Answer, come_at_once, first_visitors, run
from hosting import behind_nginx, find_nginx


def answers_of_hall(n_visitors: int) -> Sequence[Answer]:
    """Let visitors come at the same moment to fresh processes behind nginx, and return what each of them receives."""
    with behind_nginx() as hosted:
        return run(come_at_once(hosted.server, n_visitors))


def errors_seen(name: str, visit: Callable[[], Sequence[Answer]]) -> list[Answer]:
    """Let visitors come by calling `visit`, and return the answers that show an error.

    Print how long it took, after the name `name` of the measurement.
    """
    began = time.monotonic()
    answers = visit()
    wrong = [answer for answer in answers if answer.errors]
    print(f"{name}: {len(answers)} in {time.monotonic() - began:.1f} s, {len(wrong)} saw an error", flush=True)
    return wrong


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=int, default=50, help="fresh servers, one after the other")
    parser.add_argument("--visitors", type=int, default=20, help="who come to each of them")
    parser.add_argument("--hall", type=int, default=300, help="who come to the three processes behind nginx")
    chosen = parser.parse_args()
    rounds = [("first visitors", partial(first_visitors, chosen.visitors))] * chosen.servers
    if find_nginx():
        rounds.append(("the hall", partial(answers_of_hall, chosen.hall)))
    else:
        print("the hall: skipped, because nginx is not installed")
    wrong = [answer for name, visit in rounds for answer in errors_seen(name, visit)]
    sys.exit("\n".join(map(str, wrong)) or 0)


if __name__ == "__main__":
    main()

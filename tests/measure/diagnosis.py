"""How good the diagnosis is: `python tests/measure diagnosis` takes some minutes; names of parts choose some.

The parts: `held_out` (output alone), `steps` (all steps pasted), `unseen` (correct answers in unusual forms, and
answers with one wrong cell), `random`, `arithmetic`, `typing`, `time`. `--listed` lists the answers that are not as
they should be, and `--each=5` takes every fifth wrong implementation. Each implementation runs on up to three
problems.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from count_named import CAUSES, SETS, answers, correct_trace_of, problems
from wrong_implementations import read_set

# isort: split
from attention_core.diagnosis.answer import answer_to
from attention_core.diagnosis.diagnose import diagnose, matrix_at
from measure.errors import (
    LISTED,
    exceeds_rounding,
    kind_of,
    print_arithmetic,
    print_counts,
    print_random_answers,
    print_typing,
)

OF_ONE = {"Q": "q", "K": "k", "V": "v", "scores": "scores", "scaled": "scaled", "weights": "weights"}
OF_SEVERAL = {"Q": "q", "K": "k", "V": "v", "concat": "concat"}
EACH = next((int(word.removeprefix("--each=")) for word in sys.argv if word.startswith("--each=")), 1)
THREE = {**SETS, "third set": read_set("third")}
EXPLAINED = ("named", *CAUSES)


@cache
def mistakes() -> list[tuple[str, str, Any]]:
    """Return the wrong implementations: the title of the set, the name, and the implementation."""
    return [(title, name, wrong) for title, (ones, _) in THREE.items() for name, wrong in [*ones.items()][::EACH]]


def printed_steps(wrong: Any, name: str, decimals: int) -> dict[str, np.ndarray]:
    """Return the steps that a wrong implementation prints, rounded, by the name of the step.

    `name` is the name of the problem. The result is empty if the implementation gives only its output.
    """
    made = wrong(problems()[name][0])
    wanted = OF_ONE if wrong.heads == "one" else OF_SEVERAL
    return {
        wanted[step]: np.round(matrix, decimals)
        for step, matrix in made.items()
        if step in wanted and np.ndim(matrix) == 2
    }


def print_held_out(*, with_steps: bool) -> None:
    """Print how the diagnosis judges the wrong implementations of each set, to 4 and to 2 decimals.

    If `with_steps` is true, the diagnosis also gets the steps before the output.
    """
    for decimals in (4, 2):
        by_set: dict[str, Counter[str]] = {}
        named: dict[str, set[str]] = {}
        ran: dict[str, set[str]] = {}
        lost = Counter[str]()
        for title, mistake, wrong in mistakes():
            for name, answer, right in answers(wrong):
                given = np.round(answer, decimals)
                if not exceeds_rounding(given, right, decimals):
                    continue
                alone = kind_of(diagnose(given, right, decimals=decimals))
                found = alone
                if with_steps:
                    found = _kind_with_steps(wrong, name, given, right, decimals)
                    lost["lost"] += alone in EXPLAINED and found not in EXPLAINED
                by_set.setdefault(title, Counter())[found] += 1
                ran.setdefault(title, set()).add(mistake)
                if found in EXPLAINED:
                    named.setdefault(title, set()).add(mistake)
                if LISTED and (
                    found in ("right", "unknown", "exception") or (alone in EXPLAINED and found not in EXPLAINED)
                ):
                    print(f"    {mistake}, {name}, {decimals} decimals: {alone} -> {found}")
        for title, counts in by_set.items():
            print_counts(f"{'steps' if with_steps else 'output alone'}, {title}, {decimals} decimals", counts)
            common = {name for of, name, wrong in mistakes() if of == title and wrong.common} & ran[title]
            print(f"    common ones explained on a problem: {len(common & named[title])} of {len(common)}")
            print(f"    not: {', '.join(sorted(common - named[title]))}" if LISTED else "")
        if with_steps:
            print(f"    lost: {lost['lost']}")


def _kind_with_steps(wrong: Any, name: str, given: np.ndarray, right: Any, decimals: int) -> str:
    """Return the kind of the diagnosis, such as "named", for the output `given` together with the steps before it.

    `wrong` is the wrong implementation, `name` the problem, and `right` the correct computation.
    """
    steps = printed_steps(wrong, name, decimals)
    try:
        own = {stage: answer_to(matrix_at(right, stage), matrix, decimals) for stage, matrix in steps.items()}
        return kind_of(diagnose(given, right, decimals=decimals, given=own))
    except Exception as error:
        print(f"    {wrong.name}, {name}: {type(error).__name__}: {error}")
        return "exception"


def print_unseen() -> None:
    """Print how the diagnosis judges two kinds of outputs whose authors did not know the app's mistakes.

    They are correct numbers in an unusual form, and outputs with one wrong cell.
    """
    for title, name_of_set in {"right forms": "right_forms", "one cell": "one_cell"}.items():
        counts = Counter[str]()
        for name, case in read_set(name_of_set)[0].items():
            for of, (p, has) in problems().items():
                if case.needs and case.needs not in has:
                    continue
                try:
                    with np.errstate(all="ignore"):
                        made = case(p)["output"]
                except (ValueError, IndexError, TypeError):
                    continue
                right, decimals = correct_trace_of(p, case.heads), min(case.decimals, 4)
                if title == "one cell" and not exceeds_rounding(np.round(made, decimals), right, decimals):
                    continue
                found = kind_of(diagnose(np.round(made, decimals), right, decimals=decimals))
                counts[found] += 1
                if LISTED and ((title == "right forms") != (found == "right")):
                    print(f"    {name}, {of}, {decimals} decimals: {found}")
        print_counts(title, counts)


def print_times() -> None:
    """Print how much CPU time a diagnosis takes, for wrong outputs and for random ones."""
    spent = list[float]()
    rng = np.random.default_rng(8)
    for _, _, wrong in mistakes()[::4]:
        for _, answer, right in answers(wrong):
            for given in (np.round(answer, 4), np.round(rng.uniform(-3, 3, answer.shape), 4)):
                start = time.process_time()
                diagnose(given, right, decimals=4)
                spent.append(1000 * (time.process_time() - start))
    print(
        f"CPU a diagnosis: median {np.median(spent):.0f} ms, 95 % {np.quantile(spent, 0.95):.0f}, most {max(spent):.0f}"
    )


PARTS = {
    "held_out": lambda: print_held_out(with_steps=False),
    "steps": lambda: print_held_out(with_steps=True),
    "unseen": print_unseen,
    "random": print_random_answers,
    "arithmetic": print_arithmetic,
    "typing": print_typing,
    "time": print_times,
}

if __name__ == "__main__":
    if "--help" in sys.argv:
        raise SystemExit(__doc__)
    for part in [name for name in PARTS if name in sys.argv] or PARTS:
        PARTS[part]()

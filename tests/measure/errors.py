"""The diagnosis of answers that no mistake of the catalogue gives: random numbers, one wrong number, a typing error.

`python tests/measure diagnosis` runs these parts and prints the numbers.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_core.diagnosis.answer import answer_to
from attention_core.diagnosis.diagnose import Diagnosis, diagnose, matrix_at
from attention_core.examples import example
from tasks_on_paper import NAMES, STEPS, Error, Learner, draw_error, written_steps

N_RANDOM, N_ARITHMETIC, N_TYPING = 3000, 500, 2000
LISTED = "--listed" in sys.argv


def kind_of(found: Diagnosis) -> str:
    """Return the kind of a diagnosis in one word: "right", "named", "unknown", or the kind of its first finding."""
    if found.all_correct:
        return "right"
    if any(finding.mistakes for finding in found.findings):
        return "named"
    return found.findings[0].kind if found.findings else "unknown"


def print_counts(title: str, counts: Counter[str]) -> None:
    """Print a title, and how often each kind of diagnosis came."""
    each = ", ".join(f"{kind} {n}" for kind, n in counts.most_common())
    print(f"{title}: {sum(counts.values())}: {each}", flush=True)


def exceeds_rounding(answer: np.ndarray, right: Any, decimals: int) -> bool:
    """Return whether an answer differs from the correct output by more than rounding to `decimals` explains."""
    wanted = right.output
    return answer.shape != wanted.shape or not np.allclose(answer, wanted, rtol=0, atol=0.5001 * 10.0**-decimals)


def traces() -> Iterator[tuple[Any, Any, Any]]:
    """Yield each example with each mask and its correct attention."""
    for name in NAMES:
        this = example(name)
        for kind in ("none", "causal"):
            mask = this.mask(kind)
            yield this, mask, this.attention(mask=mask)


def print_random_answers() -> None:
    """Print how the diagnosis judges random numbers in the shape of an output."""
    rng, counts, cases = np.random.default_rng(3), Counter[str](), [right for *_, right in traces()]
    for i in range(N_RANDOM):
        right = cases[i % len(cases)]
        values = right.output
        answer = np.round(rng.uniform(values.min() - 2, values.max() + 2, size=values.shape), 2)
        counts[kind_of(diagnose(answer, right, decimals=2))] += 1
    print_counts("random answers", counts)


def print_arithmetic() -> None:
    """Print whether the diagnosis finds an error in arithmetic that a person has made while computing by hand."""
    rng, cases = np.random.default_rng(19), list(traces())
    counts: dict[str, Counter[str]] = {}
    for i in range(N_ARITHMETIC):
        this, mask, right = cases[i % len(cases)]
        error = draw_error(rng, this, mask, right)
        for decimals in (4, 2):
            steps = written_steps(this, mask, Learner(decimals, error=error))
            own = {stage: answer_to(matrix_at(right, stage), steps[stage], decimals) for stage in STEPS}
            output = own.pop("output")
            exact = np.round(written_steps(this, mask, Learner(None, error=error))["output"], decimals)
            alone = diagnose(exact, right, decimals=decimals)
            both = diagnose(output, right, given=own)
            of_alone = _place_in_words(alone, error)
            if not exceeds_rounding(exact, right, decimals):
                of_alone = "no effect on the output"
            counts.setdefault(f"output alone, {decimals} decimals", Counter())[of_alone] += 1
            wrong = [(step.stage, step.place) for step in both.steps if step.kind == "wrong"]
            found = "right place" if wrong[:1] == [(error.stage, error.place)] else "another place"
            found = "right" if both.all_correct else "accused" if any(f.mistakes for f in both.findings) else found
            counts.setdefault(f"with steps, {decimals} decimals", Counter())[found] += 1
            if LISTED and (of_alone in ("accused", "right") or found != "right place"):
                print(f"    {this.name} {error.stage} {error.place} {decimals}: {of_alone}; {found}")
    for title, each in counts.items():
        print_counts(f"arithmetic errors, {title}", each)


def _place_in_words(found: Diagnosis, error: Error) -> str:
    """Return a few words that say whether a diagnosis has found an error in one number.

    It may have found this number, several numbers with this one among them, another number, or a mistake.
    """
    if found.all_correct:
        return "right"
    changed = [(f.changed.stage, f.changed.place) for f in found.findings if f.changed]
    if (error.stage, error.place) in changed:
        return "the number" if len(changed) == 1 else "among several"
    if any(finding.mistakes for finding in found.findings):
        return "a mistake or a number" if changed else "accused"  # the verdict names both
    return "another number" if changed else found.findings[0].kind if found.findings else "unknown"


def with_typing_error(rng: np.random.Generator, written: str) -> str:
    """Return the number in the text `written` with a typing error, as a text.

    A digit is changed, swapped, missing or doubled, or the sign or the point is wrong.
    """
    digits = [i for i, character in enumerate(written) if character.isdigit()]
    at, how = int(rng.choice(digits)), int(rng.integers(6))
    if how == 0:
        return written[:at] + str(rng.integers(10)) + written[at + 1 :]
    if how == 1 and at + 1 < len(written) and written[at + 1].isdigit():
        return written[:at] + written[at + 1] + written[at] + written[at + 2 :]
    if how == 2 and len(digits) > 1:
        return written[:at] + written[at + 1 :]
    if how == 3:
        return written[: at + 1] + written[at:]
    return written.lstrip("-") if written.startswith("-") else f"-{written}" if how == 4 else written.replace(".", "")


def print_typing() -> None:
    """Print how the diagnosis judges a matrix in which one number has a typing error."""
    rng, counts, cases = np.random.default_rng(5), Counter[str](), [right for *_, right in traces()]
    for i in range(N_TYPING):
        right, decimals = cases[i % len(cases)], (2, 4)[i % 2]
        stage = ("scores", "weights", "output")[i % 3]
        wanted = matrix_at(right, stage)
        values = np.round(wanted, decimals)
        place = tuple(int(n) for n in rng.integers(values.shape))
        answer = values.copy()
        answer[place] = float(with_typing_error(rng, f"{values[place]:.{decimals}f}") or 0)
        if abs(answer[place] - wanted[place]) <= 0.5001 * 10.0**-decimals:
            continue
        found = kind_of(diagnose(answer, right, stage, decimals=decimals))
        counts[found] += 1
        if LISTED and found not in ("one_number", "near"):
            print(f"    {stage} {place} {decimals}: {values[place]} -> {answer[place]}: {found}")
    print_counts("typing errors", counts)

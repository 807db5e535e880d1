"""How well the diagnosis does: `python tests/measure_diagnosis.py` tells in some minutes; names of parts choose some.

The parts: `held_out` (output alone), `steps` (all steps pasted), `unseen` (the other registers of the third set),
`random`, `arithmetic`, `typing`, `time`. `--listed` lists what is not as it should be, and `--each=5` takes every fifth
wrong implementation. Each runs on up to three problems.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import wrong_implementations_unseen
from count_named import SETS, answers, problems, right_of

# isort: split
from attention_core.diagnosis.answer import answer_to
from attention_core.diagnosis.diagnose import Diagnosis, diagnose, matrix_at
from attention_core.examples import EXAMPLES, example
from learners import STEPS, Error, Learner, worked

NAMES = [name for name in EXAMPLES if not example(name).drawn]
N_RANDOM, N_ARITHMETIC, N_TYPING, LEAST = 3000, 500, 2000, 0.05
OF_ONE = {"Q": "q", "K": "k", "V": "v", "scores": "scores", "scaled": "scaled", "weights": "weights"}
OF_SEVERAL = {"Q": "q", "K": "k", "V": "v", "concat": "concat"}
WRITTEN = (lambda x: -x if x else x + 1, lambda x: x + 1, lambda x: x - 1, lambda x: x + 0.5, lambda x: 10 * x + 2)
LISTED = "--listed" in sys.argv
EACH = next((int(word.removeprefix("--each=")) for word in sys.argv if word.startswith("--each=")), 1)
THREE = {**SETS, "third set": (wrong_implementations_unseen.ALL, wrong_implementations_unseen.PAIRS)}
EXPLAINED = ("named", "transposed", "reordered", "other_step", "hidden_keys", "dropped_out", "other_scale")


def kind_of(found: Diagnosis) -> str:
    """Return what a diagnosis says, in a word."""
    if found.right:
        return "right"
    if any(finding.slips for finding in found.findings):
        return "named"
    return found.findings[0].kind if found.findings else "unknown"


def told(title: str, counts: Counter[str]) -> None:
    each = ", ".join(f"{kind} {n}" for kind, n in counts.most_common())
    print(f"{title}: {sum(counts.values())}: {each}", flush=True)


@cache
def mistakes() -> list[tuple[str, str, Any]]:
    return [(title, name, wrong) for title, (ones, _) in THREE.items() for name, wrong in [*ones.items()][::EACH]]


def beyond_rounding(answer: np.ndarray, right: Any, decimals: int) -> bool:
    wanted = right.output
    return answer.shape != wanted.shape or not np.allclose(answer, wanted, rtol=0, atol=0.5001 * 10.0**-decimals)


def own_steps(wrong: Any, name: str, decimals: int) -> dict[str, np.ndarray]:
    """The steps of a wrong implementation, as it prints them; none where it gives its output alone."""
    made = wrong(problems()[name][0])
    wanted = OF_ONE if wrong.heads == "one" else OF_SEVERAL
    return {
        wanted[step]: np.round(matrix, decimals)
        for step, matrix in made.items()
        if step in wanted and np.ndim(matrix) == 2
    }


def held_out(*, with_steps: bool) -> None:
    for decimals in (4, 2):
        by_set: dict[str, Counter[str]] = {}
        named: dict[str, set[str]] = {}
        ran: dict[str, set[str]] = {}
        lost = Counter[str]()
        for title, mistake, wrong in mistakes():
            for name, answer, right in answers(wrong):
                given = np.round(answer, decimals)
                if not beyond_rounding(given, right, decimals):
                    continue
                alone = kind_of(diagnose(given, right, decimals=decimals))
                found = alone
                if with_steps:
                    found = _with_steps(wrong, name, given, right, decimals)
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
            told(f"{'steps' if with_steps else 'output alone'}, {title}, {decimals} decimals", counts)
            common = {name for of, name, wrong in mistakes() if of == title and wrong.common} & ran[title]
            print(f"    common ones explained on a problem: {len(common & named[title])} of {len(common)}")
            print(f"    not: {', '.join(sorted(common - named[title]))}" if LISTED else "")
        if with_steps:
            print(f"    lost: {lost['lost']}")


def _with_steps(wrong: Any, name: str, given: np.ndarray, right: Any, decimals: int) -> str:
    steps = own_steps(wrong, name, decimals)
    try:
        own = {stage: answer_to(matrix_at(right, stage), matrix, decimals) for stage, matrix in steps.items()}
        return kind_of(diagnose(given, right, decimals=decimals, given=own))
    except Exception as error:
        print(f"    {wrong.name}, {name}: {type(error).__name__}: {error}")
        return "exception"


def unseen() -> None:
    """Right numbers in an unusual form, and one wrong cell: output alone, to the decimals that each has."""
    for title, cases in {
        "right forms": wrong_implementations_unseen.RIGHT,
        "one cell": wrong_implementations_unseen.ONE_CELL,
    }.items():
        counts = Counter[str]()
        for name, case in cases.items():
            for of, (p, has) in problems().items():
                if case.needs and case.needs not in has:
                    continue
                try:
                    with np.errstate(all="ignore"):
                        made = case(p)["output"]
                except (ValueError, IndexError, TypeError):
                    continue
                right, decimals = right_of(p, case.heads), min(case.decimals, 4)
                if title == "one cell" and not beyond_rounding(np.round(made, decimals), right, decimals):
                    continue
                found = kind_of(diagnose(np.round(made, decimals), right, decimals=decimals))
                counts[found] += 1
                if LISTED and ((title == "right forms") != (found == "right")):
                    print(f"    {name}, {of}, {decimals} decimals: {found}")
        told(title, counts)


def traces() -> Iterator[tuple[Any, Any, Any]]:
    for name in NAMES:
        this = example(name)
        for kind in ("none", "causal"):
            mask = this.mask(kind)
            yield this, mask, this.attention(mask=mask)


def random_answers() -> None:
    rng, counts, cases = np.random.default_rng(3), Counter[str](), [right for *_, right in traces()]
    for i in range(N_RANDOM):
        right = cases[i % len(cases)]
        values = right.output
        answer = np.round(rng.uniform(values.min() - 2, values.max() + 2, size=values.shape), 2)
        counts[kind_of(diagnose(answer, right, decimals=2))] += 1
    told("random answers", counts)


def an_error(rng: np.random.Generator, this: Any, mask: Any, right: Any) -> Error:
    while True:
        stage = STEPS[rng.integers(len(STEPS))]
        place = tuple(int(i) for i in rng.integers(matrix_at(right, stage).shape))
        counts = mask is None or stage in ("q", "k", "v", "output") or np.broadcast_to(mask, right.scores.shape)[place]
        error = Error(stage, place, (lambda x: x + 0.1) if stage == "weights" else WRITTEN[rng.integers(len(WRITTEN))])
        before = worked(this, mask, Learner())[stage][place]
        if counts and abs(error.written(before) - before) >= LEAST:
            return error


def arithmetic() -> None:
    rng, cases = np.random.default_rng(19), list(traces())
    counts: dict[str, Counter[str]] = {}
    for i in range(N_ARITHMETIC):
        this, mask, right = cases[i % len(cases)]
        error = an_error(rng, this, mask, right)
        for decimals in (4, 2):
            steps = worked(this, mask, Learner(decimals, error=error))
            own = {stage: answer_to(matrix_at(right, stage), steps[stage], decimals) for stage in STEPS}
            output = own.pop("output")
            exact = np.round(worked(this, mask, Learner(None, error=error))["output"], decimals)
            alone = diagnose(exact, right, decimals=decimals)
            both = diagnose(output, right, given=own)
            of_alone = _place_said(alone, error)
            counts.setdefault(f"output alone, {decimals} decimals", Counter())[of_alone] += 1
            wrong = [(step.stage, step.place) for step in both.steps if step.kind == "wrong"]
            found = "right place" if wrong[:1] == [(error.stage, error.place)] else "another place"
            found = "right" if both.right else "accused" if any(f.slips for f in both.findings) else found
            counts.setdefault(f"with steps, {decimals} decimals", Counter())[found] += 1
            if LISTED and (of_alone in ("accused", "right") or found != "right place"):
                print(f"    {this.name} {error.stage} {error.place} {decimals}: {of_alone}; {found}")
    for title, each in counts.items():
        told(f"arithmetic errors, {title}", each)


def _place_said(found: Diagnosis, error: Error) -> str:
    if found.right:
        return "right"
    changed = [(f.changed.stage, f.changed.place) for f in found.findings if f.changed]
    if (error.stage, error.place) in changed:
        return "the number" if len(changed) == 1 else "among several"
    if any(finding.slips for finding in found.findings):
        return "accused"
    return "another number" if changed else found.findings[0].kind if found.findings else "unknown"


def typed(rng: np.random.Generator, written: str) -> str:
    """A number with one slip of the pen: a digit changed, two in turn, one left out or twice, the sign, the point."""
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


def typing() -> None:
    rng, counts, cases = np.random.default_rng(5), Counter[str](), [right for *_, right in traces()]
    for i in range(N_TYPING):
        right, decimals = cases[i % len(cases)], (2, 4)[i % 2]
        stage = ("scores", "weights", "output")[i % 3]
        wanted = matrix_at(right, stage)
        values = np.round(wanted, decimals)
        place = tuple(int(n) for n in rng.integers(values.shape))
        answer = values.copy()
        answer[place] = float(typed(rng, f"{values[place]:.{decimals}f}") or 0)
        if abs(answer[place] - wanted[place]) <= 0.5001 * 10.0**-decimals:
            continue
        found = kind_of(diagnose(answer, right, stage, decimals=decimals))
        counts[found] += 1
        if LISTED and found not in ("one_number", "near"):
            print(f"    {stage} {place} {decimals}: {values[place]} -> {answer[place]}: {found}")
    told("typing errors", counts)


def times() -> None:
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
    "held_out": lambda: held_out(with_steps=False),
    "steps": lambda: held_out(with_steps=True),
    "unseen": unseen,
    "random": random_answers,
    "arithmetic": arithmetic,
    "typing": typing,
    "time": times,
}

if __name__ == "__main__":
    for part in [name for name in PARTS if name in sys.argv] or PARTS:
        PARTS[part]()

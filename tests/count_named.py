"""Count how many independently written mistakes the diagnosis names: `python tests/count_named.py` takes some minutes.

With `--unnamed`, it lists the mistakes that are not named.

The first two sets of `tests/data/wrong_implementations` were written without knowing the catalogue of mistakes, and the
second was written without knowing the first. Each mistake runs on up to three problems. The diagnosis gets its answer
rounded to 2 decimals, to 4 decimals, and to 10 decimals. An answer that is correct is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

import serving  # noqa: F401  # before the core: a script of this folder is given its own folder only

# isort: split
from attention_core import MultiHeadProjections, multi_head_attention, self_attention
from attention_core.diagnosis.diagnose import Diagnosis, diagnose
from attention_core.diagnosis.stages import Trace
from attention_core.examples import example
from wrong_implementations import Wrong, read_set, run

FIELDS = "x context w_q w_k w_v w_o b_q b_k b_v n_heads".split()
# kinds of findings that name a cause without a mistake of the catalogue
CAUSES = (
    "transposed", "reordered", "other_step", "hidden_keys", "dropped_out", "other_scale", "copied_row", "one_factor",
)  # fmt: skip
DECIMALS = (2, 4, 10)
MOST = 3  # the greatest number of problems on which a mistake runs
WORKERS = 2
BIASES = {"b_q": np.array([1.0, -2, 0, 1]), "b_k": np.array([0.0, 1, 2, -1]), "b_v": np.array([1.0, -3])}
Problem = SimpleNamespace
SETS = {"first set": read_set("first"), "second set": read_set("second")}
LISTED = {(title, name): wrong for title, (ones, pairs) in SETS.items() for name, wrong in (ones | pairs).items()}


def problem(name: str, mask: np.ndarray | None = None, **more: object) -> Problem:
    """Return the inputs of an example as a problem for a wrong implementation, with a mask.

    `more` replaces some of the inputs.
    """
    return SimpleNamespace(**{field: getattr(example(name), field) for field in FIELDS} | {"mask": mask} | more)


def problems() -> dict[str, tuple[Problem, set[str]]]:
    """Return each problem by its name, with the set of its properties that a mistake may need, such as "mask"."""
    hidden_last = np.ones((2, 4), dtype=bool)
    hidden_last[:, -1] = False
    return {
        "hand": (problem("hand"), set()),
        "story": (problem("story"), set()),
        "story, causal": (problem("story", np.tri(5, dtype=bool)), {"mask"}),
        "hand, biases": (problem("hand", **BIASES), {"bias"}),
        "context, padding": (problem("context", hidden_last), {"context", "mask"}),
        "square": (problem("square"), set()),
        "hand, biases, causal": (problem("hand", np.tri(3, dtype=bool), **BIASES), {"bias", "mask"}),
        "context": (problem("context"), {"context"}),
    }


def correct_trace_of(p: Problem, heads: str) -> Trace:
    """Return the correct computation of the problem `p`, made with `attention_core`. `heads` is "one" or "several"."""
    biases, more = {name: getattr(p, name) for name in ("b_q", "b_k", "b_v")}, {"context": p.context, "mask": p.mask}
    if heads == "one":
        return self_attention(p.x, p.w_q, p.w_k, p.w_v, **biases, **more)
    weights = MultiHeadProjections(w_q=p.w_q, w_k=p.w_k, w_v=p.w_v, w_o=p.w_o, **biases)
    return multi_head_attention(p.x, weights, p.n_heads, **more)


def answers(wrong: Wrong, among: Sequence[str] = ()) -> Iterator[tuple[str, np.ndarray, Trace]]:
    """Yield the wrong answers of a mistake: the name of the problem, the answer, and the correct computation.

    Answers with numbers that are not finite are left out. `among` names the problems to try; empty means all.
    """
    left = MOST
    for name, (p, has) in problems().items():
        if (among and name not in among) or (wrong.needs and wrong.needs not in has) or not left:
            continue
        with np.errstate(all="ignore"):
            try:
                answer = wrong(p)["output"]
            except (ValueError, IndexError, TypeError):
                continue  # the shapes of this problem forbid it
        truth = run(p, wrong.heads)["output"]
        if (
            answer.ndim == 2
            and np.isfinite(answer).all()
            and not (answer.shape == truth.shape and np.allclose(answer, truth))
        ):
            left -= 1
            yield name, answer, correct_trace_of(p, wrong.heads)


class Verdict(NamedTuple):
    """How the diagnosis judges one mistake: whether it is named, and how many answers get a wrong verdict."""

    named: bool  # whether a mistake was named, with any number of decimals
    n_right: int  # how many of the wrong answers were called correct
    n_wrong: int  # for how many answers rounding led to a wrong name


def named_mistakes(found: Diagnosis) -> set[tuple[str, ...]]:
    """Return the names of the mistakes in each finding of a diagnosis. A finding may combine several mistakes."""
    return {tuple(mistake.name for mistake in finding.mistakes) for finding in found.findings if finding.mistakes}


def is_explained(found: Diagnosis) -> bool:
    """Return whether the diagnosis has named a cause.

    A cause is a mistake of the catalogue, or one of `CAUSES`: correct numbers in other places (transposed, reordered, a
    copied row), the correct matrix of another step, another mask, dropout, another scale, or a common factor. A changed
    number, rounding and equal rows are no cause, because they say where the numbers differ and not why.
    """
    return bool(named_mistakes(found)) or any(finding.kind in CAUSES for finding in found.findings)


def verdict(key: tuple[str, str]) -> Verdict | None:
    """Return how the diagnosis judges a mistake, or None if the mistake runs on no problem.

    `key` is the title of a set of mistakes and the name of the mistake.
    """
    each = [_verdict_on_answer(answer, right) for _, answer, right in answers(LISTED[key])]
    named, right, wrong = zip(*each, strict=True) if each else ((), (), ())
    return Verdict(any(named), sum(right), sum(wrong)) if each else None


def _verdict_on_answer(answer: np.ndarray, right: Trace) -> Verdict:
    found = [diagnose(np.round(answer, n), right, decimals=n) for n in DECIMALS]
    given = [named_mistakes(each) for each in found]
    wrong = sum(bool(each) and each.isdisjoint(given[-1]) for each in given)
    return Verdict(any(given), sum(each.all_correct for each in found), wrong)


def main() -> None:
    with ProcessPoolExecutor(WORKERS) as pool:
        verdicts = dict(zip(LISTED, pool.map(verdict, LISTED, chunksize=4), strict=True))
    for title, (ones, pairs) in SETS.items():
        common = [name for name, wrong in ones.items() if wrong.common]
        for group, members in {"common": common, "all": ones, "pairs": pairs}.items():
            ran = {name: each for name in members if (each := verdicts[title, name])}
            named, right, wrong = (sum(each[i] for each in ran.values()) for i in range(3))
            share = f"{named} of {len(ran)} named ({named / len(ran):.0%})"
            print(f"{title}, {group:>6}: {share}, {right} answers called right, {wrong} called by another name")
            if "--unnamed" in sys.argv:
                print("\n".join(f"    {name}" for name, each in ran.items() if not each.named))


if __name__ == "__main__":
    main()

"""How many independently written mistakes the diagnosis names: `python tests/naming.py` tells, in about five minutes.

`tests/wrong_implementations` was written without sight of the catalogue. Each mistake runs on up to three problems, and
its answer is given to 2 decimals, to 4, and in full. Where it gives the right numbers, it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import numpy as np

import serving  # noqa: F401  # before the core: a script of this folder is given its own folder only

# isort: split
from attention_core import MultiHeadWeights, multi_head_attention, self_attention
from attention_core.diagnosis.diagnose import Diagnosis, diagnose
from attention_core.diagnosis.stages import Trace
from attention_core.examples import example
from wrong_implementations import ALL, PAIRS
from wrong_implementations.parts import one_head, several_heads
from wrong_implementations.record import Wrong

FIELDS = "x context w_q w_k w_v w_o b_q b_k b_v n_heads".split()
DECIMALS = (2, 4, 10)
MOST = 3  # problems on which a mistake runs
BIASES = {"b_q": np.array([1.0, -2, 0, 1]), "b_k": np.array([0.0, 1, 2, -1]), "b_v": np.array([1.0, -3])}
Problem = SimpleNamespace


def problem(name: str, mask: np.ndarray | None = None, **more: object) -> Problem:
    return SimpleNamespace(**{field: getattr(example(name), field) for field in FIELDS} | {"mask": mask} | more)


def problems() -> dict[str, tuple[Problem, set[str]]]:
    """Each problem by name, and what it has that a mistake may need."""
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


def right_of(p: Problem, heads: str) -> Trace:
    """The right computation, by the core."""
    biases, more = {name: getattr(p, name) for name in ("b_q", "b_k", "b_v")}, {"context": p.context, "mask": p.mask}
    if heads == "one":
        return self_attention(p.x, p.w_q, p.w_k, p.w_v, **biases, **more)
    weights = MultiHeadWeights(w_q=p.w_q, w_k=p.w_k, w_v=p.w_v, w_o=p.w_o, **biases)
    return multi_head_attention(p.x, weights, p.n_heads, **more)


def answers(wrong: Wrong, among: Sequence[str] = ()) -> Iterator[tuple[str, np.ndarray, Trace]]:
    """The answers of a mistake that are wrong and finite, with what would be right, by the name of the problem."""
    left = MOST
    for name, (p, has) in problems().items():
        if (among and name not in among) or (wrong.needs and wrong.needs not in has) or not left:
            continue
        with np.errstate(all="ignore"):
            try:
                answer = wrong(p)["output"]
            except (ValueError, IndexError, TypeError):
                continue  # the shapes of this problem forbid it
        truth = (one_head if wrong.heads == "one" else several_heads)(p)["output"]
        if (
            answer.ndim == 2
            and np.isfinite(answer).all()
            and not (answer.shape == truth.shape and np.allclose(answer, truth))
        ):
            left -= 1
            yield name, answer, right_of(p, wrong.heads)


def is_named(found: Diagnosis) -> bool:
    return any(finding.slips for finding in found.findings)


def main() -> None:
    groups = {
        "common": [wrong for wrong in ALL.values() if wrong.common],
        "all": list(ALL.values()),
        "pairs": list(PAIRS.values()),
    }
    verdicts = {
        wrong.name: [
            (is_named(found), found.right)
            for _, answer, right in answers(wrong)
            for found in (diagnose(np.round(answer, n), right, decimals=n) for n in DECIMALS)
        ]
        for wrong in (*ALL.values(), *PAIRS.values())
    }
    for title, group in groups.items():
        ran = [verdicts[wrong.name] for wrong in group if verdicts[wrong.name]]
        named = sum(any(is_named for is_named, _ in each) for each in ran)
        right = sum(is_right for each in ran for _, is_right in each)
        print(f"{title:>7}: {named} of {len(ran)} named ({named / len(ran):.0%}), {right} answers called right")


if __name__ == "__main__":
    main()

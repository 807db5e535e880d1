"""Sums without their first or last term, or with only that term, as after an off-by-one error in a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.rare.projection import CALLED, ROWS

LEFT_OUT = "A term of the sum is missing. Look where your loop begins and ends."
OVERWRITTEN = "Only one term of the sum is left. Look for = where += should be."
PARTS: tuple[tuple[str, str, str, str], ...] = (
    ("last", "The last {} is left out", ":-1", LEFT_OUT),
    ("first", "The first {} is left out", "1:", LEFT_OUT),
    ("all_but_last", "Only the last {} is counted", "-1:", OVERWRITTEN),
    ("all_but_first", "Only the first {} is counted", ":1", OVERWRITTEN),
)


def _terms_out_of_projections(name: str, title: str, part: str, why: str) -> Iterator[Mistake[Any]]:
    """Yield the mistakes in which terms are missing in the sums of queries, keys or values.

    `part` is the slice of the terms that are left, such as ":-1".
    """
    for letters in ("qkv", "q", "k", "v"):
        said = "queries, keys and values" if len(letters) > 1 else CALLED[letters]
        each = ", ".join(f"{ROWS[m]}[:, {part}] @ w_{m}[{part}] + b_{m}" for m in letters)
        text = f"{title.format('feature')} in the product for {said}"
        yield diagnosis_mistake(
            letters[0], f"{name}_feature_out_in_{letters}", text, f"{', '.join(letters)} = {each}", why
        )


def terms_left_out() -> RareMistakes:
    """Return the mistakes in which terms are missing in a sum."""
    return tuple(
        each
        for name, title, part, why in PARTS
        for each in (
            *_terms_out_of_projections(name, title, part, why),
            diagnosis_mistake(
                "scores", f"{name}_feature_out_of_scores", f"{title.format('feature')} in the scores",
                f"scores = q[..., {part}] @ k[..., {part}].T", why,
            ),
            diagnosis_mistake(
                "output", f"{name}_token_out_of_output", f"{title.format('token')} in the mixture",
                f"output = weights[..., {part}] @ v[..., {part}, :]", why,
            ),
        )
    )  # fmt: skip

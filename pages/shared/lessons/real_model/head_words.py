"""Texts about heads that are cut: the heads that a visitor names, and the heads with the sharpest weights."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from attention_core.language_model.damage import MANY, head_measurements, rank_correlation
from attention_core.language_model.head import Head
from pages.shared.notation.prose import what_was_written

MOST_HEADS = 9
TEN = 10
NAMED = re.compile(r"[Ll](\d{1,2})\s*[Hh](\d{1,2})")


def heads_in(text: str) -> tuple[Head, ...]:
    """Return the heads that a visitor's text names, such as L18H6, as far as the model has them."""
    layers, heads = head_measurements("added").shape
    found = (Head(int(layer), int(head)) for layer, head in NAMED.findall(text))
    return tuple(dict.fromkeys(each for each in found if each.layer < layers and each.head < heads))[:MOST_HEADS]


def not_understood_text(text: str) -> str:
    """Return a text that says which words of a visitor's text are not names of heads, and how to name a head.

    Return "" if all words are names of heads.
    """
    layers, heads = head_measurements("added").shape
    named = {str(head) for head in heads_in(text)}
    strange = [word for word in re.split(r"[\s,;]+", text) if word and word.upper() not in named]
    if not strange and named:
        return ""
    rule = f"L0H0 to L{layers - 1}H{heads - 1}, at most {MOST_HEADS}"
    return f":material/info: Heads have the names {rule}, but {what_was_written(' '.join(strange))}. Write, say, L18H6."


def loss_without_heads_text(heads: Sequence[Head]) -> str:
    """Return a text that says how much the loss grows without each of the heads."""
    added, pointed, first = (head_measurements(what) for what in ("added", "pointed", "first"))
    return "\n\n".join(
        f"On average, **{head}** attends to the first token with {first[head]:.2f}, and its greatest weight for "
        f"another word is {pointed[head]:.2f}. Without this head, the loss changes by **{added[head]:+.3f}**."
        for head in heads
    )


def attention_and_loss_text() -> str:
    """Return a text that compares two orders of the heads: by how sharply they attend, and by how much they matter.

    A head is sharp if it attends to one word with a great weight. It matters if the loss grows without it.
    """
    added, pointed = head_measurements("added"), head_measurements("pointed")
    looking, mattering = (np.argsort(-np.ravel(each))[:TEN] for each in (pointed, added))
    both = len({*looking.tolist()} & {*mattering.tolist()})
    return (
        f"**A head that attends sharply does not always matter.** Take the {TEN} heads that attend most "
        "sharply to one word. If one of them is cut, the loss grows by "
        f"{np.ravel(added)[looking].mean():+.3f} on average. For the "
        f"{TEN} heads that matter most, it is {np.ravel(added)[mattering].mean():+.3f}. **{both}** heads are in both "
        f"lists. Over all {added.size} heads, the rank correlation of the two orders is "
        f"{rank_correlation(pointed, added):.2f} (1 means the same order, and 0 means no relation). Without any one of "
        f"{int((added < 0).sum())} heads, the loss even becomes smaller on these {MANY} sentences."
    )

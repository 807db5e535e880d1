"""The code of a real head: its queries, keys and values as numbers, and the usual lines of attention."""

from __future__ import annotations

from typing import Any

from attention_core import attend, causal_mask, rope
from attention_core.language_model.model import run_block
from pages.shared.codes.pieces import (
    OUTPUT,
    SAYS_OUTPUT,
    SAYS_SCORES,
    SCORES,
    SOFTMAX,
    Both,
    both_of,
    join,
    packed_code,
)
from pages.shared.real_heads.boards import N_NEXTS
from pages.shared.real_heads.reading import BASE, N_PLACES, Reading, last_and_most_attended
from pages.shared.takehome.code import Block, Code

OF_THE_MODEL = """\
def of_the_model(digits, rows):            # numbers in half precision, of two bytes each
    return np.frombuffer(bytes.fromhex(digits), "<f2").reshape(rows, -1).astype(float)"""
WEIGHTS: Both = (
    "scaled = scores / np.sqrt(q.shape[-1])\n"
    "masked = np.where(np.tri(len(q), len(q), dtype=bool), scaled, -np.inf)   # no token attends to a later one\n"
    "weights = softmax(masked)",
    "scaled = scores / np.sqrt(len(q))\n"
    "masked = np.where(np.tri(len(scores), len(scores), dtype=bool).T, scaled, -np.inf)   # no token attends to "
    "a later one\n"
    "weights = softmax(masked)",
)
TURN: Both = (
    """\
def turned(vectors, places, base):         # pairs of neighbours, turned by angles that grow with the place
    angles = np.array(places)[:, None] * base ** (-np.arange(0, 64, 2) / 64)
    a, b, cos, sin = vectors[:, 0::2], vectors[:, 1::2], np.cos(angles), np.sin(angles)
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(len(places), 64)""",
    """\
def turned(vectors, places, base):         # pairs of neighbours, turned by angles that grow with the place
    angles = np.array(places) * base ** (-np.arange(0, 64, 2)[:, None] / 64)
    a, b, cos, sin = vectors[0::2], vectors[1::2], np.cos(angles), np.sin(angles)
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=1).reshape(64, len(places))""",
)
ANYWHERE: Both = (
    "q_before = turned(q[[asks]], [-asks], base)             # turned back to place 0\n"
    "k_before = turned(k[[answers]], [-answers], base)\n"
    "q_turned = turned(q_before, range(places), base)\n"
    "k_turned = turned(k_before, range(places), base)\n"
    "scores_turned = q_turned @ k_turned.T                   # only the distance counts",
    "q_before = turned(q[:, [asks]], [-asks], base)          # turned back to place 0\n"
    "k_before = turned(k[:, [answers]], [-answers], base)\n"
    "q_turned = turned(q_before, range(places), base)\n"
    "k_turned = turned(k_before, range(places), base)\n"
    "scores_turned = k_turned.T @ q_turned                   # only the distance counts",
)
NEXT: Both = (
    "guesses = np.exp(np.array(best_scores) - log_of_all)[:, None]     # softmax, of the best alone",
    "guesses = np.exp(np.array(best_scores) - log_of_all)[None]        # softmax, of the best alone",
)
SAYS_NEXT = "These are the six greatest scores of next tokens, and the logarithm of the sum of e^score over all tokens."
SAYS_ALONE = f"Of this head, only the weights are in the app. {SAYS_NEXT}"
SAYS_GIVEN = "Queries, keys and values come from the model. The steps are those of every head."


def code_of_a_head(reading: Reading, *, name: str, many_positions: bool = False) -> Code:
    """Return the code of one head on a text. `reading` has the text and the numbers of the head."""
    if reading.trace is None:
        return _weights_alone(reading, name)
    asks, answers = last_and_most_attended(reading)
    blocks = (
        Block(title="Every query meets every key", says=SAYS_SCORES, **both_of(SCORES)),
        Block(title="Scores become weights", says=SAYS_GIVEN, **both_of(join(SOFTMAX, WEIGHTS))),
        Block(title="What comes next", says=SAYS_NEXT, key="who", **both_of(NEXT)),
        Block(title="What each token takes", says=SAYS_OUTPUT, key="numbers", **both_of(OUTPUT)),
        Block(title="Only the distance counts", key="positions", **both_of(join(TURN, ANYWHERE))),
    )
    given = {"asks": asks, "answers": answers, "places": N_PLACES, "base": BASE} if many_positions else {}
    return Code(
        name=name,
        given=given | _next(reading),
        drawn=_numbers_as_code(reading),
        drawn_names=("q", "k", "v"),
        core=(attend, causal_mask, rope, run_block),
        blocks=blocks if many_positions else blocks[:-1],
    )


def _weights_alone(reading: Reading, name: str) -> Code:
    return Code(
        name=name,
        given={"weights": reading.weights} | _next(reading),
        core=(attend, causal_mask, rope, run_block),
        blocks=(Block(title="What comes next", says=SAYS_ALONE, key="who", **both_of(NEXT)),),
    )


def _next(reading: Reading) -> dict[str, Any]:
    return {"best_scores": reading.text.scores[:N_NEXTS].tolist(), "log_of_all": float(reading.text.total)}


def _numbers_as_code(reading: Reading) -> str:
    text, head = reading.text, reading.head
    return packed_code(OF_THE_MODEL, {name: getattr(text, name)[head].astype("<f2") for name in "qkv"})

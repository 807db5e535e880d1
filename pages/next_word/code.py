"""The code of the page “The next word”: from the last row to the probabilities of words, and a drawn word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_core import KeyValueCache, feed_forward, residual, sample, unembed
from attention_core.writing.small_model import next_word
from pages.next_word.lesson import TEXTS, word_at
from pages.shared.codes.pieces import SAYS_SOFTMAX, SOFTMAX, Both, both_of, join, same
from pages.shared.notation.symbols import OF_A_PAGE
from pages.shared.small_model.state import EDITABLE, Writing, writing_of
from pages.shared.takehome.code import Block, Code

HEAD: Both = (
    "q, k, v = x @ w_q_next, x @ w_k_next, x @ w_v_next\n"
    "d_k = q.shape[-1]\n"
    "scores = q @ k.T\n"
    "scaled = scores / np.sqrt(d_k)\n"
    "masked = np.where(np.tri(len(x), len(x), dtype=bool), scaled, -np.inf)\n"
    "weights = softmax(masked)\n"
    "output = weights @ v",
    "q, k, v = w_q_next @ x, w_k_next @ x, w_v_next @ x\n"
    "d_k = len(q)\n"
    "scores = k.T @ q\n"
    "scaled = scores / np.sqrt(d_k)\n"
    "masked = np.where(np.tri(len(scores), len(scores), dtype=bool).T, scaled, -np.inf)\n"
    "weights = softmax(masked)\n"
    "output = v @ weights",
)
MIXED: Both = ("mixed = output @ w_o_next", "mixed = w_o_next @ output")
NEXT: Both = (
    "summed = x + mixed                                # nothing is replaced\n"
    "logits = summed @ vocabulary.T                    # one score a word\n"
    "chances = softmax(logits)",
    "summed = x + mixed                                # nothing is replaced\n"
    "logits = vocabulary.T @ summed                    # one score a word\n"
    "chances = softmax(logits)",
)
_DRAW = """\
powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
numbers = np.arange(len(scaled))
likelier = (scaled[None] > scaled[:, None]) | (       # [i, j]: word j is likelier than word i, or comes before it
    (scaled[None] == scaled[:, None]) & (numbers[None] < numbers[:, None]))
among = np.where(likelier.sum(axis=-1) < top_k, powers, 0.0)              # top-k
reached_before = (likelier * among).sum(axis=-1) / among.sum()
left = np.where(reached_before < top_p, among, 0.0)                       # top-p
"""
KEPT: Both = (
    f"scaled = logits[-1] / temperature\n{_DRAW}kept = (left / left.sum())[None]",
    f"scaled = logits[:, -1] / temperature\n{_DRAW}kept = (left / left.sum())[:, None]",
)
NORM: Both = (
    "means = summed.mean(axis=-1, keepdims=True)\n"
    "spreads = (((summed - means) ** 2).mean(axis=-1, keepdims=True) + eps) ** 0.5\n"
    "normed = (summed - means) / spreads",
    "means = summed.mean(axis=0, keepdims=True)\n"
    "spreads = (((summed - means) ** 2).mean(axis=0, keepdims=True) + eps) ** 0.5\n"
    "normed = (summed - means) / spreads",
)
FEED: Both = (
    "widened = summed @ w_up\nbent = np.where(widened > 0, widened, 0.0)         # the bend",
    "widened = w_up @ summed\nbent = np.where(widened > 0, widened, 0.0)         # the bend",
)
FED: Both = ("fed = bent @ w_down\nstream = summed + fed", "fed = w_down @ bent\nstream = summed + fed")
READ: Both = (
    "read = table[tokens]                              # the rows of x",
    "read = table[:, tokens]   # the columns of x",
)
CACHE: Both = ("k_kept, v_kept = k[:at], v[:at]", "k_kept, v_kept = k[:, :at], v[:, :at]")
LOSS: Both = (
    "word_loss = -np.log(chances[-1:, target:target + 1])",
    "word_loss = -np.log(chances[target:target + 1, -1:])",
)
EPS = 1e-5
BLOCKS_OF_LOOK: Mapping[str, tuple[tuple[str, str, Both], ...]] = {  # a section with the title, the key, the lines
    "block": (("code_of_norm", "norm", NORM), ("code_of_widening", "feed", FEED), ("code_of_narrowing", "fed", FED)),
    "loss": (("code_of_loss", "loss", LOSS),),
    "cache": (("code_of_cache", "cache", CACHE),),
    "head": (("code_of_table", "given", READ),),
}


def code(parameters, example) -> Code:
    """Return the code that computes what the page “The next word” shows."""
    here = writing_of(parameters)
    mixed = MIXED if here.attends else join(MIXED, same("mixed = 0 * mixed"))
    say, look = parameters.say, parameters.look
    given = _given_matrices(parameters, here) | ({"eps": EPS} if look == "block" else {})
    given |= {"target": here.model.words.index(parameters.came)} if look == "loss" else {}
    given |= {"at": word_at(here, parameters.at)} if look == "cache" else {}
    return Code(
        name="next_word",
        given=given,
        labels=_labels(here),
        core=(next_word, residual, unembed, sample, feed_forward, KeyValueCache),
        blocks=(
            Block(title=say(TEXTS, "code_of_softmax"), says=SAYS_SOFTMAX, **both_of(SOFTMAX)),
            Block(title=say(TEXTS, "code_of_head"), key="head", **both_of(join(HEAD, mixed))),
            Block(
                title=say(TEXTS, "code_of_next_word"),
                key="next",
                says=say(TEXTS, "reason_of_sum" if here.attends else "reason_without_attention"),
                **both_of(NEXT),
            ),
            Block(title=say(TEXTS, "code_of_rows"), key="rows", **both_of(same("every = chances"))),
            Block(title=say(TEXTS, "code_of_draw"), key="draw", says=say(TEXTS, "reason_of_draw"), **both_of(KEPT)),
            *(
                Block(title=say(TEXTS, section), key=key, **both_of(lines))
                for section, key, lines in BLOCKS_OF_LOOK.get(look, ())
            ),
        ),
    )


def _given_matrices(parameters, here: Writing) -> dict[str, Any]:
    model, drawing = here.model, here.drawing
    own = {f"{name}{OF_A_PAGE}": getattr(model, name) for name in EDITABLE}
    feeds = {"w_up": model.w_up, "w_down": model.w_down} if parameters.look == "block" else {}
    read = {"tokens": [model.tokens.index(token) for token in here.trace.tokens], "table": model.table}
    return (read if parameters.look == "head" else {}) | {
        "x": here.trace.head.x,
        "vocabulary": model.vocabulary,
        **own,
        **feeds,
        "temperature": drawing.temperature,
        "top_k": drawing.top_k or len(model.words),
        "top_p": 2.0 if drawing.top_p is None else drawing.top_p,
    }


def _labels(here: Writing) -> dict[str, tuple[str, ...]]:
    features = f"columns: {', '.join(here.example.names.x)}"
    return {
        "x": (f"rows: {', '.join(here.trace.tokens)}", features),
        "table": (f"rows: {', '.join(here.model.tokens)}", features),
        "vocabulary": (f"rows: {', '.join(here.model.words)}", features),
    }

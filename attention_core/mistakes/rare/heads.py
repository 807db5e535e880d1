"""Mistakes with several heads: heads are cut, paired, scaled, masked or shared in a wrong way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake, has_mask
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.rare.projection import CALLED
from attention_core.mistakes.rare.projection import ROWS as ROWS_OF
from attention_core.mistakes.without_switch.heads import has_more_than_one_head

CUT = "Each head has a block of neighbouring columns: the same block of the queries, of the keys and of the values."
TURN = "Reshape to (n, n_heads, d), and then swap the first two axes. Then each head has some features of every token."
OWN = "Every head uses its own queries, keys and values, and not those of another head."
OWN_WEIGHTS = "Every head has its own scores and its own weights."
FLAT_SUMS = (
    "Without keepdims, the sums of the rows of a head are a flat list, so NumPy divides column j by the sum of row j. "
    "In a loop over the heads this runs. `[..., None, :]` does the same for all heads at once."
)
COUNT = "You used another number of heads. The width of one head is the whole width divided by the number of heads."
SCALE = (
    "A score of one head is a sum of d_k products. Divide it by the square root of d_k, where d_k is the width of "
    "one head."
)
ALONE = "Do the same steps in every head: scale the scores, mask them, and compute their softmax."
NEEDS = "It takes more than one head."

SPLITS: tuple[tuple[str, str, str, str], ...] = (
    ("by_reshape", "cut by reshape alone", "{m}.reshape(n_heads, len({m}), -1)", TURN),
    ("taking_turns", "cut by taking turns", "{m}.reshape(len({m}), -1, n_heads).transpose(2, 0, 1)", CUT),
    (
        "tokens_turned",
        "reshaped to (head, feature, token)",
        "{m}.reshape(n_heads, -1, len({m})).transpose(0, 2, 1)",
        TURN,
    ),
    (
        "features_first",
        "reshaped to (feature, head, token)",
        "{m}.reshape(-1, n_heads, len({m})).transpose(1, 2, 0)",
        TURN,
    ),
    (
        "all_axes_turned",
        "reshaped to (feature, token, head)",
        "{m}.reshape(-1, len({m}), n_heads).transpose(2, 1, 0)",
        TURN,
    ),
    ("column_by_column", "cut column by column", "{m}.reshape((n_heads, len({m}), -1), order='F')", TURN),
    ("of_the_first_head", "taken from the first head for all", "split({m})[:1] + 0 * split({m})", OWN),
    ("of_the_last_head", "taken from the last head for all", "split({m})[-1:] + 0 * split({m})", OWN),
    ("averaged", "averaged over the heads", "split({m}).mean(axis=0, keepdims=True) + 0 * split({m})", OWN),
    ("summed", "summed over the heads", "split({m}).sum(axis=0, keepdims=True) + 0 * split({m})", OWN),
    ("of_the_next_head", "taken from the next head", "np.roll(split({m}), -1, axis=0)", OWN),
    ("of_the_head_before", "taken from the head before", "np.roll(split({m}), 1, axis=0)", OWN),
    ("in_reverse", "taken from the heads in reverse order", "split({m})[::-1]", OWN),
    ("shared_by_two", "shared by two heads each", "np.repeat(split({m})[::2], 2, axis=0)[:n_heads]", OWN),
    (
        "overlapping",
        "cut one column further for each head",
        "np.stack([{m}[:, h : h + {m}.shape[1] // n_heads] for h in range(n_heads)])",
        "Head 2 begins where head 1 ends, so each head begins d_k columns further, and not 1 column further.",
    ),
)
CUT_FROM = ("q", "k", "v", "qk", "kv", "qv", "qkv")
OTHERWISE = {  # left out of the table, because another mistake gives the same numbers
    "of_the_next_head_qkv", "of_the_head_before_qkv", "in_reverse_qkv", "by_reshape_qkv", "taking_turns_qkv",
    "of_the_first_head_qkv", "of_the_last_head_qkv", "of_the_first_head_qk", "of_the_last_head_qk",
    "of_the_next_head_qk", "in_reverse_qk",
}  # fmt: skip

COUNTS: tuple[tuple[str, str, str], ...] = (
    ("number_and_width_swapped", "The number and width of the heads are swapped", "m.shape[1] // n_heads"),
    ("twice_as_many", "There are twice as many heads", "2 * n_heads"),
    ("half_as_many", "There are half as many heads", "n_heads // 2"),
)
WEIGHTS: tuple[tuple[str, str, str, str, str], ...] = (
    ("weights", "weights_averaged", "The weights are averaged over the heads",
        "weights = weights.mean(axis=0, keepdims=True) + 0 * weights", OWN_WEIGHTS),
    ("weights", "weights_summed", "The weights are summed over the heads",
        "weights = weights.sum(axis=0, keepdims=True) + 0 * weights", OWN_WEIGHTS),
    ("weights", "weights_of_the_first", "All heads use the weights of the first head",
        "weights = weights[:1] + 0 * weights", OWN_WEIGHTS),
    ("weights", "weights_of_the_last", "All heads use the weights of the last head",
        "weights = weights[-1:] + 0 * weights", OWN_WEIGHTS),
    ("weights", "weights_of_the_next", "Each head uses the weights of the next head",
        "weights = np.roll(weights, -1, axis=0)",
        OWN_WEIGHTS),
    ("weights", "weights_in_reverse", "The weights of the heads are in reverse order", "weights = weights[::-1]",
        OWN_WEIGHTS),
    ("weights", "softmax_over_everything", "The softmax runs over all heads, queries and keys together",
        "weights = softmax(masked, axis=(0, 1, 2))", OWN_WEIGHTS),
    ("weights", "softmax_over_heads_and_queries", "The softmax runs over the heads and the queries together",
        "weights = softmax(masked, axis=(0, 1))", OWN_WEIGHTS),
    ("weights", "sums_without_keepdims", "The sums of each head are computed without keepdims",
        "powers = np.exp(masked)\nweights = powers / powers.sum(axis=-1)[..., None, :]", FLAT_SUMS),
    ("weights", "sums_from_the_maximum_without_keepdims",
        "The sums of each head are computed without keepdims, after the maximum is subtracted",
        "powers = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
        "weights = powers / powers.sum(axis=-1)[..., None, :]", FLAT_SUMS),
    ("scores", "scores_averaged", "The scores are averaged over the heads",
        "scores = scores.mean(axis=0, keepdims=True) + 0 * scores", OWN_WEIGHTS),
    ("scores", "scores_running", "Scores not set back to 0 from head to head", "scores = np.cumsum(scores, axis=0)",
        OWN_WEIGHTS),
    ("scaled", "root_n_heads", "The scores are divided by the root of the number of heads",
        "scaled = scores / np.sqrt(n_heads)",
        SCALE),
    ("scaled", "by_n_heads", "The scores are divided by the number of heads", "scaled = scores / n_heads", SCALE),
    ("scaled", "by_full_width", "The scores are divided by the width of all heads, no root",
        "scaled = scores / q.shape[-1]", SCALE),
    ("scaled", "root_d_k_by_heads", "The width of a head is divided by the heads once more",
        "scaled = scores / np.sqrt(d_k / n_heads)", SCALE),
    ("scaled", "whole_d_k_by_heads", "The width of a head is divided by the heads once more, in whole numbers",
        "scaled = scores / np.sqrt(max(d_k // n_heads, 1))", SCALE),
    ("scaled", "root_d_k_and_heads", "The scores are divided by √d_k and by the number of heads",
        "scaled = scores / np.sqrt(d_k) / n_heads", SCALE),
    ("scaled", "scaled_in_the_first", "The scores are scaled only in the first head",
        "scaled = np.concatenate([scores[:1] / np.sqrt(d_k), scores[1:]])", ALONE),
    ("scaled", "scaled_in_the_last", "The scores are scaled only in the last head",
        "scaled = np.concatenate([scores[:-1], scores[-1:] / np.sqrt(d_k)])", ALONE),
    ("scaled", "not_scaled_in_the_first", "The scores are not scaled in the first head",
        "scaled = np.concatenate([scores[:1], scores[1:] / np.sqrt(d_k)])", ALONE),
    ("scaled", "not_scaled_in_the_last", "The scores are not scaled in the last head",
        "scaled = np.concatenate([scores[:-1] / np.sqrt(d_k), scores[-1:]])", ALONE),
)  # fmt: skip
OF_MASKS: tuple[tuple[str, str, str], ...] = (
    ("in_the_first", "The mask is used only in the first head",
        "masked = np.concatenate([np.where(allowed, scaled[:1], -np.inf), scaled[1:]])"),
    ("in_the_last", "The mask is used only in the last head",
        "masked = np.concatenate([scaled[:-1], np.where(allowed, scaled[-1:], -np.inf)])"),
    ("not_in_the_first", "The mask is missing in the first head",
        "masked = np.concatenate([scaled[:1], np.where(allowed, scaled[1:], -np.inf)])"),
    ("not_in_the_last", "The mask is missing in the last head",
        "masked = np.concatenate([np.where(allowed, scaled[:-1], -np.inf), scaled[-1:]])"),
    ("along_the_heads", "The mask runs along heads and keys",
        "masked = np.where(np.broadcast_to(allowed, scaled.shape[-2:])[:, None, :], scaled, -np.inf)"),
)  # fmt: skip


def mistake_of_heads(stage: str, name: str, title: str, code: str, why: str, **more: Any) -> Mistake[Any]:
    """Return a mistake that needs several heads. `more` holds further arguments of `diagnosis_mistake`."""
    more = {"shows": has_more_than_one_head, "needs": NEEDS} | more
    return diagnosis_mistake(stage, name, title, code, why, concept="multi_head", **more)


def _for_each(code: str, letters: str) -> str:
    return f"({code.format(m='m')} for m in ({', '.join(letters)}))"


def _wrong_splits() -> Iterator[Mistake[Any]]:
    """Yield the mistakes in which queries, keys or values are split into heads in a wrong way."""
    for name, title, code, why in SPLITS:
        for letters in CUT_FROM:
            if f"{name}_{letters}" not in OTHERWISE:
                said = " and ".join(CALLED[m] for m in letters) if len(letters) < 3 else "queries, keys and values"
                given = ", ".join(f"{m}_heads" for m in letters)
                each = code.format(m=letters) if len(letters) == 1 else _for_each(code, letters)
                line = f"{given} = {each}"
                yield mistake_of_heads("heads", f"{letters}_{name}", f"The {said} are {title}", line, why)
    shared = ", ".join(
        f"np.concatenate([part @ w_{m}[: part.shape[1], : w_{m}.shape[1] // n_heads] for part in split({rows})], "
        f"axis=1) + b_{m}"
        for m, rows in ROWS_OF.items()
    )
    yield mistake_of_heads(
        "q",
        "input_cut_one_block_for_all",
        "The input is cut among the heads, and one block of W for all",
        f"q, k, v = {shared}",
        "Every head uses the whole token and its own block of columns of W.",
    )
    yield mistake_of_heads(
        "heads",
        "reshaped_and_merged_for_values",
        "The heads of the values are made and merged by reshape alone",
        "q_heads, k_heads, v_heads = split(q), split(k), v.reshape(n_heads, len(v), -1)\n"
        "concat = heads.reshape(len(x), -1)",
        CUT,
    )


def _wrong_counts() -> Iterator[Mistake[Any]]:
    """Yield two mistakes for each wrong number of heads.

    The first divides the scores by the square root of the new width of a head. The second divides by the correct √d_k.
    """
    for name, title, count in COUNTS:
        code = f"q_heads, k_heads, v_heads = (m.reshape(len(m), {count}, -1).swapaxes(0, 1) for m in (q, k, v))"
        scaled = "scaled = scores / np.sqrt(q_heads.shape[-1])"
        yield mistake_of_heads("heads", f"heads_{name}", title, f"{code}\n{scaled}", COUNT)
        yield mistake_of_heads(
            "heads", f"heads_{name}_scaled_as_asked", f"{title}, scaled by the d_k asked for", code, COUNT
        )


def _has_both(trace: MultiHeadTrace) -> bool:
    """Return whether a trace has several heads and a mask."""
    return has_more_than_one_head(trace) and has_mask(trace)


def wrong_heads() -> RareMistakes:
    """Return the mistakes in which heads are cut, scaled or masked wrongly, or use the weights of another head."""
    return (
        *_wrong_splits(),
        *_wrong_counts(),
        *(mistake_of_heads(stage, f"heads_{name}", title, code, why) for stage, name, title, code, why in WEIGHTS),
        *(
            mistake_of_heads("masked", f"mask_{name}_head", title, code, ALONE, shows=_has_both)
            for name, title, code in OF_MASKS
        ),
    )

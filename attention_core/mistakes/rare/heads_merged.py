"""Mistakes after the heads: they are not put side by side in order, or another matrix than W^O multiplies them."""

from __future__ import annotations

from typing import Any

from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.rare.heads import mistake_of_heads
from attention_core.mistakes.rare.projection import has_any_bias

SIDE = "Put the outputs of the heads side by side, each head once, in the order of the heads. Then multiply by W^O."
AXES = (
    "Before you reshape, the axes must be in the order (token, head, feature). Then each row has all heads of one "
    "token, one after the other."
)
ROWS = "Multiply the heads side by side by the whole W^O. Head 1 uses its first rows."
MERGED: tuple[tuple[str, str, str], ...] = (
    ("first_alone", "The first head stands in every place", "concat = np.concatenate([heads[0]] * n_heads, axis=1)"),
    ("last_alone", "The last head stands in every place", "concat = np.concatenate([heads[-1]] * n_heads, axis=1)"),
    ("last_left_out", "The last head is still 0",
        "concat = np.concatenate([*heads[:-1], 0 * heads[-1]], axis=1)"),
    ("first_left_out", "The first head is still 0",
        "concat = np.concatenate([0 * heads[0], *heads[1:]], axis=1)"),
    ("all_but_the_last_left_out", "All heads but the last are still 0",
        "concat = np.concatenate([*(0 * heads[:-1]), heads[-1]], axis=1)"),
    ("all_but_the_first_left_out", "All heads but the first are still 0",
        "concat = np.concatenate([heads[0], *(0 * heads[1:])], axis=1)"),
    ("one_further", "The heads are one place further", "concat = np.concatenate([*np.roll(heads, 1, axis=0)], axis=1)"),
    ("one_back", "The heads are one place back", "concat = np.concatenate([*np.roll(heads, -1, axis=0)], axis=1)"),
    ("running", "Heads not set back to 0 from one to the next",
        "concat = np.concatenate([*np.cumsum(heads, axis=0)], axis=1)"),
    ("multiplied", "The heads are multiplied with each other",
        "concat = np.concatenate([heads.prod(axis=0)] * n_heads, axis=1)"),
    ("greatest", "The greatest number of all heads stands in every place",
        "concat = np.concatenate([heads.max(axis=0)] * n_heads, axis=1)"),
    ("features_turned", "The heads are reshaped with their axes in the order (head, feature, token)",
        "concat = heads.transpose(0, 2, 1).reshape(len(x), -1)"),
    ("features_and_heads_turned", "The heads are reshaped with their axes in the order (feature, head, token)",
        "concat = heads.transpose(2, 0, 1).reshape(len(x), -1)"),
    ("all_axes_turned", "The heads are reshaped with their axes in the order (feature, token, head)",
        "concat = heads.T.reshape(len(x), -1)"),
    ("stacked", "The heads are stacked below each other and reshaped in columns",
        "concat = heads.reshape(-1, len(x)).T"),
    ("multiplied_by_heads", "The heads side by side are multiplied by their number", "concat = concat * n_heads"),
)  # fmt: skip
_IN_ANOTHER_ORDER = ("features_turned", "features_and_heads_turned", "all_axes_turned")
_BLOCK = "w_o.shape[0] // n_heads"
_OWN_BLOCK = (
    "own = np.arange(w_o.shape[0])[:, None] * n_heads // w_o.shape[0] == "
    "np.arange(w_o.shape[1]) * n_heads // w_o.shape[1]\n"
)
PROJECTED: tuple[tuple[str, str, str], ...] = (
    ("first_block", "All heads use the first head’s rows of W^O",
        f"output = heads.sum(axis=0) @ w_o[: {_BLOCK}] + b_o"),
    ("last_block", "All heads use the last head’s rows of W^O",
        f"output = heads.sum(axis=0) @ w_o[-({_BLOCK}) :] + b_o"),
    ("shares_averaged", "The heads’ shares are averaged, not summed", "output = concat @ w_o / n_heads + b_o"),
    ("bias_of_each_head", "b^O is added once for each head", "output = concat @ w_o + n_heads * b_o"),
    ("own_columns", "W^O is read as blocks, one for each head",
        f"{_OWN_BLOCK}output = concat @ np.where(own, w_o, 0) + b_o"),
    ("other_columns", "W^O is used without the blocks of the heads",
        f"{_OWN_BLOCK}output = concat @ np.where(own, 0, w_o) + b_o"),
    ("reversed", "W^O is upside down", "output = concat @ w_o[::-1] + b_o"),
    ("mirrored", "W^O is mirrored", "output = concat @ w_o[:, ::-1] + b_o"),
    ("twice", "W^O is applied twice", "output = (concat @ w_o + b_o) @ w_o + b_o"),
    ("elementwise", "W^O is multiplied number by number", "output = concat * w_o + b_o"),
    ("taking_turns", "The rows of W^O go by turns of the heads",
        f"output = concat @ w_o.reshape(n_heads, {_BLOCK}, -1).swapaxes(0, 1).reshape(w_o.shape) + b_o"),
    ("cut", "W^O is cut to whole numbers", "output = concat @ np.trunc(w_o) + b_o"),
    ("absolute", "The minus signs of W^O are lost", "output = concat @ np.abs(w_o) + b_o"),
    ("w_q", "W^Q is used in place of W^O", "output = concat @ w_q + b_o"),
    ("w_k", "W^K is used in place of W^O", "output = concat @ w_k + b_o"),
    ("w_v", "W^V is used in place of W^O", "output = concat @ w_v + b_o"),
    ("w_q_turned", "W^Q transposed is used in place of W^O", "output = concat @ w_q.T + b_o"),
    ("w_k_turned", "W^K transposed is used in place of W^O", "output = concat @ w_k.T + b_o"),
    ("w_v_turned", "W^V transposed is used in place of W^O", "output = concat @ w_v.T + b_o"),
    ("before", "W^O comes before the heads", "output = w_o @ concat + b_o"),
    ("of_the_input", "W^O is applied to the input", "output = x @ w_o + b_o"),
    ("bias_subtracted", "b^O is subtracted", "output = concat @ w_o - b_o"),
    ("last_row_left_out", "The last row of W^O is left out", "output = concat[:, :-1] @ w_o[:-1] + b_o"),
    ("first_row_left_out", "The first row of W^O is left out", "output = concat[:, 1:] @ w_o[1:] + b_o"),
)  # fmt: skip


def _projection_entry(name: str, title: str, code: str, **more: Any) -> Mistake[Any]:
    return diagnosis_mistake("output", f"w_o_{name}", title, code, ROWS, concept="multi_head", **more)


def _is_oblong(trace: Any) -> bool:
    """Return whether the W^O of a trace is not square."""
    rows, columns = trace.projections.w_o.shape
    return rows != columns


def heads_wrongly_merged() -> RareMistakes:
    """Return the mistakes that put the outputs of heads together wrongly, or multiply them by a wrong W^O."""
    return (
        *(
            mistake_of_heads("concat", f"merged_{name}", title, code, AXES if name in _IN_ANOTHER_ORDER else SIDE)
            for name, title, code in MERGED
        ),
        *(_projection_entry(*row) for row in PROJECTED),
        _projection_entry(
            "column_by_column",
            "W^O is read column by column",
            "output = concat @ w_o.T.reshape(w_o.shape) + b_o",
            shows=_is_oblong,
            needs="It takes a W^O that is not square.",
        ),
        _projection_entry(
            "without_bias", "b^O is missing", "output = concat @ w_o", shows=has_any_bias, needs="It takes biases."
        ),
    )

"""Wrong implementations of attention, read from `tests/data/wrong_implementations`, and the correct parts they replace.

Shapes: n queries, m keys, h heads. Arrays of several heads have the heads as their first axis.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "data" / "wrong_implementations"


def source_of_keys(p):
    """Return the tokens that keys and values are made from: the context of the inputs `p`, or x if it has none."""
    return p.x if p.context is None else p.context


def plus(a, bias):
    """Return `a` plus the bias, or `a` alone if the bias is None."""
    return a if bias is None else a + bias


def project(p):
    """Return the queries, keys and values of the inputs `p`, each with one row for each token."""
    c = source_of_keys(p)
    return plus(p.x @ p.w_q, p.b_q), plus(c @ p.w_k, p.b_k), plus(c @ p.w_v, p.b_v)


def score(q, k):
    """Return the dot product of each query with each key."""
    return q @ k.swapaxes(-1, -2)


def scale(scores, q, k, p):
    """Divide the scores by √d_k, where d_k is the width of a key."""
    return scores / np.sqrt(k.shape[-1])


def hide(scaled, mask):
    """Set the scaled scores to minus infinity where the mask is False."""
    return scaled if mask is None else np.where(mask, scaled, -np.inf)


def softmax(scores, axis=-1):
    """Return exp(scores), divided by its sum along the axis."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def after(weights, mask, p):
    """Return the weights unchanged. A wrong implementation may replace this function."""
    return weights


def mix(weights, v):
    """Return the weighted sums of the values."""
    return weights @ v


def finish(output, p):
    """Return the output of one head unchanged. A wrong implementation may replace this function."""
    return output


def split(a, h):
    """Split a matrix (n, d) into `h` heads (h, n, d / h). Each head gets neighbouring columns."""
    return a.reshape(a.shape[0], h, -1).transpose(1, 0, 2)


def merge(heads):
    """Concatenate the heads (h, n, d) to one matrix (n, h d)."""
    return heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)


def leave(concat, p):
    """Multiply the concatenated heads by the output projection W^O."""
    return concat @ p.w_o


def attend(p, q, k, v, parts):
    """Compute attention from queries, keys and values, and return its matrices by name.

    `parts` holds the functions that replace parts of the correct code. `p` holds the inputs, such as the mask.
    """
    scores = parts.get("score", score)(q, k)
    scaled = parts.get("scale", scale)(scores, q, k, p)
    masked = parts.get("hide", hide)(scaled, p.mask)
    weights = parts.get("after", after)(parts.get("softmax", softmax)(masked), p.mask, p)
    output = parts.get("mix", mix)(weights, v)
    return {"scores": scores, "scaled": scaled, "masked": masked, "weights": weights, "output": output}


def one_head(p, **parts):
    """Return the matrices of one head for the inputs `p`, by name. `parts` replaces parts of the correct code."""
    q, k, v = parts.get("project", project)(p)
    made = attend(p, q, k, v, parts)
    return {"Q": q, "K": k, "V": v} | made | {"output": parts.get("finish", finish)(made["output"], p)}


def several_heads(p, **parts):
    """Return the matrices of `p.n_heads` heads for the inputs `p`, by name. `parts` replaces parts of correct code."""
    q, k, v = parts.get("project", project)(p)
    cut = parts.get("split", split)
    cut_k, cut_v = parts.get("split_k", cut), parts.get("split_v", cut)
    made = attend(p, cut(q, p.n_heads), cut_k(k, p.n_heads), cut_v(v, p.n_heads), parts)
    concat = parts.get("merge", merge)(made["output"])
    return (
        {"Q": q, "K": k, "V": v}
        | made
        | {"heads": made["output"], "concat": concat, "output": parts.get("leave", leave)(concat, p)}
    )


def run(p, heads="one", **parts):
    """Return the matrices of `heads` ("one" or "several") for the inputs `p`, with some parts of the code replaced."""
    return (one_head if heads == "one" else several_heads)(p, **parts)


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """One wrong implementation of attention. Called with a problem, it returns its matrices by name.

    A problem holds the inputs of attention. `heads` is "one" or "several". `needs` says what a problem must have so
    that the mistake shows: "mask", "bias" or "context". `parts` replaces parts of the correct code, and `whole`
    replaces all of it. The numbers are given to `decimals` decimals.
    """

    name: str
    common: bool = False
    heads: str = "one"
    needs: str | None = None
    decimals: int = 10
    parts: Mapping[str, Callable]
    whole: Callable | None = None

    def __call__(self, p):
        """Return the matrices of this implementation for the problem `p`. It may raise whatever NumPy raises."""
        return self.whole(p) if self.whole is not None else run(p, self.heads, **self.parts)


def read_set(name: str) -> tuple[dict[str, Wrong], dict[str, Wrong]]:
    """Return the implementations with one mistake and those with two, by name, from the file NAME.toml."""
    rows = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    names = dict(globals())
    exec(rows.get("helpers", ""), names)
    ones = [_wrong_of(row, names) for row in rows["mistake"]]
    by_name = {wrong.name: wrong for wrong in ones}
    pairs = [_both(by_name[a], by_name[b]) for a, others in rows.get("together", {}).items() for b in others]
    pairs += [_wrong_of(row, names) for row in rows.get("pair", ())]
    return by_name, {pair.name: pair for pair in pairs}


def _wrong_of(row: dict[str, Any], names: dict[str, Any]) -> Wrong:
    fields = {key: row[key] for key in ("name", "common", "heads", "needs", "decimals") if key in row}
    parts = {part: _function_of(code, names) for part, code in row.get("parts", {}).items()}
    if "output" in row:
        output = _function_of(row["output"], names)
        return Wrong(**fields, parts=parts, whole=lambda p: {"output": output(p)})
    return Wrong(**fields, parts=parts, whole=_function_of(row["whole"], names) if "whole" in row else None)


def _function_of(code: str, names: dict[str, Any]) -> Callable:
    if not code.startswith("def "):
        return eval(f"({code})", names)
    made: dict[str, Callable] = {}
    exec(code, names, made)
    return made.popitem()[1]


def _both(a: Wrong, b: Wrong) -> Wrong:
    heads = "several" if "several" in (a.heads, b.heads) else "one"
    return Wrong(name=f"{a.name}, {b.name}", heads=heads, needs=a.needs or b.needs, parts={**a.parts, **b.parts})

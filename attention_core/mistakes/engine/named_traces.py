"""Turn a trace into the named values that the code of its pipeline uses, and such values back into a trace."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from attention_core.attention import AttentionTrace, SelfAttentionTrace
from attention_core.checks import Array
from attention_core.heads import MultiHeadTrace, split_heads
from attention_core.mistakes.engine.code_lines import Names, lines_of, run, softmax
from attention_core.mistakes.engine.pipelines import ENCODING, POSITIONS, Pipeline, pipeline_with
from attention_core.positions import even_width
from attention_core.rotation import Places, PositionedHeadsTrace, PositionedTrace, PositionTrace

Trace = SelfAttentionTrace | MultiHeadTrace | PositionTrace
T = TypeVar("T", bound=Trace)

PROJECTED, SCORES_TO_WEIGHTS = ("q", "k", "v"), ("scores", "scaled", "masked", "weights")
OF_FIXED_WIDTH = ("q", "k", *SCORES_TO_WEIGHTS)  # with one head, a mistake may change the width of values and outputs


def pipeline_of_trace(trace: Trace) -> Pipeline:
    """Return the correct computation, as named steps, for this kind of trace: one head or several, positions or not."""
    if isinstance(trace, PositionTrace):
        return ENCODING if trace.x is None else POSITIONS
    kind = "none" if (places := places_of(trace)) is None else places.kind
    shared = isinstance(trace, MultiHeadTrace) and trace.shares_keys
    return pipeline_with(kind, several=isinstance(trace, MultiHeadTrace), shared=shared)


def places_of(trace: Trace) -> Places | None:
    """Return the positions that a trace uses in its scores (rotation or ALiBi), or None if it uses none."""
    return trace.places if isinstance(trace, PositionedTrace | PositionedHeadsTrace) else None


def inner_of(trace: SelfAttentionTrace | MultiHeadTrace) -> AttentionTrace:
    """Return the part of a trace that holds queries, keys, scores, weights and so on.

    With several heads, each array has one more axis in front, for the heads.
    """
    return trace.heads if isinstance(trace, MultiHeadTrace) else trace


def has_several_heads(names: Names) -> bool:
    """Return whether `names`, the values of a trace by name, belong to attention with several heads."""
    return "concat" in names


def names_of(trace: Trace) -> Names:
    """Return everything that the code of a mistake can read in a trace, by name: inputs, steps, and functions.

    Raises: ValueError if the mask adds anything but 0 and −∞.
    """
    if isinstance(trace, PositionTrace):
        return _names_of_positions(trace)
    names = _names_of_heads(trace) if isinstance(trace, MultiHeadTrace) else _names_of_one_head(trace)
    places = places_of(trace)
    return names if places is None else _add_position_names(names, places, pipeline_of_trace(trace))


def trace_of(correct_trace: T, names: Names) -> T:
    """Return a copy of the correct trace `correct_trace` with the matrices in `names`.

    Raises: ValueError if a matrix has another shape than the next step needs.
    """
    if isinstance(correct_trace, PositionTrace):
        return _position_trace(correct_trace, names)
    return (
        _multi_head_trace(correct_trace, names)
        if isinstance(correct_trace, MultiHeadTrace)
        else _one_head_trace(correct_trace, names)
    )


def output_of(correct_trace: Trace, names: Names) -> Array:
    """Return the output of attention from the matrices in `names`. This is faster than `trace_of`.

    `correct_trace` says which kind of trace it is, and which type of number the output has.
    """
    if isinstance(correct_trace, PositionTrace):
        return names["sinusoidal"] if correct_trace.x is None else names["positioned"]
    return _with_dtype_of(correct_trace.output, names["output"])


def _names_of_one_head(trace: SelfAttentionTrace) -> Names:
    given = {
        name: getattr(trace, name) for name in ("x", "context", "w_q", "w_k", "w_v", *PROJECTED, *SCORES_TO_WEIGHTS)
    }
    biases = _named_biases(trace, "b_q", "b_k", "b_v")
    return _common_names(trace) | given | biases | {"output": trace.output}


def _names_of_heads(trace: MultiHeadTrace) -> Names:
    learned, heads = trace.projections, trace.heads
    names = {name: np.asarray(getattr(learned, name)) for name in ("w_q", "w_k", "w_v", "w_o")}
    names |= _named_biases(learned, "b_q", "b_k", "b_v", "b_o") | {"x": trace.x, "context": trace.context}
    counts = {"n_heads": trace.n_heads, "n_kv_heads": trace.n_kv_heads}
    start = pipeline_with("none", several=True, shared=trace.shares_keys).start
    names |= run(lines_of(start), _common_names(heads) | names | counts) | _common_names(heads)
    names |= {name: getattr(trace, name) for name in (*PROJECTED, "concat", "output")}
    names |= {f"{name}_heads": getattr(heads, name) for name in PROJECTED}
    return names | {name: getattr(heads, name) for name in SCORES_TO_WEIGHTS} | {"heads": heads.output}


def _add_position_names(names: Names, places: Places, pipeline: Pipeline) -> Names:
    """Return `names` with the positions of the tokens, and the rotated queries and keys or the distance penalty."""
    n = int(max(places.queries.max(), places.keys.max())) + 1
    d_k = names["d_k"]
    names = names | {
        "n": n, "positions": np.arange(n), "query_places": places.queries, "key_places": places.keys,
        "rope_base": places.base, "slopes_of_heads": places.slopes, "own_head": places.head,
    }  # fmt: skip
    names = run(lines_of(pipeline.start), names) | {"d_k": d_k}
    return run((line for line in pipeline.lines if not {*line.gives} <= names.keys()), names)


def _names_of_positions(trace: PositionTrace) -> Names:
    n, d_model = trace.encoding.shape
    names = {"np": np, "softmax": softmax, "n": n, "d_model": d_model, "even": even_width(d_model)}
    names |= {name: getattr(trace, name) for name in ("positions", "base", "exponents", "angles")}
    names["sinusoidal"] = trace.encoding
    return names if trace.x is None else names | {"x": trace.x, "positioned": trace.positioned}


def _common_names(trace: AttentionTrace) -> Names:
    return {"np": np, "softmax": softmax, "allowed": _allowed_cells(trace), "d_k": _d_k_of_scale(trace)}


def _d_k_of_scale(trace: AttentionTrace) -> float:
    d_k = trace.k.shape[-1]
    return d_k if np.isclose(trace.scale, d_k**-0.5) else trace.scale**-2


def _allowed_cells(trace: AttentionTrace) -> Any:
    if trace.mask is None or trace.mask.dtype == bool:
        return np.asarray(True) if trace.mask is None else trace.mask
    if np.any(trace.mask[np.isfinite(trace.mask)]):
        raise ValueError(
            "a mask must say which token may attend to which here; got one that adds other numbers: give booleans."
        )
    return np.isfinite(trace.mask)


def _named_biases(of: Any, *names: str) -> Names:
    return {name: 0.0 if getattr(of, name) is None else np.asarray(getattr(of, name)) for name in names}


def _one_head_trace(right: SelfAttentionTrace, names: Names) -> SelfAttentionTrace:
    fields = {name: _with_dtype_of(right.output, names[name]) for name in (*PROJECTED, *SCORES_TO_WEIGHTS, "output")}
    for name, matrix in fields.items():
        _check_shape(name, getattr(right, name), matrix, with_width=name in OF_FIXED_WIDTH)
    return replace(right, **fields)


def _multi_head_trace(right: MultiHeadTrace, names: Names) -> MultiHeadTrace:
    fields = {name: _with_dtype_of(right.output, names[name]) for name in (*PROJECTED, "concat", "output")}
    for name, matrix in fields.items():
        _check_shape(name, getattr(right, name), matrix, with_width=name == "concat")
    inner = {name: names[f"{name}_heads"] for name in PROJECTED} | {name: names[name] for name in SCORES_TO_WEIGHTS}
    heads = replace(right.heads, **inner, output=names["heads"])
    w_o = np.asarray(right.projections.w_o)
    shares = split_heads(fields["concat"], right.n_heads) @ w_o.reshape(right.n_heads, -1, w_o.shape[-1])
    return replace(right, **fields, heads=heads, shares=shares)


def _position_trace(right: PositionTrace, names: Names) -> PositionTrace:
    fields = {name: names[name] for name in ("base", "exponents", "angles")} | {"encoding": names["sinusoidal"]}
    return replace(right, **fields, positioned=names.get("positioned"))


def _with_dtype_of(right: Array, matrix: Array) -> Array:
    return np.asarray(matrix).astype(right.dtype, copy=False)


def _check_shape(name: str, right: Array, wrong: Array, *, with_width: bool) -> None:
    wanted, shape = right.shape[-2:], np.shape(wrong)[-2:]
    compared = 2 if with_width else 1
    if shape[:compared] != wanted[:compared]:
        raise ValueError(f"The next step needs {name} as {wanted}, but it is {shape}. Correct this step.")

"""Mistakes in the real model, and what they change in a head."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.language_model.model import (
    RIGHT_PARTS,
    BlockWeights,
    Head,
    HeadsTrace,
    LayerChange,
    LayerSettings,
    Parts,
    keep_heads,
)
from attention_core.language_model.model import grouped_attention as rightly
from attention_core.masks import causal_mask
from attention_core.mistakes import REAL_MODEL_MISTAKES, WRITTEN_OUT, Mistake
from attention_core.mistakes.engine.code_lines import CodeLine, Names, run, softmax
from attention_core.mistakes.engine.edits import program
from attention_core.mistakes.engine.pipelines import POSITIONS, ROTARY
from attention_core.projection import root_scale
from attention_core.rotation import sinusoidal_steps

CANDIDATES: tuple[Mistake[Any], ...] = (*WRITTEN_OUT, *REAL_MODEL_MISTAKES)
SHOWS = 1e-3  # a mistake shows if it changes the heads' sum by more than this fraction of its greatest number
GREATEST = 1e18  # the heads' sum may have no greater number, because the square of each number must fit into float32
MERGING = "heads"  # the step that computes the outputs of the heads, before they are merged


class NoNumberError(ValueError):
    """Raised for a mistake that gives NaN, or numbers so large that their squares overflow."""


def parts_with(mistake: Mistake[Any], layers: Collection[int] | None = None) -> Parts:
    """Return functions that compute a layer with a mistake, in the layers `layers`, or in all layers if this is None.

    Raises: ValueError if the mistake cannot occur in the steps of a real model. The
            returned functions raise a ValueError if the shapes do not allow the mistake.
    """
    lines = mistake.lines_in(ROTARY)
    if not lines:
        raise ValueError(f"a mistake must have a place in the steps of a layer; got {mistake.name}: take one that has.")
    wrongly = partial(_attention_by_lines, program(ROTARY, lines))
    return replace(
        RIGHT_PARTS, attention=wrongly if layers is None else partial(_attention_in_layers, frozenset(layers), wrongly)
    )


def _attention_in_layers(
    layers: Collection[int], wrongly: Callable[..., HeadsTrace], layer: int, *given: Any
) -> HeadsTrace:
    return (wrongly if layer in layers else rightly)(layer, *given)


def _attention_by_lines(
    lines: Sequence[CodeLine],
    layer: int,
    normed: Array,
    w: BlockWeights,
    settings: LayerSettings,
    positions: NDArray[np.integer[Any]],
    change: LayerChange = keep_heads,
) -> HeadsTrace:
    at = max(place for place, line in enumerate(lines) if MERGING in line.gives) + 1
    names = run(lines[:at], variables_of_layer(normed, w, settings, positions))
    with np.errstate(over="ignore"):  # `_check_numbers` finds numbers that are too large
        names[MERGING] = change(layer, names[MERGING].astype(normed.dtype))  # some mistakes compute in float64
    return _trace_of(run(lines[at:], names), normed, settings)


def variables_of_layer(
    normed: Array, w: BlockWeights, settings: LayerSettings, positions: NDArray[np.integer[Any]]
) -> Names:
    """Return by name the values that the steps of a layer start from: the layer's matrices, mask and positions.

    If heads share keys and values, the shared matrices are repeated, so that each head has its own.
    """
    own = partial(_for_each_head, settings=settings)
    weights = {"w_q": w.w_q, "w_k": own(w.w_k), "w_v": own(w.w_v), "w_o": w.w_o}
    biases = dict.fromkeys(("b_q", "b_k", "b_v", "b_o"), 0.0)
    besides = {"n_heads": settings.n_heads, "positions": positions, "rope_base": settings.base}
    mask = causal_mask(len(normed))
    return {"np": np, "softmax": softmax, "x": normed, "context": normed, "allowed": mask} | weights | biases | besides


def _for_each_head(w: Array, settings: LayerSettings) -> Array:
    heads = w.T.reshape(settings.n_kv_heads, -1, len(w))  # in the order of memory, for only one copy
    return np.repeat(heads, settings.n_heads // settings.n_kv_heads, axis=0).reshape(-1, len(w)).T


def _trace_of(names: Names, normed: Array, settings: LayerSettings) -> HeadsTrace:
    n, d_model = normed.shape
    square = (settings.n_heads, n, n)  # a result of a single head is repeated for all heads
    met = {name: np.broadcast_to(names[name], square) for name in ("scores", "scaled", "masked", "weights")}
    q, k, v = names["q_turned"], names["k_turned"], names["v_heads"]
    heads = AttentionTrace(
        q=q,
        k=k,
        v=v,
        mask=names["allowed"],
        scale=root_scale(d_model // settings.n_heads),
        output=names[MERGING],
        **met,
    )
    mixed = _check_numbers(names["output"], normed)
    return HeadsTrace(q=q, k=k, v=v, heads=heads, concat=names["concat"], mixed=mixed)


def _check_numbers(output: Array, normed: Array) -> Array:
    if np.shape(output) != normed.shape:
        raise ValueError(
            f"what heads add must be {normed.shape}, as the residual stream is; got {np.shape(output)}: compute output "
            "rightly."
        )
    if not (greatest := np.abs(output).max()) < GREATEST:
        raise NoNumberError(
            f"what heads add must be numbers below {GREATEST:.0e}; got {greatest}: nothing can be computed from it."
        )
    return output.astype(normed.dtype)


def applicable_mistakes(normed: Array, w: BlockWeights, settings: LayerSettings) -> tuple[Mistake[Any], ...]:
    """Return the mistakes that a layer of a real model can make: their code runs, and changes the layer's result.

    Shapes: normed (n, d_model). n must differ from d_k, d_model and the number of heads, because wrong code may run
            only if two of these sizes are equal.
    """
    right = rightly(0, normed, w, settings, np.arange(len(normed))).mixed
    return tuple(
        mistake
        for mistake in CANDIDATES
        if mistake.lines_in(ROTARY) and _changes_result(mistake, right, normed, w, settings)
    )


def _changes_result(
    mistake: Mistake[Any], right: Array, normed: Array, w: BlockWeights, settings: LayerSettings
) -> bool:
    if mistake.pipeline is POSITIONS and not mistake.shows(sinusoidal_steps(len(normed), 2, settings.base)):
        return False
    try:
        wrong = parts_with(mistake).attention(0, normed, w, settings, np.arange(len(normed))).mixed
    except NoNumberError:
        return True
    except ValueError:
        return False  # this mistake raises an error
    return not np.allclose(wrong, right, rtol=0, atol=SHOWS * np.abs(right).max())


HeadChange = Callable[[Array], Array]  # output of a head (n, d_k) → the output to use instead


def change_of_heads(changes: Mapping[Head, HeadChange]) -> LayerChange:
    """Return a change that replaces the output of each head in `changes` by the result of the head's function.

    The function takes the output of its head, and returns the new output. The outputs of all other heads stay the same.
    """

    def change(layer: int, heads: Array) -> Array:
        here = {head: function for (at, head), function in changes.items() if at == layer}
        return np.stack([here.get(i, _unchanged)(output) for i, output in enumerate(heads)]) if here else heads

    return change


def cut_heads(heads: Collection[Head]) -> LayerChange:
    """Return a change that sets the outputs of some heads to 0.

    >>> from attention_core.language_model.model import Head
    >>> cut_heads([Head(0, 1)])(0, np.ones((2, 1, 1))).tolist()
    [[[1.0]], [[0.0]]]
    """
    return change_of_heads(dict.fromkeys(heads, np.zeros_like))


def average_heads(heads: Collection[Head]) -> LayerChange:
    """Return a change that replaces the outputs of some heads by their mean over all positions.

    Then every position gets the same output.

    >>> from attention_core.language_model.model import Head
    >>> average_heads([Head(0, 0)])(0, np.array([[[1.0], [3.0]]])).tolist()
    [[[2.0], [2.0]]]
    """
    return change_of_heads(dict.fromkeys(heads, lambda output: np.broadcast_to(output.mean(axis=0), output.shape)))


def replace_output(head: Head, row: Array) -> LayerChange:
    """Return a change that replaces the output of a head at the last position by `row` (d_k,).

    This row may be the output of the same head in another text.
    """
    return change_of_heads({head: lambda output: np.concatenate([output[:-1], row[None].astype(output.dtype)])})


def _unchanged(output: Array) -> Array:
    return output

"""A block, which is one layer of a model. Some of the functions that compute a block can be replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import AttentionTrace
from attention_core.checks import Array
from attention_core.heads import merge_heads, split_heads
from attention_core.key_value_cache import KeyValueCache
from attention_core.normalization import rms_norm
from attention_core.positions import rope
from attention_core.projection import project
from attention_core.residual import residual
from attention_core.swiglu import SwigluTrace, swiglu


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BlockWeights:
    """The learned matrices of one layer."""

    norm: Array  # (d_model,)
    w_q: Array  # (d_model, n_heads · d_k)
    w_k: Array  # (d_model, n_kv_heads · d_k)
    w_v: Array  # (d_model, n_kv_heads · d_k)
    w_o: Array  # (n_heads · d_k, d_model)
    norm_of_mlp: Array  # (d_model,)
    w_gate: Array  # (d_model, d_hidden)
    w_up: Array  # (d_model, d_hidden)
    w_down: Array  # (d_hidden, d_model)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSettings:
    """The settings that all layers of a model share."""

    n_heads: int
    n_kv_heads: int
    base: float  # the base of RoPE
    eps: float  # the eps of RMSNorm


LayerChange = Callable[[int, Array], Array]  # (number of the layer, outputs of its heads) → the outputs to use instead


def keep_heads(layer: int, heads: Array) -> Array:
    """Return `heads`, the outputs of the heads of a layer, without any change."""
    return heads


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeadsTrace:
    """Every step of the heads of one layer, from the normalised rows to the sum that the layer adds to its input."""

    q: Array  # (n_heads, n, d_k) rotated by their positions
    k: Array  # (n_kv_heads, n_k, d_k) rotated by their positions; keys of earlier tokens come first
    v: Array  # (n_kv_heads, n_k, d_k)
    heads: AttentionTrace  # (n_heads, …)
    concat: Array  # (n, n_heads · d_k)
    mixed: Array  # (n, d_model) the sum that all heads add to the rows


def grouped_attention(
    layer: int,
    normed: Array,
    w: BlockWeights,
    settings: LayerSettings,
    positions: NDArray[np.integer[Any]],
    change: LayerChange = keep_heads,
    past: KeyValueCache | None = None,
) -> HeadsTrace:
    """Compute the attention of all heads of a layer. Each token attends to the tokens so far.

    Several heads may share keys and values. RoPE rotates queries and keys by their positions. `change` replaces the
    outputs of the heads, (n_heads, n, d_k), before they are merged. `past` has the keys and values of earlier tokens.

    Shapes: normed (n, d_model), positions (n,) → mixed (n, d_model).
    Raises: ValueError if the shapes of two multiplied matrices do not fit.
    Source: Ainslie et al. 2023, arXiv:2305.13245; Su et al. 2021, arXiv:2104.09864.
    """
    q = split_heads(project(normed, w.w_q), settings.n_heads)
    k = split_heads(project(normed, w.w_k), settings.n_kv_heads)
    v = split_heads(project(normed, w.w_v), settings.n_kv_heads)
    q, k = (rope(each, positions, base=settings.base, interleaved=True) for each in (q, k))
    cache = past.extended(k, v) if past else KeyValueCache(k, v)
    heads = cache.attend(q)
    concat = merge_heads(change(layer, heads.output))
    return HeadsTrace(q=q, k=cache.k, v=cache.v, heads=heads, concat=concat, mixed=project(concat, w.w_o))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The functions that compute a layer. An experiment or a mistake replaces one of these functions."""

    attention: Callable[..., HeadsTrace] = grouped_attention  # a replacement needs the same arguments and result
    change: LayerChange = keep_heads


RIGHT_PARTS = Parts()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BlockTrace(HeadsTrace):
    """Every intermediate result of one layer."""

    x: Array  # (n, d_model) the residual stream at the input
    normed: Array  # (n, d_model) the normalised input
    summed: Array  # (n, d_model) x + mixed
    mlp: SwigluTrace  # the gated perceptron on the normalised sum
    output: Array  # (n, d_model) summed + the output of the gated perceptron


def run_block(
    x: Array,
    w: BlockWeights,
    settings: LayerSettings,
    positions: NDArray[np.integer[Any]],
    *,
    layer: int = 0,
    parts: Parts = RIGHT_PARTS,
    past: KeyValueCache | None = None,
) -> BlockTrace:
    """Run one layer: add the output of all heads to each row, and then the output of a gated perceptron.

    summed = x + heads(rms_norm(x)) w_o,  output = summed + swiglu(rms_norm(summed))

    `layer` is the number of the layer. `parts` are the functions that compute the layer. `past` has the keys and values
    of earlier tokens.

    Shapes: x (n, d_model), positions (n,) → (n, d_model).
    Raises: ValueError if the shapes of two multiplied matrices do not fit.
    Source: Touvron et al. 2023, arXiv:2302.13971, section 2.2; Ainslie et al. 2023, arXiv:2305.13245, for the heads
            that share keys and values.
    """
    normed = rms_norm(x, w.norm, settings.eps)
    cached = {"past": past} if past else {}
    attended = parts.attention(layer, normed, w, settings, positions, parts.change, **cached)
    summed = residual(x, attended.mixed)
    mlp = swiglu(rms_norm(summed, w.norm_of_mlp, settings.eps), w.w_gate, w.w_up, w.w_down)
    return BlockTrace(
        x=x, normed=normed, q=attended.q, k=attended.k, v=attended.v, heads=attended.heads, concat=attended.concat,
        mixed=attended.mixed, summed=summed, mlp=mlp, output=residual(summed, mlp.output),
    )  # fmt: skip

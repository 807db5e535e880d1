"""The gradients of layer norm and RMSNorm: a change that a norm removes gets no gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array
from attention_core.gradients.arriving import checked_upstream, summed_to
from attention_core.normalization import LayerNormTrace, NormTrace, RmsNormTrace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NormGradient:
    """The gradients that both norms have."""

    d_output: Array  # (…, d) what arrives
    d_normal: Array  # (…, d) d_output · weight
    d_x: Array  # (…, d)
    d_weight: Array | None  # the shape of the weight: Σ d_output · normal; None without a weight


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LayerNormGradient(NormGradient):
    """Every gradient of layer norm."""

    d_bias: Array | None  # the shape of the bias: Σ d_output; None without a bias


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RmsNormGradient(NormGradient):
    """Every gradient of RMSNorm."""


def layer_norm_gradient(trace: LayerNormTrace, upstream: ArrayLike) -> LayerNormGradient:
    """Go back through a layer norm.

    d_normal = d_output · weight
    d_x = (d_normal − mean of d_normal − normal · mean of (d_normal · normal)) / spread
    d_weight = Σ d_output · normal, d_bias = Σ d_output, over all that shared them

    Shapes: upstream (…, d) → d_x (…, d); d_weight and d_bias have the shapes of weight and bias.
    Range:  d_x sums to 0, since a shift changes nothing; with eps = 0 so does d_x · x, since a factor changes nothing.
            Features that are all equal, with eps = 0, get 0.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: Ba, Kiros & Hinton 2016, arXiv:1607.06450, eq. 4, by the chain rule.
    """
    d_output = checked_upstream(upstream, trace.output)
    d_normal = _times(d_output, trace.weight)
    d_centred = d_normal - d_normal.mean(axis=trace.axis, keepdims=True)
    return LayerNormGradient(
        d_output=d_output, d_normal=d_normal, d_x=_through_size(trace, d_centred),
        d_weight=_of_weight(trace, d_output),
        d_bias=None if trace.bias is None else summed_to(d_output, trace.bias.shape),
    )  # fmt: skip


def rms_norm_gradient(trace: RmsNormTrace, upstream: ArrayLike) -> RmsNormGradient:
    """Go back through an RMSNorm.

    d_normal = d_output · weight
    d_x = (d_normal − normal · mean of (d_normal · normal)) / spread
    d_weight = Σ d_output · normal, over all that shared it

    Shapes: upstream (…, d) → d_x (…, d); d_weight has the shape of the weight.
    Range:  with eps = 0 the sum of d_x · x is 0, since a factor changes nothing. Features that are all 0 then get 0.
    Raises: ValueError if upstream is not finite or has another shape than the output.
    Source: Zhang & Sennrich 2019, arXiv:1910.07467, eq. 4, by the chain rule.
    """
    d_output = checked_upstream(upstream, trace.output)
    d_normal = _times(d_output, trace.weight)
    return RmsNormGradient(
        d_output=d_output, d_normal=d_normal, d_x=_through_size(trace, d_normal), d_weight=_of_weight(trace, d_output)
    )


def _through_size(trace: NormTrace, arrived: Array) -> Array:
    """Return (arrived − normal · mean of (arrived · normal)) / spread: the way back through a division by the size."""
    along = (arrived * trace.normal).mean(axis=trace.axis, keepdims=True)
    across = arrived - trace.normal * along
    return np.divide(across, trace.spread, out=np.zeros_like(across), where=trace.spread > 0)


def _times(d_output: Array, weight: Array | None) -> Array:
    return d_output if weight is None else d_output * weight


def _of_weight(trace: NormTrace, d_output: Array) -> Array | None:
    return None if trace.weight is None else summed_to(d_output * trace.normal, trace.weight.shape)

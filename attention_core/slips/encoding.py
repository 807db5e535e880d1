"""Slips of the encoding of positions: the index misread, waves in another order, degrees, the root forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.encoding import EncodingTrace
from attention_core.position_similarity import sines_first
from attention_core.positions import sinusoidal_at
from attention_core.slips.positions import sinusoidal_doubled_exponent, sinusoidal_shifted_cosine
from attention_core.slips.slip import Slip


def _with_encoding(trace: EncodingTrace, encoding: Array) -> EncodingTrace:
    """Go on rightly from another encoding."""
    return replace(trace, sinusoidal=encoding, positioned=trace.x * trace.factor + encoding)


def _at_its_positions(table: Any, trace: EncodingTrace) -> EncodingTrace:
    places = trace.positions.astype(int)
    return _with_encoding(trace, table(int(places.max()) + 1, trace.x.shape[-1], trace.base)[places])


def _in_degrees(trace: EncodingTrace) -> EncodingTrace:
    return _with_encoding(trace, sinusoidal_at(np.radians(trace.positions), trace.x.shape[-1], trace.base))


ENCODING_SLIPS: tuple[Slip[Any], ...] = (
    Slip(
        name="doubled_exponent",
        concept="positional_encoding",
        stage="sinusoidal",
        title="The exponent doubled",
        formula=r"PE_{pos,i} = \sin\left(pos / b^{2i/d_{model}}\right), \quad i = 0, 2, 4, \ldots",
        why="The 2i of the paper is the column already. Double it again and the frequencies fall twice as fast: "
        "it is the paper's formula with the base squared.",
        sources=("001-01",),
        apply=lambda trace: _at_its_positions(sinusoidal_doubled_exponent, trace),
    ),
    Slip(
        name="shifted_cosine",
        concept="positional_encoding",
        stage="sinusoidal",
        title="The cosine with an exponent of its own",
        formula=r"PE_{pos,i+1} = \cos\left(pos / b^{2(i+1)/d_{model}}\right), \quad i = 0, 2, 4, \ldots",
        why="A sine and its cosine share one frequency. With the next column's exponent they no longer turn together, "
        "and similarity depends on where two tokens stand, not on their distance alone.",
        sources=("SamLynnEvans/Transformer#25", "jadore801120/attention-is-all-you-need-pytorch#32"),
        apply=lambda trace: _at_its_positions(sinusoidal_shifted_cosine, trace),
    ),
    Slip(
        name="sines_before_cosines",
        concept="positional_encoding",
        stage="sinusoidal",
        title="All sines before all cosines",
        formula=r"PE = [\sin \omega_1 pos, \sin \omega_2 pos, \ldots, \cos \omega_1 pos, \ldots]",
        why="Some libraries keep the waves in two halves, and it does no harm there. The paper lets sine and cosine "
        "take turns: sines in columns 0, 2, 4, cosines in 1, 3, 5.",
        sources=("tensorflow/tensor2tensor#391",),
        apply=lambda trace: _with_encoding(trace, sines_first(trace.sinusoidal)),
    ),
    Slip(
        name="degrees_for_radians",
        concept="positional_encoding",
        stage="sinusoidal",
        title="Degrees for radians",
        formula=r"\sin\left(\frac{\pi}{180} \cdot pos / b^{2i/d_{model}}\right)",
        why="Your calculator took the angle for degrees. The angles are radians: from one position to the next the "
        "fastest wave turns by 1, which is about 57 degrees.",
        sources=("001-01",),
        apply=_in_degrees,
    ),
    Slip(
        name="embedding_not_scaled",
        concept="positional_encoding",
        stage="positioned",
        title="The embedding not multiplied by √d_model",
        formula=r"X + PE",
        why="The paper multiplies the embedding by √d_model before it adds the positions: embeddings are learned "
        "small, and the waves would drown them.",
        sources=("pytorch/tutorials#2655",),
        apply=lambda trace: replace(trace, positioned=trace.x + trace.sinusoidal),
    ),
)

"""Turn a model into one vector of numbers, which an optimizer and a file need, and back."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from attention_core.checks import Array
from attention_core.induction.model import CONTEXT, D_MODEL, N_SYMBOLS, Layer, Model

TABLES = ("embedding", "positions", "unembedding")
MATRICES = ("w_q", "w_k", "w_v", "w_o")  # the matrices of one layer
SHAPES = {"embedding": (N_SYMBOLS, D_MODEL), "positions": (CONTEXT, D_MODEL), "unembedding": (D_MODEL, N_SYMBOLS)}
SPREAD = D_MODEL**-0.5
SPREADS = {"embedding": 0.5, "positions": 0.5, "unembedding": SPREAD}


def model_of(vector: Array) -> Model:
    """Return the model whose numbers are in a vector. Its matrices are views of the vector.

    Shapes: (n,), with the numbers of the embedding, the positions and the unembedding, and then 4 · d_model² numbers
            for each layer.
    Raises: ValueError if the vector does not have as many numbers as whole layers need.
    """
    square = D_MODEL * D_MODEL
    n_layers, rest = divmod(vector.size - tables_size(), len(MATRICES) * square)
    if rest or n_layers < 1:
        raise ValueError(
            f"a vector must hold the tables and whole layers; got {vector.size} numbers: give {tables_size()} of the "
            f"tables and {len(MATRICES) * square} a layer."
        )
    sizes = [rows * columns for rows, columns in SHAPES.values()] + [square] * (len(MATRICES) * n_layers)
    parts = np.split(vector, [*accumulate(sizes)][:-1])
    tables = {name: part.reshape(SHAPES[name]) for name, part in zip(TABLES, parts, strict=False)}
    matrices = [part.reshape(D_MODEL, D_MODEL) for part in parts[len(TABLES) :]]
    layers = [matrices[i : i + len(MATRICES)] for i in range(0, len(matrices), len(MATRICES))]
    return Model(**tables, layers=tuple(Layer(**dict(zip(MATRICES, each, strict=True))) for each in layers))


def vector_of(model: Model) -> Array:
    """Return all numbers of a model as one vector. The model may also be a gradient in the same form."""
    tables = [getattr(model, name).ravel() for name in TABLES]
    layers = [getattr(layer, name).ravel() for layer in model.layers for name in MATRICES]
    return np.concatenate([*tables, *layers])


def tables_size() -> int:
    """Return how many numbers the embedding, the positions and the unembedding have together."""
    return sum(rows * columns for rows, columns in SHAPES.values())


def draw_parameters(seed: int, n_layers: int) -> Array:
    """Draw the random numbers with which training begins.

    All numbers are normal. Their standard deviation is 0.5 in the tables of symbols and positions, and 1 / √d_model in
    all matrices.

    Shapes: → (n,), float32.
    """
    generator = np.random.default_rng([seed, n_layers])
    tables = [generator.normal(scale=SPREADS[name], size=SHAPES[name]).ravel() for name in TABLES]
    matrices = generator.normal(scale=SPREAD, size=n_layers * len(MATRICES) * D_MODEL * D_MODEL)
    return np.concatenate([*tables, matrices]).astype(np.float32)

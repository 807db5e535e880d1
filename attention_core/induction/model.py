"""The small model of two layers: its letters, parameters and task, its forward pass, and what is measured on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import SelfAttentionTrace, self_attention
from attention_core.caching import cache_recent
from attention_core.checks import Array, floats, positive_integer
from attention_core.masks import causal_mask
from attention_core.next_word import cross_entropy

N_SYMBOLS = D_MODEL = CONTEXT = 32

Tokens = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Layer:
    """The learned matrices of one layer, which has one head."""

    w_q: Array  # all four matrices are (d_model, d_model)
    w_k: Array
    w_v: Array
    w_o: Array


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Model:
    """All learned numbers of the induction model."""

    embedding: Array  # (n_symbols, d_model) a vector for each symbol
    positions: Array  # (context, d_model) a vector for each position
    unembedding: Array  # (d_model, n_symbols) how much each feature adds to the score of each symbol
    layers: tuple[Layer, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LayerTrace:
    """The results of one layer: every step of its head, the output of the head, and the output of the layer."""

    head: SelfAttentionTrace
    added: Array  # (…, n, d_model) the output of the head times w_o
    output: Array  # (…, n, d_model) the input of the layer plus `added`


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ModelTrace:
    """Every intermediate result of the model for a sequence."""

    tokens: Tokens  # (…, n) the number of each symbol
    x: Array  # (…, n, d_model) the sum of the vectors of symbols and positions
    layers: tuple[LayerTrace, ...]
    logits: Array  # (…, n, n_symbols) the score of each symbol as the next symbol


def run(model: Model, tokens: ArrayLike, first_weights: ArrayLike | None = None) -> ModelTrace:
    """Predict the next symbol at each position of a sequence.

    x = embedding[tokens] + positions; each layer adds softmax(q kᵀ / √d_k, causal) v w_o; logits = x unembedding

    If `first_weights` is given, it replaces the weights of the first head.

    Shapes: tokens (…, n), whole numbers below n_symbols, with n at most the context; first_weights (n, n)
            → logits (…, n, n_symbols).
    Raises: ValueError if a token is not a symbol, there are too many tokens, or first_weights has another shape.
    Source: Elhage et al. 2021; Olsson et al. 2022, arXiv:2209.11895.
    """
    tokens = _check_tokens(model, tokens)
    x = model.embedding[tokens] + model.positions[: tokens.shape[-1]]
    layers = list[LayerTrace]()
    for i, layer in enumerate(model.layers):
        layers.append(_run_layer(layer, layers[-1].output if layers else x, first_weights if i == 0 else None))
    return ModelTrace(tokens=tokens, x=x, layers=tuple(layers), logits=layers[-1].output @ model.unembedding)


def _run_layer(layer: Layer, x: Array, weights: ArrayLike | None) -> LayerTrace:
    head = self_attention(x, layer.w_q, layer.w_k, layer.w_v, mask=causal_mask(x.shape[-2]))
    head = head if weights is None else _with_weights(head, floats("first", weights, min_rank=2))
    added = head.output @ layer.w_o
    return LayerTrace(head=head, added=added, output=x + added)


def _with_weights(head: SelfAttentionTrace, weights: Array) -> SelfAttentionTrace:
    if weights.shape != head.weights.shape[-2:]:
        raise ValueError(
            f"first must have one row and one column a token; got {weights.shape}, weights {head.weights.shape}: "
            "make it as large as the sequence is long."
        )
    return replace(head, weights=np.broadcast_to(weights, head.weights.shape), output=weights @ head.v)


def _check_tokens(model: Model, tokens: ArrayLike) -> Tokens:
    tokens, (n_symbols, _), (context, _) = np.asarray(tokens), model.embedding.shape, model.positions.shape
    if tokens.ndim == 0 or tokens.dtype.kind not in "iu" or (tokens < 0).any() or (tokens >= n_symbols).any():
        raise ValueError(
            f"tokens must be whole numbers from 0 to {n_symbols - 1}; got {tokens.tolist()}: number the symbols from 0."
        )
    if not 1 <= tokens.shape[-1] <= context:
        raise ValueError(
            f"a sequence must have from 1 to {context} tokens; got {tokens.shape[-1]}: there is a vector for no more."
        )
    return tokens


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456"[:N_SYMBOLS]


def letters_in(text: str) -> tuple[str, ...]:
    """Return the symbols in a text. Small letters count as capitals, and all other characters are left out.

    >>> letters_in("a, b?")
    ('A', 'B')
    """
    return tuple(letter for letter in text.upper() if letter in ALPHABET)


def symbol_numbers(letters: tuple[str, ...]) -> Tokens:
    """Return the number of each symbol, from 0.

    Shapes: → (n,).
    Raises: ValueError if a letter is not a symbol of the model.

    >>> symbol_numbers(("A", "C"))
    array([0, 2])
    """
    unknown = [letter for letter in letters if letter not in ALPHABET]
    if unknown:
        raise ValueError(f"letters must be among {ALPHABET}; got {unknown[0]}: leave it out, or write another.")
    return np.array([ALPHABET.index(letter) for letter in letters], dtype=np.intp)


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


def previous_matrix(n: int) -> Array:
    """Return the weights of a head in which each token attends to the token before. The first token attends to itself.

    >>> previous_matrix(3)
    array([[1., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    return np.eye(n)[np.maximum(np.arange(n) - 1, 0)]


def uniform_matrix(n: int) -> Array:
    """Return the weights of a head in which each token attends equally to all tokens so far.

    >>> uniform_matrix(2)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    return np.tri(n) / np.arange(1, n + 1)[:, None]


def weights_instead(first: str, n: int) -> Array | None:
    """Return the weights with the name `first`, which replace the weights of the first head.

    With "trained", return None: the head keeps its trained weights. With "previous", each token attends to the token
    before. With "uniform", each token attends equally to all tokens so far.

    Shapes: → (n, n).
    Raises: ValueError if first is another word.
    """
    if first not in ("trained", *_INSTEAD):
        raise ValueError(
            f"first must be one of trained, {', '.join(_INSTEAD)}; got {first}: say what the first head is to do."
        )
    return None if first == "trained" else _INSTEAD[first](positive_integer("n", n))


_INSTEAD: Mapping[str, Callable[[int], Array]] = {"previous": previous_matrix, "uniform": uniform_matrix}


SHORTEST, LONGEST = 8, 30  # how many different symbols a sequence begins with
CHUNK = (3, 6)  # the least and the greatest length of a repeated part


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Batch:
    """Some sequences, the next symbol at each position, and the positions whose next symbol can be predicted."""

    tokens: Tokens  # (n_sequences, context) the number of each symbol
    targets: Tokens  # (n_sequences, context) the symbol that comes next
    counted: NDArray[np.bool_]  # (n_sequences, context) true: the next symbol continues a repetition
    found: NDArray[np.integer[Any]]  # (n_sequences, context) the first position of the next symbol if counted, else −1


def batch(generator: np.random.Generator, n_sequences: int) -> Batch:
    """Draw sequences that begin with different symbols, and then repeat parts of this beginning.

    The beginning has 8 to 30 symbols in any order. Each part has 3 to 6 symbols, and starts at a random place of the
    beginning. A position counts if its symbol occurred before and the same symbol follows again: the model can predict
    this symbol.

    Shapes: each array of the result is (n_sequences, context).
    """
    places = np.stack([_places(generator) for _ in range(n_sequences)])
    orders = generator.permuted(np.tile(np.arange(N_SYMBOLS), (n_sequences, 1)), axis=1)
    symbols = np.take_along_axis(orders, places, axis=1)
    here, following = places[:, :-1], places[:, 1:]
    counted = (following == here + 1) & (here < np.arange(CONTEXT))
    return Batch(
        tokens=symbols[:, :-1], targets=symbols[:, 1:], counted=counted, found=np.where(counted, following, -1)
    )


def _places(generator: np.random.Generator) -> NDArray[np.integer[Any]]:
    """Return a random sequence of indices: first 0, 1, 2 …, and then repeated parts of this beginning.

    `batch` replaces each index by a symbol.
    """
    first = int(generator.integers(SHORTEST, LONGEST, endpoint=True))
    parts = [np.arange(first)]
    while sum(map(len, parts)) <= CONTEXT:
        length = int(generator.integers(*CHUNK, endpoint=True))
        parts.append(int(generator.integers(first - length + 1)) + np.arange(length))
    return np.concatenate(parts)[: CONTEXT + 1]


N_SEQUENCES = 64
SEED = 20_220_924  # a training uses seeds of two numbers, so it never draws the sequences of this seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How well a model predicts repeated symbols, and how much its two heads attend to the positions that they need."""

    loss: float  # in nats; equal probabilities for 32 symbols give ln 32 = 3.47
    accuracy: float  # the fraction of correct guesses, from 0 to 1
    previous: float  # the first head's mean weight from the position with the answer on the position before it
    induction: float  # the last head's mean weight on the position with the answer


def measure(model: Model, first: str = "trained") -> Measures:
    """Measure the loss, the accuracy and the weights of a model on 64 sequences, which are always the same.

    The means are over the positions whose symbol occurred before and is followed by the same symbol again. `first` is
    the argument of `weights_instead`, which replaces the weights of the first head.

    Range:  `accuracy`, `previous` and `induction` are means from 0 to 1.
    Raises: ValueError for the same reasons as `weights_instead`.
    """
    tested = _test_batch()
    trace = run(model, tested.tokens, weights_instead(first, CONTEXT))
    said = cross_entropy(trace.logits, tested.targets, tested.counted)
    right = trace.logits.argmax(axis=-1) == tested.targets
    return Measures(
        loss=float(said.loss),
        accuracy=float(right[tested.counted].mean()),
        previous=previous_weight(trace.layers[0].head.weights, tested),
        induction=induction_weight(trace.layers[-1].head.weights, tested),
    )


def previous_weight(weights: Array, tested: Batch) -> float:
    """Return the mean weight with which useful positions attend to the position before them.

    At a tested position, the model has to predict a symbol that occurred before. The position of its first occurrence
    is useful.

    Shapes: weights (n_sequences, context, context).
    Range:  0 to 1.
    """
    sequence, place = np.nonzero(tested.counted)
    found = tested.found[sequence, place]
    return float(weights[sequence, found, found - 1].mean())


def induction_weight(weights: Array, tested: Batch) -> float:
    """Return the mean weight with which tested positions attend to the first occurrence of the symbol to predict.

    Shapes: weights (n_sequences, context, context).
    Range:  0 to 1.
    """
    sequence, place = np.nonzero(tested.counted)
    return float(weights[sequence, place, tested.found[sequence, place]].mean())


@cache_recent
def _test_batch() -> Batch:
    return batch(np.random.default_rng(SEED), N_SEQUENCES)

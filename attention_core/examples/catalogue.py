"""The named examples: small sets of numbers, each with its source. They never change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from attention_core.examples.example import MATRICES, Example, example_of
from attention_core.examples.sentence import french, story


def example(name: str) -> Example:
    """Return the example with this name. Each call returns the same object.

    Raises: ValueError if there is no example with this name.

    >>> example("story").tokens
    ('cat', 'drank', 'milk', 'because', 'it')
    """
    if name not in EXAMPLES:
        raise ValueError(f"example must be one of {', '.join(EXAMPLES)}; got {name}: choose one of these.")
    return EXAMPLES[name]()


def _draw_matrices(code: str) -> dict[str, object]:
    names: dict[str, object] = {"np": np}
    exec(code, names)
    return {name: names[name] for name in MATRICES if name in names} | {"drawn": code}


@cache
def _hand() -> Example:
    return example_of(
        name="hand",
        title="Pencil and paper",
        about=(
            "Small integers to multiply by hand. With one head, n = 3, d_model = 5, d_k = 4 and d_v = 2 all differ, "
            "and √d_k = 2."
        ),
        source="Made for this dashboard so that every wrong formula shown here changes the answer.",
        tokens=("cats", "chase", "mice"),
        x=[[1, 0, 0, 2, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 1]],
        w_q=[[0, 1, 1, 0], [0, -1, 0, 1], [0, 0, 1, 0], [0, -1, 0, 0], [1, 0, 0, 0]],
        w_k=[[0, 2, 0, 0], [2, 1, 1, 0], [2, 0, 0, 2], [0, 1, 1, 2], [2, 0, 0, 1]],
        w_v=[[0, 3], [1, 0], [0, 2], [2, 1], [3, 2]],
        w_o=[[1, 0, 2, 0, 1], [0, 1, -1, 1, 0]],
        n_heads=2,
    )


@cache
def _book() -> Example:
    return example_of(
        name="book",
        title="The book's ten steps",
        about=(
            "The ten-step example of the course notebooks. The notebooks divide the scores by 1, although √d_k "
            "= √3 was meant; this app divides by √3. "
            "It hides several mistakes, because its scores are symmetric, with one head n = d_k = d_v = 3, and input 3 "
            "is input 1 plus half of input 2."
        ),
        source=(
            "Course notebooks 000 and 001, after Rothman, Transformers for Natural Language Processing, chapter 2. "
            "They have no W^O; this one is ours."
        ),
        tokens=("Input 1", "Input 2", "Input 3"),
        x=[[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]],
        w_q=[[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]],
        w_k=[[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]],
        w_v=[[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]],
        w_o=[[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]],
        n_heads=3,
        scale=1.0,
    )


@cache
def _square() -> Example:
    return example_of(
        name="square",
        title="All sizes 4",
        about=(
            "Four tokens, and every width is 4 as well. In other examples, some mistakes stop with an error because "
            "shapes do not fit. Here they run, and give wrong numbers."
        ),
        source="Made for this dashboard, to show mistakes that no shape reveals.",
        tokens=("one", "bird", "sings", "here"),
        x=[[0, 1, 0, 0], [2, 0, 1, 0], [0, 0, 0, 1], [1, 1, 1, 0]],
        w_q=[[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]],
        w_k=[[0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0], [1, 1, 0, 0]],
        w_v=[[0, 0, 0, 1], [1, 0, 0, 0], [2, 2, 2, 1], [1, 1, 0, 1]],
        w_o=[[1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 0]],
        n_heads=2,
    )


@cache
def _columns() -> Example:
    # The notebook draws from NumPy's legacy generator, whose numbers are fixed for ever; tokens are columns there.
    inputs, parameters = np.random.RandomState(3), np.random.RandomState(0)
    x = np.vstack([inputs.normal(size=(4, 1)).T for _ in range(3)])
    w_q, w_k, w_v = (parameters.normal(size=(4, 4)).T for _ in range(3))
    b_q, b_k, b_v = (parameters.normal(size=(4, 1)).ravel() for _ in range(3))
    return example_of(
        name="columns",
        title="Columns and biases",
        about=(
            "Drawn numbers with biases, from a text that stores tokens as columns. Its W^O is symmetric, so a "
            "transposed W^O gives the same numbers."
        ),
        source="Course notebook 002, after Prince, Understanding Deep Learning, notebook 12.1. The W^O is ours.",
        tokens=("x₁", "x₂", "x₃"),
        x=x, w_q=w_q, w_k=w_k, w_v=w_v, b_q=b_q, b_k=b_k, b_v=b_v,
        w_o=[[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, -1]],
        n_heads=2, layout="columns",
    )  # fmt: skip


@cache
def _context() -> Example:
    return example_of(
        name="context",
        title="A decoder asks an encoder",
        about=(
            "Two decoder states ask four encoder states. Keys and values are the encoder states themselves, "
            "so every projection is the identity."
        ),
        source="Course notebook 003, question 1.",
        tokens=("decoder 0", "decoder 1"),
        context_tokens=("this", "is", "a", "translation"),
        x=[[0.58, -0.13, 0.94, 0.22], [0.45, 0.11, -0.88, 0.67]],
        context=[
            [0.64, -0.27, 0.89, -0.12],
            [-0.45, 0.33, 0.71, 0.08],
            [0.19, -0.94, 0.56, 0.37],
            [0.03, 0.85, -0.41, 0.76],
        ],
        w_q=np.eye(4),
        w_k=np.eye(4),
        w_v=np.eye(4),
        w_o=np.eye(4),
        n_heads=2,
    )


@cache
def _translation() -> Example:
    return example_of(
        name="translation",
        title="this is translation",
        about=(
            "Three tokens, two heads. Its token vectors are rows of its own W^Q, and its W^K holds the encoder states "
            "of question 1, so these numbers mean nothing. Its W^O is symmetric, so a transposed W^O gives the same "
            "numbers."
        ),
        source="Course notebook 003, questions 2 and 3. It gives no numbers for W^O; these are ours.",
        tokens=("this", "is", "translation"),
        x=[[0.12, -0.87, 0.33, 0.45], [0.76, 0.21, -0.34, 0.67], [0.03, -0.99, 0.42, 0.11]],
        w_q=[
            [0.12, -0.87, 0.33, 0.45],
            [0.76, 0.21, -0.34, 0.67],
            [-0.55, 0.18, 0.29, -0.73],
            [0.03, -0.99, 0.42, 0.11],
        ],
        w_k=[
            [0.64, -0.27, 0.89, -0.12],
            [-0.45, 0.33, 0.71, 0.08],
            [0.19, -0.94, 0.56, 0.37],
            [0.03, 0.85, -0.41, 0.76],
        ],
        w_v=[
            [0.58, -0.13, 0.94, 0.22],
            [-0.31, 0.66, -0.74, 0.09],
            [0.45, 0.11, -0.88, 0.67],
            [-0.92, 0.37, 0.28, -0.50],
        ],
        w_o=[[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 2]],
        n_heads=2,
    )


@cache
def _cat() -> Example:
    return example_of(
        name="cat",
        title="The cat chased the mouse",
        about=(
            "Five words with drawn embeddings. Its weights were drawn without a seed and never printed; these are "
            "recovered from its printed queries, keys and values, each certain to about 0.0004. "
            "Untrained weights mean nothing: every token has nearly the same weights, and “The” and “the” are two "
            "unrelated words. Its W^O is symmetric, so a transposed W^O gives the same numbers."
        ),
        source="Course notebook 004, second part. The W^O is ours.",
        tokens=("The", "cat", "chased", "the", "mouse"),
        x=np.random.RandomState(0).rand(5, 4),
        w_q=[
            [0.480702, 0.757819, 0.097858, 0.327876],
            [0.343483, 0.774262, 0.238121, 0.946614],
            [0.974863, 0.126375, 0.520174, 0.020594],
            [0.83273, 0.059494, 0.777799, 0.734683],
        ],
        w_k=[
            [0.394238, 0.026315, 0.33325, 0.247834],
            [0.822027, 0.115887, 0.209456, 0.695351],
            [0.685637, 0.987584, 0.600243, 0.01874],
            [0.360306, 0.109272, 0.050318, 0.608989],
        ],
        w_v=[
            [0.189938, 0.27084, 0.248133, 0.6743],
            [0.907413, 0.270798, 0.086656, 0.433253],
            [0.736711, 0.151128, 0.524384, 0.858384],
            [0.098414, 0.33015, 0.236319, 0.119062],
        ],
        w_o=[[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 2]],
        n_heads=2,
    )


@cache
def _wide() -> Example:
    return example_of(
        name="wide",
        title="Ten tokens, 64 features",
        about=(
            "All numbers are drawn uniformly from 0 to 1, as in the notebook. Their mean is not 0, so scaled scores "
            "lie near 2048, and softmax puts nearly all weight on one key. Dividing by √d_k cannot help here."
        ),
        source="Course notebook 004, first part, which sets no seed; drawn here with seed 0. The W^O is ours.",
        tokens=tuple(f"t{i}" for i in range(1, 11)),
        n_heads=8,
        **_draw_matrices("""\
draw = np.random.default_rng(0)
x = draw.random((10, 64))
w_q, w_k, w_v, w_o = (draw.random((64, 64)) for _ in range(4))"""),
    )


@cache
def _heads_512() -> Example:
    return example_of(
        name="heads_512",
        title="8 heads × 64 = 512",
        about=(
            "The sizes of the original Transformer: eight heads of width 64. The notebooks fill them with unseeded "
            "noise that has nothing to do with x; here they are computed from x."
        ),
        source="Course notebooks 000 and 001, steps 8 to 10; sizes of Vaswani et al. 2017. Drawn here with seed 0.",
        tokens=("Input 1", "Input 2", "Input 3"),
        n_heads=8,
        **_draw_matrices("""\
draw = np.random.default_rng(0)
w_q, w_k, w_v, w_o = (draw.normal(size=(512, 512)) / np.sqrt(512) for _ in range(4))
x = draw.normal(size=(3, 512))"""),
    )


EXAMPLES: Mapping[str, Callable[[], Example]] = {
    "story": story,
    "hand": _hand,
    "french": french,
    "book": _book,
    "square": _square,
    "columns": _columns,
    "context": _context,
    "translation": _translation,
    "cat": _cat,
    "wide": _wide,
    "heads_512": _heads_512,
}

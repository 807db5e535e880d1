"""The problems that this set needs in addition to those of `count_named.problems`.

A problem holds the inputs of attention: the tokens x, the weight matrices, the mask and so on.
"""

from types import SimpleNamespace

import numpy as np

from attention_core.examples import example

FIELDS = "x context w_q w_k w_v w_o b_q b_k b_v n_heads".split()


def blind_row() -> SimpleNamespace:
    """Return the problem "hand" with a mask whose last row is all False: the last token may attend to nothing."""
    mask = np.tri(3, dtype=bool)
    mask[-1] = False
    return SimpleNamespace(**{field: getattr(example("hand"), field) for field in FIELDS} | {"mask": mask})


def position_problems() -> dict[str, SimpleNamespace]:
    """Return three problems for positional encodings, by name.

    Each has only tokens `x` with an even number of columns.
    """
    other = np.arange(48).reshape(6, 8) % 5 - 2.0
    embeddings = {"story": example("story").x, "square": example("square").x, "eight columns": other}
    return {name: SimpleNamespace(x=x) for name, x in embeddings.items()}

"""The problems that this set needs beyond those of `count_named.problems`."""

from types import SimpleNamespace

import numpy as np

from attention_core.examples import example

FIELDS = "x context w_q w_k w_v w_o b_q b_k b_v n_heads".split()


def blind_row() -> SimpleNamespace:
    """Return the exercise by hand with a mask whose last row may attend to nothing."""
    mask = np.tri(3, dtype=bool)
    mask[-1] = False
    return SimpleNamespace(**{field: getattr(example("hand"), field) for field in FIELDS} | {"mask": mask})


def position_problems() -> dict[str, SimpleNamespace]:
    """Return embeddings of even width, by name: only x matters to an encoding."""
    other = np.arange(48).reshape(6, 8) % 5 - 2.0
    embeddings = {"story": example("story").x, "square": example("square").x, "eight columns": other}
    return {name: SimpleNamespace(x=x) for name, x in embeddings.items()}

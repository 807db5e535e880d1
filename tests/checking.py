"""Paste a matrix on the simulated page “Check my matrix”, and read the page's answer."""

from attention_core.examples import example
from attention_core.reading.matrix_text import write_matrix
from simulating import opened, said

HAND = example("hand").attention()


def checked(answer, **link):
    """Open the page with `answer`, a matrix or a text, in its field, and return the simulated page."""
    text = answer if isinstance(answer, str) else write_matrix(answer)
    app = opened("check_my_matrix", **{"example": "hand", "answer": text} | link)
    assert not app.exception
    return app


def heading(app):
    """Return the first heading in the page's answer."""
    return next(line for line in said(app).splitlines() if line.startswith("## "))

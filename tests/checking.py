"""Paste a matrix on the simulated page “Check my matrix”, and read the page's answer."""

from attention_core.examples import example
from attention_core.reading.matrix_text import write_matrix
from simulating import open_page, page_text

HAND = example("hand").attention()


def check_page(answer, **link):
    """Open “Check my matrix” with `answer` in its field, and return the simulated page.

    Fail if the page raises an error. `answer` is a matrix or a text, and `link` holds more parameters of the page's
    link.
    """
    text = answer if isinstance(answer, str) else write_matrix(answer)
    app = open_page("check_my_matrix", **{"example": "hand", "answer": text} | link)
    assert not app.exception
    return app


def heading(app):
    """Return the first heading of the verdict: what the page says about the pasted matrix."""
    return next(line for line in page_text(app).splitlines() if line.startswith("## "))


def text_behind_press(app):
    """Return the text of the verdict that the page shows only after a press."""
    (more,) = [expander for expander in app.expander if expander.label == "More about this verdict"]
    return "\n".join(text.value for text in more.markdown)

"""Test that a page can send its own problem to "Check my matrix", where the numbers of the page are correct."""

import numpy as np
import pytest

from attention_core import softmax
from attention_core.examples import example
from checking import check_page, heading
from simulating import open_page, visit_of
from taken_home import DECLARED

STORY, BOOK = example("story"), example("book")
CAUSAL = STORY.attention(mask=STORY.mask("causal"))
PADDED = STORY.attention(mask=STORY.mask("padding"))
NUMBERS = np.array([[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]])

SENT = {
    "queries": ("queries_keys_values", {}, STORY.attention().q),
    "weights": ("softmax_axes", {}, STORY.attention().weights),
    "weights of undivided scores": ("softmax_axes", {"source": "undivided"}, softmax(STORY.attention().scores)),
    "weights of own scores": ("softmax_axes", {"source": "array"}, softmax(NUMBERS)),
    "scaled scores": ("scaling", {}, STORY.attention().scaled),
    "a step": ("attention", {"step": "4"}, STORY.attention().scores),
    "a causal mask": ("attention", {"step": "5", "mask": "causal"}, CAUSAL.weights),
    "a padding mask": ("attention", {"step": "8", "mask": "padding"}, PADDED.output),
    "no scale": ("attention", {"step": "8", "scale": "none"}, STORY.attention(scale=1.0).output),
    "the scale of an example": ("attention", {"step": "8", "example": "book"}, BOOK.attention(scale=BOOK.scale).output),
    "all heads": ("attention", {"step": "10"}, STORY.multi_head().output),
    "heads": ("multi_head", {}, STORY.multi_head().output),
    "cross-attention": ("cross_attention", {"example": "translation"}, example("translation").attention().output),
}


def state_sent_to_check(page, **link):
    """Return the state in which a page opens "Check my matrix", or None if the page does not offer it."""
    app = open_page(page, **{"example": "story"} | link)
    assert not app.exception
    visit = visit_of(app)
    to_check = DECLARED[page].to_check
    assert to_check, f"{page} sends nothing"
    return to_check(visit.parameters, visit.example)


@pytest.mark.many
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("name", SENT)
def test_what_a_page_computes_is_right_where_it_sends_to(name, layout):
    page, link, right = SENT[name]
    state = state_sent_to_check(page, layout=layout, **link)
    assert state is not None
    state = {"example": link.get("example", "story")} | dict(state)
    assert heading(check_page(right.T if layout == "columns" else right, **state, layout=layout)).startswith("## Right")


def test_positions_are_sent():
    assert state_sent_to_check("positional_encoding") == {"asked": "encoding"}


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("softmax_axes", {"temperature": "2"}),
        ("softmax_axes", {"base": "2"}),
        ("multi_head", {"heads": "1"}),
        ("multi_head", {"sharing": "all"}),
        ("multi_head", {"off": "1"}),
        ("cross_attention", {"example": "translation", "keys": "1"}),
        ("cross_attention", {"example": "context", "itself": "on"}),
    ],
)
def test_what_cannot_be_asked_there_is_not_sent(page, link):
    assert state_sent_to_check(page, **link) is None

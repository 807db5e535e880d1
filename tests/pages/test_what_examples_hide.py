"""Test mistakes that an example hides, because they give the same numbers there.

The default example hides no mistake. The other examples say on the page what they hide.
"""

import numpy as np
import pytest

from attention_core.diagnosis.stages import possible_mistakes
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.training import Aim, training_trace
from attention_core.mistakes import WRITTEN_OUT, blind_spots
from attention_core.mistakes.backward import WRONG_GRADIENTS
from attention_core.reading.matrix_text import write_matrix
from attention_core.rotation import encode
from pages.shared.notation.prose import typeset
from simulating import captions, open_page, page_text

MASKS = ("none", "causal", "padding")
DEFAULT = example(next(iter(EXAMPLES)))


def mistakes_hidden_in(trace):
    """Return the usual mistakes that can be made in a trace without changing its numbers."""
    return blind_spots(trace, [mistake for mistake in possible_mistakes(trace) if mistake in WRITTEN_OUT])


def traces(example):
    """Yield the correct traces of an example."""
    for mask in MASKS:
        yield example.attention(mask=example.mask(mask))
        yield example.multi_head(mask=example.mask(mask))
    yield encode(example.x, np.arange(len(example.x)))


@pytest.mark.parametrize("name", ["story", "hand"])
def test_no_mistake_of_the_catalogue_hides_in_numbers_that_were_made_for_this(name):
    for trace in traces(example(name)):
        assert mistakes_hidden_in(trace) == ()


def test_the_default_is_the_story_and_cuts_into_several_heads():
    assert DEFAULT.name == "story"
    assert DEFAULT.n_heads > 1
    assert not np.array_equal(DEFAULT.w_o, DEFAULT.w_o.T)


@pytest.mark.parametrize("wrong", WRONG_GRADIENTS, ids=lambda wrong: wrong.name)
def test_no_mistake_of_the_way_back_hides_in_the_default(wrong):
    token, mask = (1, "causal") if wrong.name == "mask_forgotten" else (4, "none")
    trace = training_trace(DEFAULT, Aim(token=token, target=1, mask=mask))
    found = wrong.gradient(trace.forward, trace.back.grad_output)
    learned = ("grad_w_q", "grad_w_k", "grad_w_v")
    off = [np.abs(getattr(found, name) - getattr(trace.back, name)).max() for name in learned]
    assert max(off) > 0.005


@pytest.mark.parametrize("asked", ["output", "mixed"])
@pytest.mark.parametrize("name", ["story", "columns", "cat", "translation"])
def test_what_an_example_hides_is_said_beside_the_result(name, asked):
    this = example(name)
    trace = this.multi_head() if asked == "mixed" else this.attention()
    hidden = [typeset(mistake.title) for mistake in mistakes_hidden_in(trace)]
    said = captions(open_page("check_my_matrix", example=name, asked=asked))
    assert ("With these inputs, " in said) == bool(hidden) == (name != "story")
    assert all(title in said for title in hidden)
    if name != "story" and asked == "mixed":
        assert "Wᴼ is transposed" in said


@pytest.mark.parametrize("name", ["columns", "cat", "translation"])
def test_an_example_with_a_symmetric_w_o_says_so(name):
    this = example(name)
    np.testing.assert_array_equal(this.w_o, this.w_o.T)
    assert "W^O is symmetric" in this.about


def test_large_numbers_are_not_searched():
    assert "With these inputs" not in captions(open_page("check_my_matrix", example="heads_512"))


def test_a_right_result_names_hidden_mistakes_but_no_correct_formula():
    """Check that the page names the mistakes that give the same numbers as a correct result, but no correct formula."""
    app = open_page("check_my_matrix", example="story", answer=write_matrix(DEFAULT.attention().output, 4))
    told = page_text(app)
    assert "the mistake “The scores are divided by $d_v$” gives the same numbers, up to 0.005." in told
    assert "divided by 2" not in told
    square = example("square").attention()
    app = open_page("check_my_matrix", example="square", answer=write_matrix(square.output, 4))
    assert " mistakes give the correct numbers in this example, up to 0.005: " in page_text(app)


def test_the_caption_of_an_example_gives_the_widths_of_one_head():
    for name in ("story", "hand"):
        this = example(name)
        assert f"With one head, n = {len(this.tokens)}, d_model = {this.x.shape[1]}, d_k = {this.w_q.shape[1]}" in this.about  # fmt: skip  # noqa: E501
        assert this.n_heads > 1

"""Test three ways to write a position, by hand: counting, bits and waves, and what each does to the example "story"."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import sinusoidal
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.positions import in_bits, number_tokens, position_numbers, step_lengths
from lit_cells import lit_by, sent_equations
from simulating import matrices, open_page
from strategies import law

PAGE = "positional_encoding"


def page_text(**link):
    """Return the text of the page about numbering, opened with the parameters in `link`."""
    return "\n".join(text.value for text in open_page(PAGE, look="numbering", **link).markdown)


def test_places_by_hand():
    assert position_numbers(3, 2).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert in_bits(6, 3).tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1]]
    assert in_bits(2, 512)[1].tolist() == [1] + [0] * 511


@law
@given(st.integers(2, 60), st.integers(1, 8).map(lambda half: 2 * half), st.sampled_from([10.0, 100.0, 10000.0]))
def test_every_step_of_waves_is_one_and_the_same(n, d, base):
    steps = step_lengths(sinusoidal(n, d, base))
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)


def test_bits_jump_the_most_where_all_change():
    steps = step_lengths(in_bits(16, 4)) ** 2
    np.testing.assert_allclose(steps, [1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1])


def test_on_the_story_counting_swamps_and_waves_do_not():
    found = {way: each.trace.weights for way, each in number_tokens(example("story")).items()}
    assert found["nowhere"][4].argmax() == found["in_waves"][4].argmax() == 0  # token 0 is "cat"
    assert found["in_bits"][4].argmax() != 0
    assert (found["counted"][:, 4] > 0.99).all()  # every token gives all of its attention to the last position


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_says_what_the_numbers_are(name):
    app, this = open_page(PAGE, look="numbering", example=name), example(name)
    rows = [each.trace.weights[-1] for each in number_tokens(this).values()]
    shown = np.array(matrices(app)["numbered"]["values"], dtype=float)
    np.testing.assert_allclose(shown, np.stack(rows)[:, : shown.shape[1]])
    text = "\n".join(text.value for text in app.markdown)
    assert f"with counting, to “{this.key_tokens[rows[1].argmax()]}”" in text


def test_the_page_names_the_numbers_of_the_story():
    text = page_text()
    assert "the row of “it” has length 1.41, and the row of position 1,000 has length 2,449.49" in text
    assert "from 7 to 8 all 4 bits change, a step of length 2. From 8 to 9 one bit changes, a step of 1." in text
    assert f"the same length, {step_lengths(sinusoidal(2, 8))[0]:.2f}, and “it” attends most to “cat” (0.87)" in text
    assert "1,024 rows, and none for the next position" in text


def test_a_cell_has_the_arithmetic_of_its_way():
    text = page_text(cell="numbered.1.0")
    assert "with positions written like this: `1, 2, 3 …`" in text
    assert "the weight for `cat`" in text
    scores = {("numbered_scores", 1, key) for key in range(len(example("story").key_tokens))}
    assert lit_by(sent_equations(open_page(PAGE, look="numbering")), "numbered", 1, 0) == scores


@pytest.mark.parametrize("sizes", [(0, 2), (2, 0)])
def test_errors(sizes):
    for way in (position_numbers, in_bits):
        with pytest.raises(ValueError, match="must be a whole number of at least 1"):
            way(*sizes)

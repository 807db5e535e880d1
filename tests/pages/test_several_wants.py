"""Test why attention has several heads: a token that looks for two others at once, and what the page says about it."""

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.heads import run_rewired
from attention_core.experiments.saturation import two_wants
from pages.multi_head.lesson import why_several_heads
from pages.shared.notation.prose import whom
from simulating import equations, open_page

STORY = example("story")
ONE, TWO = run_rewired(STORY, 1).heads.weights[0], run_rewired(STORY, 2).heads.weights


def test_on_the_story_it_is_drank_that_wants_the_cat_and_the_milk():
    wants = two_wants(ONE, TWO)
    assert wants is not None
    assert [STORY.tokens[place] for place in (wants.token, *wants.keys)] == ["drank", "cat", "milk"]
    assert wants.heads == (0, 1)
    np.testing.assert_allclose(wants.alone, 0.465, atol=0.001)
    np.testing.assert_allclose(wants.apart, 0.946, atol=0.001)
    assert wants.gain == min(wants.apart) - max(wants.alone)


def test_by_hand():
    one = [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]
    heads = [[[0.9, 0.1, 0.0], [1.0, 0.0, 0.0]], [[0.2, 0.8, 0.0], [0.4, 0.6, 0.0]]]
    wants = two_wants(one, heads)
    assert wants is not None
    assert (wants.token, wants.keys, wants.apart, wants.alone) == (0, (0, 1), (0.9, 0.8), (0.5, 0.5))
    assert wants.gain == pytest.approx(0.3)


def test_heads_with_the_same_weights_are_worth_nothing():
    assert two_wants(ONE, np.stack([ONE, ONE])) is None
    assert two_wants(ONE, ONE[None]) is None  # there is only one head
    flat = np.full((2, 2), 0.5)
    assert two_wants(np.eye(2), np.stack([np.eye(2), flat])) is None


def test_heads_of_other_shapes_are_refused():
    with pytest.raises(
        ValueError, match=r"heads must be weights of the shape of single_head; got single_head \(5, 5\)"
    ):
        two_wants(ONE, ONE)


@pytest.mark.parametrize("name", EXAMPLES)
def test_sentences_are_true_on_every_example(name):
    this = example(name)
    one, several = run_rewired(this, 1).heads.weights[0], run_rewired(this, this.n_heads).heads.weights
    wants = two_wants(one, several)
    if wants is None:
        return
    for which, (head, key) in enumerate(zip(wants.heads, wants.keys, strict=True)):
        assert several[head, wants.token].argmax() == key
        assert wants.apart[which] == several[head, wants.token, key] > wants.alone[which] == one[wants.token, key]
    found = [whom(this.tokens, this.key_tokens, wants.token, key) for key in wants.keys]
    says = why_several_heads(this, wants, len(several), 2)
    for head, key in zip(wants.heads, found, strict=True):
        assert f"head {head + 1} " in says
        assert f"to {key} with **" in says


def test_the_page_says_it_with_its_numbers():
    said = "\n".join(text.value for text in open_page("multi_head").markdown)
    assert "“drank” needs two features at once, *living* and *thing*." in said
    assert "0.47 for “cat” and 0.47 for “milk”." in said
    assert "in head 1 it attends to “cat” with **0.95**, in head 2 to “milk” with **0.95**." in said


def test_if_no_token_needs_several_heads_the_story_is_offered():
    app = open_page("multi_head", x="1,0,0,0,0,0;1,0,0,0,0,0;1,0,0,0,0,0;1,0,0,0,0,0;1,0,0,0,0,0")
    (button,) = (button for button in app.button if button.key == "offer.story")
    assert any("In this example no token needs that" in text.value for text in app.markdown)
    app = button.click().run()
    assert any("“drank” needs" in text.value for text in app.markdown)


def ids_of(lines):
    """Return a list of matrix ids for each line of an equation."""
    return [[item["id"] for item in line["items"] if "id" in item] for line in lines]


def test_the_board_leads_from_scores_to_the_output_of_each_of_two_heads():
    shown = equations(open_page("multi_head", look="shares"))
    board, mixed = shown["multi_head.equation.x_ray"], shown["multi_head.equation.mixed"]
    assert ids_of(board) == [[f"{name}.{h}" for name in ("scores", "weights", "heads")] for h in (0, 1)]
    assert ids_of(mixed) == [["concat", "w_o", "output"]]
    assert [item["text"] for item in board[0]["items"] if "text" in item][:2] == ["Q_1", "·"]


def test_heads_that_share_keys_and_values_say_whose():
    board = equations(open_page("multi_head", sharing="all"))["multi_head.equation.x_ray"]
    texts = [[item["text"] for item in line["items"] if "text" in item] for line in board[:2]]
    assert [(text[0], text[2], text[5]) for text in texts] == [("Q_1", "K_1^T", "·"), ("Q_2", "K_1^T", "·")]
    assert all("V_1" in text for text in texts)


@pytest.mark.parametrize(("name", "in_full", "others"), [("book", 3, 0), ("wide", 2, 6)])
def test_of_many_heads_two_are_drawn_in_full_and_of_the_others_the_outputs(name, in_full, others):
    ids = ids_of(equations(open_page("multi_head", example=name))["multi_head.equation.x_ray"])
    assert [line[0] for line in ids[:in_full]] == [f"scores.{h}" for h in range(in_full)]
    assert ids[in_full:] == ([[f"heads.{h}" for h in range(in_full, in_full + others)]] if others else [])

"""Test the kinds of controls whose options depend on the example: what each accepts, and how it refuses a value.

Also the explanation of a cell.
"""

import pytest

from attention_core.examples import example
from attention_core.museum import EXHIBITS
from pages.shared.controls.example_kinds import HeadsInput, HeadsOffInput, TokenInput
from pages.shared.notation.numbers import number
from simulating import captions, matrices, open_page, visit_of, with_edit


def test_a_token_parameter_is_its_place_in_the_text():
    token = TokenInput("Who asks?")
    assert [token.decode(token.encode(place)) for place in (0, 7, 99)] == [0, 7, 99]
    for text in ("", "-1", "100", "1.0", "²", "cats"):
        with pytest.raises(ValueError, match=r"^a token’s place, counted from 0$"):
            token.decode(text)


def test_the_parameter_for_heads_is_their_number():
    heads = HeadsInput("Heads")
    assert [heads.decode(heads.encode(n)) for n in (1, 2, 512)] == [1, 2, 512]
    assert [heads.fit(n, example("translation")) for n in (0, 1, 2, 3, 4, 8)] == [0, 1, 2, 0, 4, 0]
    for text in ("", "-1", "1000", "2.0", "two"):
        with pytest.raises(ValueError, match=r"^a number of heads, such as 2$"):
            heads.decode(text)


def test_heads_that_are_off_are_places():
    off = HeadsOffInput("Off")
    assert [off.decode(off.encode(places)) for places in ((0,), (0, 2, 511))] == [(0,), (0, 2, 511)]
    assert off.decode("2.0.2") == (0, 2)
    assert off.decode(off.encode(())) == ()
    assert off.fit((0, 3, 4), example("translation")) == (0, 3)
    for text in (".", "-1", "1000", "1,2", "a", ".".join("1" * 40)):
        with pytest.raises(ValueError, match=r"^places counted from 0, as 0\.2$"):
            off.decode(text)


def test_switched_off_heads_are_sorted():
    control = HeadsOffInput("Off")
    assert control.accept([1, 0], ()) == control.decode("0.1") == control.decode("1.0") == (0, 1)


STATES = [
    *(("attention", {"example": name, "step": str(step)}) for name in ("hand", "book") for step in range(1, 11)),
    ("attention", {"step": "4", "mask": "causal"}),
    ("attention", {"example": "translation", "step": "3"}),
    ("attention", {"mistake": "scores_as_weights"}),
    ("cross_attention", {"example": "context", "mistake": "features_weighted"}),
    ("cross_attention", {"example": "hand", "queries": "2", "keys": "1", "word": "1"}),
    ("cross_attention", {"example": "context", "itself": "on", "layout": "columns"}),
    ("home", {}),
    *(
        ("your_sentence", {"look": "computed", "heads": heads, "causal": "on", "positions": "on"})
        for heads in ("1", "2")
    ),
    ("your_sentence", {"look": "computed", "source": "cat", "scaled": "off"}),
    *(("spot_the_bug", {"exhibit": each.name, "aid": "answer"}) for each in EXHIBITS[1::3]),
    *(("spot_the_bug", {"exhibit": name}) for name in ("columns_of_the_book", "two_heads", "no_loop", "large_inputs")),
    *(("queries_keys_values", {"layout": layout}) for layout in ("rows", "columns")),
    ("queries_keys_values", {"mistake": "one_value_for_every_key"}),
    *(("multi_head", {"example": name}) for name in ("hand", "book", "context", "translation", "cat")),
    ("multi_head", {"example": "cat", "heads": "4", "sharing": "grouped", "off": "1", "rewire": "swap_alone"}),
    ("multi_head", {"example": "translation", "look": "attentions"}),
    ("multi_head", {"example": "translation", "mistake": "heads_by_reshape"}),
    *(
        ("positional_encoding", {"look": look})
        for look in ("bag", "numbering", "encoding", "rotation", "distance", "rope", "alibi")
    ),
    ("positional_encoding", {"example": "context", "order": "swapped", "root": "off", "mistake": "cosine_shifted"}),
    ("positional_encoding", {"mistake": "embedding_not_scaled"}),
    ("positional_encoding", {"example": "book", "look": "rope", "pairing": "neighbours", "asks": "2"}),
    ("positional_encoding", {"example": "context", "look": "alibi", "head": "3"}),
    *(("scaling", {"example": name}) for name in ("hand", "columns", "context", "book")),
    ("scaling", {"mistake": "divided_by_root_d_model", "layout": "columns"}),
    *(("softmax_axes", {"axis": axis, "source": "array"}) for axis in ("rows", "columns", "whole")),
    ("softmax_axes", {"look": "temperature", "mistake": "softmax_twice"}),
    *(("training_step", {"look": look, "taken": "3"}) for look in ("row", "back", "jacobian", "check")),
    (
        "training_step",
        {"look": "back", "example": "columns", "mask": "causal", "token": "0", "times": "10", "layout": "columns"},
    ),
    ("training_step", {"example": "french", "wrong": "elementwise_softmax"}),
    ("check_my_matrix", {"answer": "1 2; 3 4; 5 6"}),
    ("check_my_matrix", {"asked": "mixed", "answer": "1 2 3 4 5\n0 0 0 0 0\n1 1 1 1 1", "layout": "rows"}),
    ("check_my_matrix", {"asked": "encoding", "answer": "1 2", "example": "book"}),
    ("check_my_matrix", {"source": "queries", "own_q": "1 2", "own_k": "3 4", "own_v": "5", "answer": "6"}),
    ("check_my_matrix", {"source": "scores", "own_scores": "1 2\n3 4", "answer": "0.5 0.5\n1 0"}),
]


@pytest.mark.many
@pytest.mark.parametrize(("page", "link"), STATES, ids=str)
def test_the_last_number_of_every_matrix_has_its_arithmetic(page, link):
    app = open_page(page, **link)
    page = visit_of(app).page
    shown = matrices(app)
    assert shown
    for name, matrix in shown.items():
        last, column = len(matrix["values"]) - 1, len(matrix["values"][0]) - 1
        row = last if matrix["onlyRow"] is None else matrix["onlyRow"]
        app = with_edit(app, {"kind": "select", "place": [name, row, column]})
        assert visit_of(app).parameters.cell == (name, row, column)
        assert "not shown here" not in captions(app), name
        value = number(float(matrix["values"][row][column]))
        said = [text.value for text in app.markdown if "$$" in text.value or "The mistake gives" in text.value]
        assert any(value in text.replace(r"\nobreak", "") for text in said), (name, value, said)


def test_a_mistakes_number_stands_beside_the_right_arithmetic():
    app = open_page("attention", mistake="scores_as_weights", cell="weights_mistake.0.0")
    wrong, right = (matrices(app)["weights_mistake"][name][0][0] for name in ("values", "right"))
    (card,) = [text.value for text in app.markdown if "The mistake gives" in text.value]
    arithmetic, _, mistaken = card.rpartition("\n\n")
    assert mistaken == f"The mistake gives ${number(wrong)}$."
    assert f"= {number(right)}\n$$" in arithmetic


def test_a_mistakes_number_has_as_many_digits_as_was_asked_for():
    app = open_page("softmax_axes", mistake="softmax_over_columns", cell="weights_mistake.0.0", digits="8")
    wrong = float(matrices(app)["weights_mistake"]["values"][0][0])
    shown = number(wrong, visit_of(app).parameters.decimals)
    assert shown != number(wrong)
    assert any(text.value.endswith(f"\n\nThe mistake gives ${shown}$.") for text in app.markdown)


def test_a_token_is_never_turned_with_the_words_around_it():
    app = open_page("your_sentence", look="computed", text="row column down", layout="columns", cell="scores.0.1")
    assert any("the query of `row` by the key of `column`" in text.value for text in app.markdown)
    app = open_page("your_sentence", look="computed", text="row column down", layout="columns", cell="q.0.1")
    assert any("features of `row` by row 2 of the query weights" in text.value for text in app.markdown)


def test_a_constant_added_is_a_number_of_the_arithmetic():
    app = open_page("softmax_axes", constant="710", cell="powers_rows.0.0")
    assert any("+ 710" in text.value and r"\max" in text.value for text in app.markdown)

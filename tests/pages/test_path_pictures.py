"""Test the bars and tables on the page "The path": they show the numbers that were computed or measured."""

import re

import numpy as np
import pytest

from attention_core.writing.small_model import N_LAYERS, SMOLLM2
from pages.path.boards import BOARDS
from pages.path.next_word import (
    Bar,
    bars_html,
    block_bars_html,
    block_flow_html,
    block_table,
    loss_table,
    next_word_numbers,
    nudge_table,
    parts_of,
    query_matrix_lines,
    step_formula,
)
from pages.path.numbers import (
    WAYS,
    experiment_bars,
    experiment_means,
    experiment_table,
    mistakes_code,
    mistakes_table,
    the_story,
)
from pages.path.story import STEPS, TEXTS
from pages.shared.equation.model import matrices_of
from pages.shared.scene_files.screens import screens
from pagesutil import KINDS


def lengths(html):
    """Return the lengths of all bars in `html`, in percent."""
    return [float(length) for length in re.findall(r"<i style='width:([\d.]+)%'", html)]


def test_a_bar_has_its_name_its_number_and_its_mark():
    html = bars_html("A <title>", [Bar("milk", 0.25, "0.25", 0.5), Bar("<", 1.0, "1.00")])
    assert lengths(html) == [25, 100]
    assert "<dt>milk</dt>" in html
    assert "</span>0.25</dd>" in html
    assert html.count("<b style='left:50.0%'></b>") == 1
    assert "A &lt;title&gt;" in html
    assert "<dt>&lt;</dt>" in html


@pytest.mark.parametrize("whole", [False, True])
def test_the_bars_of_a_block_are_parts_of_all_its_numbers(whole):
    assert sum(lengths(block_bars_html(whole=whole))) == pytest.approx(100, abs=0.2)
    total = sum(part.numbers for part in parts_of(whole=whole))
    table = block_table(revealed=True, whole=whole)
    assert f"| All parts |  | {total:,} |" in table
    millions = [float(number) for number in re.findall(r"([\d.]+) million", block_bars_html(whole=whole))]
    assert millions[0] == pytest.approx(total / 1e6, abs=0.0006)
    assert f"{sum(millions[1:]):.3f}" == f"{millions[0]:.3f}"  # the rounded parts add up


def test_the_numbers_of_the_whole_model_are_those_of_smollm2():
    assert sum(part.numbers for part in parts_of(whole=True)) == 134_515_008


def test_what_a_feed_forward_network_makes_of_a_negative_number_is_between_minus_0_3_and_0():
    negative = -np.logspace(-9, 3, 2000)
    made = negative / (1 + np.exp(-negative.clip(-700)))  # SiLU, the function of the real model
    (block,) = (screen for screen in screens() if screen.name == "block")
    assert "from $-0.3$ to 0" in block.before
    assert (made < 0).all()
    assert (made > -0.3).all()


def test_a_block_does_not_answer_before_the_guess():
    said = block_flow_html() + block_table(revealed=False, whole=False)
    assert f"{SMOLLM2.attention:,}" not in said
    assert "Normalisation" not in said
    assert not lengths(said)
    assert f"{N_LAYERS} blocks" in said
    assert f"{SMOLLM2.n_heads} heads" in said


def test_the_bars_of_the_experiment_are_the_measured_weights_and_do_not_answer_before_the_guess():
    measured = [100 * experiment_means(way)["looks"] for way in WAYS]
    for revealed, cut, shown in ((False, False, 1), (True, False, 3), (True, True, 5)):
        assert lengths(experiment_bars(2, revealed=revealed, cut=cut)) == pytest.approx(measured[:shown], abs=0.06)
    assert "19 %" in experiment_table(2, cut=False)


def test_the_number_that_is_moved_and_its_loss_stand_in_the_table():
    found = next_word_numbers(1)
    moved = nudge_table(3)
    assert "Row *article* of $W^Q$, column *looks for an action* | 2 | 2.1 |" in moved
    before, after = found["word_loss"], found["word_moved"]
    assert f"| {before:.4f} | {after:.4f} |" in moved
    fall = round(before, 4) - round(after, 4)  # computed from the rounded losses
    assert f"the loss falls by {fall:.4f}, and {fall:.4f} / 0.1 = {fall / 0.1:.3f}." in moved
    assert -found["word_slope"] == pytest.approx(fall / 0.1, abs=0.0005)


def test_the_number_that_a_step_changes_is_seen_in_its_matrix():
    (matrix,) = matrices_of(query_matrix_lines())
    place = matrix.row_labels.index("article"), matrix.column_labels.index("looks for an action")
    assert matrix.values[place] == next_word_numbers(1)["word_number"]
    assert not matrix.editable
    assert f"d_k = {matrix.values.shape[1]} columns" in query_matrix_lines()[0].label


def test_one_step_of_training_is_shown_as_a_formula():
    found = next_word_numbers(1)
    assert step_formula(3) == f"$2 - 0.5 \\cdot ({found['word_gradient']:.3f}) = {found['word_stepped']:.3f}$"


def test_the_loss_that_is_asked_for_is_open_and_a_press_halves_the_probability():
    assert loss_table(3, revealed=False).endswith("| 0 | 0.693 | ? |")
    assert loss_table(3, revealed=True).endswith("| 0 | 0.693 | 1.386 |")
    assert loss_table(3, revealed=True, tries=1).endswith("| 0 | 0.693 | 1.386 | 2.079 |")
    assert loss_table(3, revealed=True, tries=6) == loss_table(3, revealed=True)


@pytest.mark.long
def test_words_are_drawn_as_often_as_their_probabilities_say():
    draws = np.sum([next_word_numbers(tries)["drawn_words"] for tries in range(1, 41)], axis=0)
    assert draws.sum() == 4000
    assert draws / 4000 == pytest.approx(next_word_numbers(1)["next_chances"][-1], abs=0.02)
    assert "drawn_words" not in {matrix.id for matrix in matrices_of(BOARDS["next"](the_story(), True, 0))}
    assert "drawn_words" in {matrix.id for matrix in matrices_of(BOARDS["next"](the_story(), True, 1))}


def test_each_mistake_stands_below_the_right_line_in_the_order_of_the_code():
    lines = [line for line in mistakes_code().splitlines() if line and not line.startswith("#")]
    assert lines == [
        "scaled = scores / np.sqrt(d_k)", "scaled = scores",
        "masked = np.where(allowed, scaled, -np.inf)", "masked = scaled",
        "weights = softmax(masked)", "weights = softmax(masked, axis=-2)",
        "output = concat @ w_o", "output = concat",
    ]  # fmt: skip


def test_the_output_of_one_head_stands_beside_that_of_two():
    shown = {matrix.id: matrix for matrix in matrices_of(BOARDS["heads"](the_story(), True, 0))}
    assert shown["output_alone"].values[1] == pytest.approx([0.95, 0.95], abs=0.005)
    assert shown["concat"].values[1] == pytest.approx([1.90, 1.90], abs=0.005)


def test_the_helper_attends_to_the_word_before():
    shown = {matrix.id: matrix.values for matrix in matrices_of(BOARDS["induction"](the_story(), True, 1))}
    assert shown["weights_helper"][2:].argmax(axis=1).tolist() == [1, 2, 3, 4, 5, 6]


def test_the_boxes_open_with_the_first_learned_matrix():
    assert vars(KINDS["path"])["box"] == "w_q"
    assert [step[-1] for step in STEPS] == ["q", "k", "v", "weights", "output", "mixed", "summed"]
    assert len(TEXTS.points("steps_in_words")) == len(STEPS)


def test_a_mistake_is_compared_on_each_sentence():
    assert "| Mask forgotten | 4.07 | 15 of 20 sentences |" in mistakes_table(2)
    assert "| Without a mistake | 4.16 | – |" in mistakes_table(2)


def test_the_probabilities_are_shown_with_attention_and_without():
    shown = matrices_of(BOARDS["brings"](the_story(), True, 0))
    chances = {matrix.id.endswith("_off"): matrix.values[-1] for matrix in shown if matrix.id.startswith("chances")}
    on, off = chances[False], chances[True]
    assert on[0] > 2 * off[0]
    assert off[0] == off[1] == off[2]


def test_an_index_beside_two_heads_is_the_number_of_the_token():
    for tries, index in ((0, "2"), (1, "5")):
        lines = BOARDS["heads"](the_story(), True, tries)
        assert {m.symbol.partition("_")[2] for m in matrices_of(lines) if m.only_row is not None} == {index, ""}
        assert [line.label.partition(":")[0] for line in lines if line.label.startswith("Head 1: its")] == ["Head 1"]


def test_each_head_shows_its_scores_before_its_weights():
    shown = [[matrix.id for matrix in matrices_of([line])] for line in BOARDS["heads"](the_story(), True, 0)]
    assert ["scores.0", "weights.0"] in shown
    assert ["scores.1", "weights.1"] in shown
    assert ["v", "concat"] in shown

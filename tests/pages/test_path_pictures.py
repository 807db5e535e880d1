"""The pictures of the path that are bars and tables show the numbers that were computed or measured."""

import re

import pytest

from attention_core.writing.costs import N_LAYERS, SMOLLM2
from pages.shared.equation.model import matrices_of
from pages.shared.lessons.path.bars import Bar, bars_html
from pages.shared.lessons.path.block import block_bars_html, block_flow_html, block_table, parts_of
from pages.shared.lessons.path.boards import BOARDS
from pages.shared.lessons.path.model_numbers import experiment
from pages.shared.lessons.path.next_word import moved_table, next_word_numbers
from pages.shared.lessons.path.numbers import the_story
from pages.shared.lessons.path.tables import experiment_bars, experiment_table, mistakes_table


def lengths(html):
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
    assert f"{sum(millions[1:]):.3f}" == f"{millions[0]:.3f}"  # the parts as they are shown add up


def test_a_block_does_not_answer_before_the_guess():
    said = block_flow_html() + block_table(revealed=False, whole=False)
    assert f"{SMOLLM2.attention:,}" not in said
    assert not lengths(said)
    assert f"{N_LAYERS} blocks" in said
    assert f"{SMOLLM2.n_heads} heads" in said


def test_the_bars_of_the_experiment_are_the_measured_weights_and_do_not_answer_before_the_guess():
    measured = [100 * experiment(way)["looks"] for way in ("none", "previous", "induction", "induction_control")]
    for revealed, cut, shown in ((False, False, 1), (True, False, 2), (True, True, 4)):
        assert lengths(experiment_bars(2, revealed=revealed, cut=cut)) == pytest.approx(measured[:shown], abs=0.06)
    assert "19 %" in experiment_table(2, cut=False)


def test_the_number_that_is_moved_and_its_loss_stand_in_the_table():
    found = next_word_numbers(1)
    moved = moved_table(3)
    assert "Row *article* of $W^Q$, column *looks for an action* | 2 | 2.1 |" in moved
    assert f"| {found['word_loss']:.3f} | {found['word_moved']:.3f} |" in moved


def test_a_mistake_is_compared_on_each_sentence():
    assert "| Mask forgotten | 4.07 | 15 of 20 sentences |" in mistakes_table(2)
    assert "| Without a mistake | 4.16 | – |" in mistakes_table(2)


def test_the_answer_of_the_next_word_shows_both_cases():
    shown = matrices_of(BOARDS["next"](the_story(), True, 0))
    chances = {matrix.id.endswith("_off"): matrix.values[-1] for matrix in shown if matrix.id.startswith("chances")}
    on, off = chances[False], chances[True]
    assert on[0] > 2 * off[0]
    assert off[0] == off[1] == off[2]


def test_each_head_shows_its_scores_before_its_weights():
    shown = [[matrix.id for matrix in matrices_of([line])] for line in BOARDS["heads"](the_story(), True, 0)]
    assert ["scores.0", "weights.0"] in shown
    assert ["scores.1", "weights.1"] in shown
    assert ["v", "concat"] in shown

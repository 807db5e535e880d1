"""Test the exhibits of "Spot the bug": every piece of code is run, and gives what the core says."""

import re
from itertools import pairwise

import numpy as np
import pytest
import scipy.special

from attention_core.mistakes import WITH_SWITCH
from attention_core.museum import EXHIBITS, Outcome, exhibit, inspect
from attention_core.museum.exhibits import FILE, read_exhibits
from notebooks import DATA, notebook_values

of_every_exhibit = pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)

ERRATA = set(re.findall(r"^### (\d{3}-\d{2})", (DATA / "seed_errata.md").read_text("utf-8"), re.MULTILINE))
CONCEPTS = {"softmax_axes", "queries_keys_values", "scaling", "attention", "multi_head", "positional_encoding"}


def run(code, exhibit):
    names = {"np": np, "softmax": scipy.special.softmax, **exhibit.input_values()}
    with np.errstate(all="ignore"):
        exec(compile(code, exhibit.name, "exec"), names)
    return names


def assert_same(found, expected):
    """Check that two arrays are equal up to rounding."""
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


# --- code and mistake are in step ---


@of_every_exhibit
def test_the_cell_gives_what_the_core_says(exhibit):
    found, outcome = run(exhibit.code, exhibit), exhibit.outcome()
    assert_same(found[exhibit.result], outcome.wrong[exhibit.result])
    for name in {"weights", "concat"} & found.keys() & outcome.wrong.keys():
        if np.shape(found[name]) == outcome.wrong[name].shape:
            assert_same(found[name], outcome.wrong[name])


@of_every_exhibit
def test_the_cell_mended_in_one_line_is_right(exhibit):
    assert_same(run(exhibit.corrected_code, exhibit)[exhibit.result], exhibit.outcome().correct[exhibit.result])
    pairs = enumerate(zip(exhibit.lines, exhibit.corrected_code.splitlines(), strict=True), start=1)
    assert [i for i, (wrong, right) in pairs if wrong != right] == [exhibit.wrong_line]


@of_every_exhibit
def test_every_line_is_needed(exhibit):
    """Check that every line of an exhibit's corrected code is needed."""
    for i in range(1, len(exhibit.lines) + 1):
        rest = "\n".join(line for j, line in enumerate(exhibit.corrected_code.splitlines(), start=1) if j != i)
        try:
            result = run(rest, exhibit).get(exhibit.result)
        except (NameError, SyntaxError, TypeError, AttributeError, UnboundLocalError, ValueError):
            continue
        assert result is None or not np.array_equal(result, exhibit.outcome().correct[exhibit.result])


@of_every_exhibit
def test_the_mistake_can_be_seen(exhibit):
    assert not exhibit.greatest_error < 0.01


# --- what stands beside the cell ---


@of_every_exhibit
def test_a_cell_is_short(exhibit):
    assert 4 <= len(exhibit.lines) <= 10
    assert all(line.strip() and len(line) <= 80 for line in (*exhibit.lines, exhibit.correct_line))


@of_every_exhibit
def test_the_texts_of_an_exhibit_do_not_name_its_mistake(exhibit):
    titles = {mistake.title.lower() for mistake in WITH_SWITCH if mistake.name == exhibit.state.get("mistake")}
    said = f"{exhibit.title} {exhibit.task} {exhibit.name.replace('_', ' ')}".lower()
    assert not any(title in said for title in titles)
    assert exhibit.name not in {mistake.name for mistake in WITH_SWITCH}


@of_every_exhibit
def test_sources_are_errata_or_public_threads(exhibit):
    assert exhibit.sources
    assert all(source in ERRATA or re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", source) for source in exhibit.sources)
    assert exhibit.why.endswith(".")


def test_names_and_cells_are_different():
    for told_apart in (
        {each.name for each in EXHIBITS},
        {each.title for each in EXHIBITS},
        {each.code for each in EXHIBITS},
    ):
        assert len(told_apart) == len(EXHIBITS)


def test_every_concept_has_exhibits_and_no_mistake_has_two():
    assert {each.page for each in EXHIBITS} == CONCEPTS
    mistakes = [each.state["mistake"] for each in EXHIBITS if "mistake" in each.state]
    assert len(mistakes) == len({*mistakes})
    assert not any(one.page == next_one.page for one, next_one in pairwise(EXHIBITS[:18]))


def test_an_exhibit_that_is_not_there():
    with pytest.raises(
        ValueError, match=r"exhibit must be one of three_shares, .*; got nonsense: choose one of these\."
    ):
        exhibit("nonsense")


# --- as the notebooks print it ---


def test_the_notebook_s_wrong_context():
    wrong = exhibit("decoder_and_encoder").outcome().wrong["output"][1]
    np.testing.assert_allclose(wrong, notebook_values("3/q1_wrong_context/context"), rtol=1e-12)


def test_the_trace_of_an_outer_product_is_the_score():
    outcome = exhibit("columns_of_the_book").outcome()
    assert_same(np.trace(outcome.wrong["scores"], axis1=2, axis2=3), outcome.correct["scores"])


# --- what a careful reader sees ---


def test_what_can_be_seen_without_the_right_result():
    columns, helper = (inspect(exhibit(name).outcome()) for name in ("three_shares", "a_helper"))
    assert columns.sums is not None
    np.testing.assert_allclose(columns.sums.sum(), 3)
    assert (columns.has_correct_shapes, columns.sum_to_one, columns.finite, columns.passes) == (
        True,
        False,
        True,
        False,
    )
    assert helper.passes
    assert not inspect(exhibit("large_inputs").outcome()).finite
    outer = inspect(exhibit("columns_of_the_book").outcome())
    assert outer.shapes == {"scores": ((3, 3, 4, 4), (3, 3))}
    assert outer.sums is None
    assert not outer.has_correct_shapes


def test_most_mistakes_pass_every_check():
    passing = [each for each in EXHIBITS if inspect(each.outcome()).passes]
    assert len(passing) > len(EXHIBITS) / 2


def test_what_is_a_product_and_what_is_not():
    a, b = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])
    trace = exhibit("three_shares").outcome().correct_trace

    def is_product(output, left=a):
        return Outcome(correct_trace=trace, wrong={}, correct={}).is_product(
            {"l": left, "f": b, "output": output}, "l", "f"
        )

    assert is_product(np.array([[11.0]]))
    assert is_product(np.array([[np.nan]]), left=np.array([[np.nan, 1.0]]))
    assert not is_product(np.array([[11.1]]))
    assert not is_product(np.array([[11.0, 11.0]]))
    assert not is_product(np.array([[11.0]]), left=np.ones((2, 2, 2)))


@pytest.mark.parametrize(
    ("taken_out", "put_in", "message"),
    [
        ('mistake = "softmax_twice"\n', "", "either a mistake or an outcome; got a_helper with neither"),
        ("wrong_line = 5\n", 'wrong_line = 5\noutcome = "outer_products"\n', "got a_helper with both"),
        ("wrong_line = 5\n", "", "exhibit a_helper: it must have .*: correct wrong_line"),
        ("softmax_twice", "softmax_thrice", "mistake must be one of .*; got 'softmax_thrice'"),
    ],
)
def test_a_wrong_exhibit_in_the_file(tmp_path, taken_out, put_in, message):
    source = FILE.read_text("utf-8")
    (alone,) = [part for part in source.split("[[exhibit]]") if 'name = "a_helper"' in part]
    assert taken_out in alone
    (tmp_path / "made_up.toml").write_text("[[exhibit]]" + alone.replace(taken_out, put_in), "utf-8")
    with pytest.raises(ValueError, match=message):
        read_exhibits(tmp_path / "made_up.toml")

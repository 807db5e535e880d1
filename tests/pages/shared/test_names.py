"""Test the names of columns: they are shown above the columns, beside rows, in the arithmetic and in the code.

Also numbers rounded in texts to take home.
"""

import io
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from attention_core.arithmetic import explain
from attention_core.examples import EXAMPLES, FeatureNames, example
from attention_core.examples.sentence import SOUR
from attention_core.experiments.heads import run_rewired
from bare_python import run
from pages.shared.equation.matrices import attention_matrices, by_name, head_matrices, rewired_matrices
from pages.shared.equation.model import labels_of
from pages.shared.takehome.dialog import tables
from pages.shared.takehome.screen import EXACT, checks, tolerance_of
from pages.shared.takehome.script import notebook, script, shown_literal, torch_script
from simulating import matrices, open_page, with_edit
from taken_home import PROVED, check_code, screen_at

STORY = example("story")
NAMES, TOKENS = STORY.names, STORY.tokens
ROWS_AND_COLUMNS = {  # the labels beside the rows and above the columns of each matrix
    "x": (TOKENS, NAMES.x), "w_q": (NAMES.x, NAMES.q), "w_k": (NAMES.x, NAMES.k), "w_v": (NAMES.x, NAMES.v),
    "q": (TOKENS, NAMES.q), "k": (TOKENS, NAMES.k), "v": (TOKENS, NAMES.v), "w_o": (NAMES.v, NAMES.x),
    "scores": (TOKENS, TOKENS), "weights": (TOKENS, TOKENS), "output": (TOKENS, NAMES.v),
}  # fmt: skip
OF_HEADS = ROWS_AND_COLUMNS | {
    "concat": (TOKENS, NAMES.v), "output": (TOKENS, NAMES.x), "shares.1": (TOKENS, NAMES.x),
    "heads.0": (TOKENS, ("living",)), "heads.1": (TOKENS, ("thing",)), "weights.1": (TOKENS, TOKENS),
}  # fmt: skip


def labels(matrix):
    """Return the labels of the rows and the labels of the columns of a matrix, as a pair."""
    return (matrix.row_labels, matrix.column_labels)


def names_in(matrix):
    """Return the column names that the computation of `matrix` uses: a dictionary by the name of a matrix."""
    return matrix.computation.names


# --- above columns and beside rows ---


def test_columns_have_their_names_and_rows_those_of_the_columns_that_they_meet():
    shown = attention_matrices(STORY, STORY.attention())
    assert {name: labels(shown[name]) for name in ROWS_AND_COLUMNS} == ROWS_AND_COLUMNS


def test_a_head_has_its_own_block_of_the_names():
    shown = head_matrices(STORY, STORY.multi_head())
    of_heads = {name: expected for name, expected in OF_HEADS.items() if name in shown}
    assert {name: labels(shown[name]) for name in of_heads} == of_heads
    assert {"heads.0", "heads.1", "shares.1", "concat", "output"} <= {*of_heads}


@pytest.mark.parametrize("name", [name for name in EXAMPLES if example(name).names == FeatureNames()])
def test_without_names_columns_are_numbered(name):
    this = example(name)
    shown = attention_matrices(this, this.attention())
    assert labels(shown["x"]) == (this.tokens, tuple(str(i + 1) for i in range(this.x.shape[1])))
    assert labels(shown["w_q"]) == ((), tuple(str(i + 1) for i in range(this.w_q.shape[1])))


def test_a_context_has_names_of_its_own():
    this = replace(example("context"), names=FeatureNames(context=("a", "b", "c", "d")))
    assert labels_of("context", this, 4) == {"row_labels": this.key_tokens, "column_labels": ("a", "b", "c", "d")}
    assert labels_of("w_k", this, 4).get("row_labels") == ("a", "b", "c", "d")
    assert labels_of("w_q", this, 4).get("row_labels") == ()


def test_what_a_mistake_makes_wider_is_numbered():
    assert labels_of("output", STORY, 4).get("column_labels") == ("1", "2", "3", "4")


@pytest.mark.parametrize(
    ("options", "named", "numbered"),
    [
        ({}, "qkv", ""),
        ({"off": (0,)}, "qkv", ""),
        ({"w_o": "identity"}, "qkv", ""),
        ({"w_o": "swap"}, "", "qkv"),
        ({"sharing": "all"}, "q", "kv"),
    ],
)
def test_columns_that_were_swapped_or_mixed_lose_their_names(options, named, numbered):
    shown = rewired_matrices(STORY, run_rewired(STORY, 2, **options))
    above = {name: shown[name].column_labels for name in "qkv"}
    assert all(above[name] == getattr(NAMES, name) for name in named)
    assert all(above[name][0] == "1" for name in numbered)


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_the_browser_gets_the_names_in_both_layouts(layout):
    shown = matrices(open_page("queries_keys_values", example="story", layout=layout))
    assert (shown["q"]["rowLabels"], shown["q"]["columnLabels"]) == ([*TOKENS], [*NAMES.q])
    assert shown["q"]["transposed"] == (layout == "columns")


def test_names_stay_when_numbers_are_edited():
    app = with_edit(
        open_page("queries_keys_values", example="story"),
        {"kind": "edit", "id": "w_q", "cells": [[0, 0, 7]], "done": True},
    )
    shown = matrices(app)["w_q"]
    assert shown["values"][0][0] == 7
    assert (shown["rowLabels"], shown["columnLabels"]) == ([*NAMES.x], [*NAMES.q])


# --- in the arithmetic ---

BY_NAME = {
    "a query": (
        "q",
        (4, 0),
        "By name: $1$ *refers* × $1$ *looks for somebody* + $1$ *thirsty* × $2$ *looks for somebody*.",
    ),
    "a score": ("scores", (4, 0), "By name: $3$ *looks for somebody* × $2$ *is somebody*."),
    "nothing asked or offered": ("scores", (4, 4), "By name: every product is 0."),
    "an output": (
        "output",
        (4, 0),
        "By name: $0.7298$ *cat* × $2$ *living* + $0.03633$ *it* × $1$ *living*.",
    ),
    "a scaled score": ("scaled", (4, 0), ""),
    "a given number": ("x", (4, 4), ""),
}


@pytest.mark.parametrize("kind", BY_NAME)
def test_products_by_name(kind):
    name, index, said = BY_NAME[kind]
    names = names_in(attention_matrices(STORY, STORY.attention())[name])
    assert by_name(explain(STORY.attention(), name, index).term, names) == said


@pytest.mark.parametrize(
    ("name", "index", "said"),
    [
        ("heads", (1, 1, 0), "$0.9456$ *milk* × $2$ *thing*"),
        ("shares", (0, 4, 0), "$1.828$ *living* × $1$ *alive*"),
        ("output", (1, 1), "$1.905$ *thing* × $1$ *drinkable*"),
    ],
)
def test_products_of_heads_by_name(name, index, said):
    trace = STORY.multi_head()
    names = names_in(head_matrices(STORY, trace)["output"])
    assert said in by_name(explain(trace, name, index).term, names)


def test_without_names_nothing_is_said_by_name():
    this = example("hand")
    for name in ("q", "scores", "output"):
        names = names_in(attention_matrices(this, this.attention())[name])
        assert by_name(explain(this.attention(), name, (1, 1)).term, names) == ""


def test_the_card_says_it_by_name():
    said = [text.value for text in open_page("queries_keys_values", example="story", cell="q.4.0").markdown]
    assert any(text.endswith(BY_NAME["a query"][2]) for text in said)


def test_the_right_numbers_beside_a_mistake_are_named_too():
    app = open_page("attention", example="story", mistake="scores_as_weights", cell="output_right.4.0")
    assert any(text.value.endswith(BY_NAME["an output"][2]) for text in app.markdown)


# --- in code, and in what is taken home ---


@pytest.mark.parametrize(("layout", "rows", "columns"), [("rows", NAMES.x, NAMES.q), ("columns", NAMES.q, NAMES.x)])
def test_code_says_in_comments_what_rows_and_columns_are(layout, rows, columns):
    screen = screen_at("queries_keys_values", example="story", layout=layout)
    check_code(screen)
    comments = f"# rows: {', '.join(rows)}\n# columns: {', '.join(columns)}\nw_q = np.array("
    assert comments in screen.code.text(screen.columns)
    assert comments in script(screen)
    assert "# rows: " in notebook(screen)


def test_code_of_numbers_without_names_has_no_such_comments():
    assert "# rows:" not in screen_at("queries_keys_values", example="hand").code.text(False)


def test_tables_have_the_names():
    archive = zipfile.ZipFile(io.BytesIO(tables(screen_at("queries_keys_values", example="story"))))
    lines = archive.read("q.csv").decode().splitlines()
    assert lines[0] == f"Q,{','.join(NAMES.q)}"
    assert lines[5] == "it,3.0,1.0,0.0,1.0"


@pytest.mark.parametrize("page", ["home", "attention", "multi_head", "scaling", "positional_encoding"])
def test_the_sour_story_can_be_opened_by_a_link(page):
    x = ";".join(",".join(map(str, row)) for row in SOUR["x"])
    assert matrices(open_page(page, example="story", x=x))


@pytest.mark.parametrize(
    ("value", "moved", "near"),
    [
        ([1.0, 2.0], [1.0, 2.0], EXACT),
        ([1.0, 0.0], [1.0, 1e-6], 1e-6),
        ([0.5, 0.5], [1.0, 0.0], np.inf),  # rounding decides the result, so there is no tolerance
        ([1e18, 1.0], [1e18 + 1e8, 1.0], EXACT),  # the tolerance follows the digits of each number
        ([1e-7, 0.0], [1e-7, 0.0], 1e-15),  # small numbers that are certain get a small tolerance
        ([3e-15, 0.0], [0.0, 3e-15], 3e-15),  # these numbers are 0 up to rounding
        ([np.inf, np.nan], [np.inf, np.nan], EXACT),
        ([np.inf, 1.0], [1e308, 1.0], np.inf),
        ([1.0, 1.0], [np.nan, 1.0], np.inf),
    ],
)
def test_nearness_is_measured_by_shaking_the_numbers(value, moved, near):
    assert tolerance_of("m", {"m": np.array(value)}, [{"m": np.array(moved)}]) == pytest.approx(near, rel=0.01)


def link_with_all_numbers(number):
    """Return the link of a state in which every number of the example "hand" is replaced by `number`."""
    shapes = {name: m.shape for name, m in example("hand").matrices().items() if name != "w_o"}
    same = {name: ";".join([",".join([str(number)] * columns)] * rows) for name, (rows, columns) in shapes.items()}
    return {"example": "hand", "token": "0", "look": "look_up", **same}


def script_with_wrong_number(screen, name, by):
    """Return the script of a screen in which one expected number is wrong: the first number of the matrix `name`.

    `by` is added to this number.
    """
    (check,) = [c for _, found in checks(screen) for c in found if c.expression == name]
    wrong = np.array(check.shown)
    wrong.flat[0] += by
    text = script(replace(screen, link=""))
    before, line, after = text.partition(f'show("{name}", {name}')
    right, end, rest = after.partition("\n\n")
    old, new = (shown_literal(values, 2 * len(name) + 11) for values in (np.array(check.shown), wrong))
    assert old in right
    return before + line + right.replace(old, new) + end + rest


@pytest.mark.many
@pytest.mark.parametrize(("name", "by"), [("q", 1.0), ("scores[0]", 1e3), ("weights[0]", 0.01), ("output[0]", 20.0)])
def test_a_wrong_number_is_found_among_large_ones_by_the_measure_of_its_own_matrix(name, by, tmp_path):
    screen = screen_at("queries_keys_values", **link_with_all_numbers(30))
    right = run(script(screen), tmp_path)
    assert right.returncode == 0, right.stderr
    assert PROVED in right.stdout
    done = run(script_with_wrong_number(screen, name, by), tmp_path)
    assert done.returncode != 0
    assert name in done.stderr


@pytest.mark.parametrize("make", [script, torch_script, notebook], ids=["NumPy", "PyTorch", "notebook"])
def test_what_rounding_decides_is_named_and_not_called_proved(make):
    text = make(screen_at("queries_keys_values", **link_with_all_numbers(10_000)))
    assert PROVED not in text
    assert re.search(r"Not compared: weights\[0\]\. Rounding alone decides these large numbers", text)
    assert text.count("# not compared") == 1


def test_what_rounding_does_not_decide_is_compared_beside_what_it_does(tmp_path):
    screen = screen_at("queries_keys_values", **link_with_all_numbers(10_000))
    right = run(script(screen), tmp_path)
    assert right.returncode == 0, right.stderr
    assert "Not compared: weights[0]." in right.stdout
    for name in ("q", "scores[0]", "output[0]"):
        done = run(script_with_wrong_number(screen, name, 1e15), tmp_path)
        assert done.returncode != 0
        assert name in done.stderr

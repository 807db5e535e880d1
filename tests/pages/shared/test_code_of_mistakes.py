"""Test the code of a page with a mistake switched on.

It has the correct lines, and below them the wrong line and the lines that depend on it.
"""

import contextlib
import io
import re
from dataclasses import replace
from itertools import cycle, islice
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import torch_on_numpy
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import HEAD_MISTAKES, POSITION_MISTAKES, WITH_SWITCH
from attention_core.museum import EXHIBITS
from attention_core.reading.matrix_text import read_matrix, write_matrix
from attention_core.rotation import POSITION_KINDS
from pages.check_my_matrix.problem import ASKED
from pages.shared.codes.mistake import right_trace, two_sides
from pages.shared.controls import controls_of
from pages.shared.equation.model import Line, matrices_of
from pages.shared.mistake_switch import _wrong_and_correct_equation
from pages.shared.state.session import Workspace, with_workspace
from pages.shared.takehome.code import for_columns, name_of, run, source_of
from pages.shared.takehome.screen import ShownPage
from pages.shared.takehome.script import notebook, script, torch_script
from pages.shared.takehome.worksheet import tasks, worksheet
from pages.spot_the_bug.code import code as exhibit_code
from pagesutil import DECLARED, fit_to_example
from simulating import open_page
from strategies import random_numbers
from taken_home import PROVED, check_code, screen_at

BY_NAME = {mistake.name: mistake for mistake in WITH_SWITCH}
MASKS = ("none", "causal", "padding")
LAYOUTS = ("rows", "columns")
EACH = 3  # every third example that shows the mistake is run, in one layout and the other in turn
# Examples with as many tokens as features, for mistakes whose shapes no other example allows, and one whose scores
# overflow.
SQUARE = replace(
    example("hand"),
    name="square",
    tokens=tuple("abcd"),
    **{name: random_numbers(4, 4, seed=seed) for seed, name in enumerate(("x", "w_q", "w_k", "w_v", "w_o"))},
    **{name: random_numbers(4, seed=seed) for seed, name in enumerate(("b_q", "b_k", "b_v"))},
)
GREAT = replace(SQUARE, name="great", x=60 * np.eye(4), w_q=np.eye(4), w_k=np.eye(4), w_v=np.eye(4))
ALL = {**{name: example(name) for name in EXAMPLES}, "square": SQUARE, "great": GREAT}

of_every_mistake = pytest.mark.parametrize("mistake", WITH_SWITCH, ids=lambda mistake: mistake.name)
of_both_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def shown_at(mistake, masks=MASKS):
    """Yield each example and mask for which a mistake changes the output, with the correct and the wrong trace."""
    for this in ALL.values():
        for mask in masks if mistake.concept == "attention" else MASKS[:1]:
            right = right_trace(mistake, this, mask)
            try:
                wrong = mistake.apply(right)
            except ValueError:
                continue
            if mistake.shows(right):
                yield this, mask, right, wrong


def expected_values(mistake, example, right, wrong):
    """Return the values that the code of a page with a mistake must compute, by their names in the code.

    Matrices of `right`, the correct trace, have names that end with "_right". Matrices of `wrong`, the trace with the
    mistake, have names that end with "_mistake".
    """
    fields = {name: "encoding" if name == "sinusoidal" else name for name in mistake.pipeline.shown}
    sides = {"_right": right, "_mistake": wrong}
    ends = {name + end: getattr(side, field) for end, side in sides.items() for name, field in fields.items()}
    factor = (
        {}
        if mistake in POSITION_MISTAKES
        else {"w_o_right": example.w_o}
        if mistake in HEAD_MISTAKES
        else {"v_right": right.v}
    )
    return ends | factor


@of_both_layouts
@of_every_mistake
def test_the_lines_of_a_mistake_do_what_it_does(mistake, layout):
    cases = list(shown_at(mistake))
    assert cases
    for this, mask, right, wrong in cases:
        columns = layout == "columns"
        given = {name: for_columns(m) if columns else m for name, m in this.matrices().items()}
        names = {"np": np, "n_heads": this.n_heads, **given}
        with np.errstate(all="ignore"):
            exec(two_sides(mistake, this, mask, columns), names)
        for name, values in expected_values(mistake, this, right, wrong).items():
            found = names[name].T if columns else names[name]
            np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-9, err_msg=f"{name}, {this.name}, {mask}")
        for name, values in given.items():
            assert names[name] is values  # the code does not change the numbers that the page starts from


@of_every_mistake
def test_a_mistake_says_in_few_lines_what_it_computes(mistake):
    assert 1 <= len(mistake.code.splitlines()) <= 4
    assert max(map(len, mistake.code.splitlines())) <= 120
    assert name_of(mistake).endswith(mistake.name)
    assert source_of(mistake).strip()


# The page of the real model has no switch for mistakes. It asks which of its mistakes to show.
PAGES_OF = {
    name: control
    for name, page in DECLARED.items()
    if (control := controls_of(page.parameters).get("mistake")) and control.optional
}
SWITCHED = [(page, name) for page, control in PAGES_OF.items() for name in control.options]


def screens_with(page, name):
    """Yield the screen of a page with the mistake `name`, for each example in which the mistake is visible.

    The screens are made without running the app. Every second screen has tokens as columns.
    """
    mistake, kind = BY_NAME[name], cast(Any, DECLARED[page].parameters)
    shown = shown_at(mistake, MASKS if page == "attention" else MASKS[:1])
    for (this, mask, right, wrong), layout in zip(shown, cycle(LAYOUTS), strict=False):
        more = {"mask": mask} if page == "attention" else {}
        workspace = Workspace("hand").with_layout(layout)
        _, parameters = fit_to_example((workspace, with_workspace(kind(mistake=name, **more), workspace)))
        sides = _wrong_and_correct_equation(mistake, this, right, wrong)
        yield ShownPage(
            page=page, concept="", question="", link="", example=this, edited=False, columns=layout == "columns",
            decimals=2, equations={"mistake": tuple(map(Line, sides))}, code=DECLARED[page].code_at(parameters, this),
        )  # fmt: skip


def test_every_mistake_can_be_switched_on_somewhere():
    assert {name for _, name in SWITCHED} == BY_NAME.keys()


@pytest.mark.many
@pytest.mark.parametrize(("page", "name"), SWITCHED)
def test_the_script_checks_the_numbers_of_the_mistake(page, name):
    for screen in islice(screens_with(page, name), 0, None, EACH):
        text = script(screen)
        with np.errstate(), np.printoptions(), contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(text, "script", "exec"), {})
        assert PROVED in printed.getvalue()
        for matrix in matrices_of(screen.equations["mistake"]):
            assert re.search(rf'^show\("{matrix.id}(?:\[.*\])?", .*, \[', text, re.MULTILINE)


@pytest.mark.many
@pytest.mark.parametrize(("page", "name"), SWITCHED)
def test_the_mistake_can_be_said_in_pytorch(page, name):
    for screen in islice(screens_with(page, name), len(LAYOUTS)):
        text = torch_script(screen)
        found = re.findall(r"np\.[\w.]+", text.replace(screen.code.start(screen.columns), ""))
        assert found == []  # everything in `NAMES` of takehome/torch.py can be written in PyTorch
        with np.errstate(all="ignore"):
            assert PROVED in torch_on_numpy.output_with_torch(text)


def test_a_wrong_number_of_the_mistake_stops_the_script():
    screen = next(iter(screens_with("scaling", "divided_by_d_k")))
    text = script(screen).replace("scores_right / d_k   # ✗", "scores_right / (d_k + 1)   # ✗")
    quiet = contextlib.redirect_stdout(io.StringIO())
    with np.errstate(), np.printoptions(), quiet, pytest.raises(AssertionError, match="weights_mistake"):
        exec(compile(text, "script", "exec"), {})


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("page", "link", "says"),
    [
        ("attention", {"mistake": "mask_inverted"}, "Nothing to see yet. It takes a mask."),
        (
            "queries_keys_values",
            {"mistake": "weights_times_input"},
            "It cannot even be computed here. `q, k, v = w_q @ x",
        ),
    ],
)
def test_what_does_not_show_is_said_in_the_code(page, link, says):
    screen = screen_at(page, **link)
    *_, block = screen.code.blocks
    assert block.title.startswith("The mistake: ")
    assert block.aside
    assert says in screen.code.text(columns=False)
    assert says in script(screen)
    assert notebook(screen)


@pytest.mark.lowest
def test_heads_go_wrong_before_they_are_rewired():
    screen = screen_at("multi_head", rewire="swap", mistake="heads_averaged")
    titles = [block.title for block in screen.code.blocks]
    assert titles.index("The mistake: The heads are averaged") < titles.index("Your changes")
    assert not screen_at("multi_head", mistake="heads_averaged").code.blocks[0].title.startswith("The mistake")


@pytest.mark.lowest
def test_in_code_shows_the_mistake_and_its_source():
    app = open_page("softmax_axes", mistake="softmax_twice")
    app.session_state["softmax_axes.in_code"] = True
    app = app.run()
    ours, core = (code.value for code in app.code if "def " in code.value)
    assert "weights_mistake = softmax(weights_right)   # ✗\noutput_mistake = weights_mistake @ v_right" in ours
    assert "# The softmax is applied twice: this takes the place of the steps of the same name.\n" in core
    assert "\nweights = softmax(weights)" in core
    assert any("attention_core.mistakes, softmax_twice" in text.value for text in app.markdown)


@pytest.mark.lowest
def test_a_worksheet_asks_for_what_is_right():
    for page, link in [("scaling", {}), ("softmax_axes", {"source": "array"}), ("softmax_axes", {"example": "wide"})]:
        mistake = next(iter(controls_of(DECLARED[page].parameters)["mistake"].options))
        with_one, without = screen_at(page, **link, mistake=mistake), screen_at(page, **link)
        assert "mistake" in with_one.equations
        assert worksheet(with_one, [0]) == worksheet(without, [0])
        assert len(list(tasks(with_one, {}))) == len(list(tasks(without, {})))


OWN = {"own_q": "1 2\n2 2", "own_k": "3 4\n5 9", "own_v": "1\n2"}


@pytest.mark.many
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("help_asked_for", [{}, {"aid": "beside"}, {"aid": "answer"}], ids=str)
@pytest.mark.parametrize("shown", EXHIBITS, ids=lambda shown: shown.name)
def test_every_exhibit_is_computed_by_its_cell(shown, help_asked_for, layout):
    check_code(screen_at("spot_the_bug", exhibit=shown.name, layout=layout, **help_asked_for))


@pytest.mark.parametrize("shown", EXHIBITS, ids=lambda shown: shown.name)
def test_the_code_does_not_give_the_line_away(shown):
    for aid in ("", "beside"):
        text = exhibit_code(SimpleNamespace(exhibit=(shown.name, 0), aid=aid), shown.own_example()).text(columns=False)
        assert shown.code in text
        assert shown.corrected_code not in text
        assert shown.why not in text
        assert not {"✓", "✗"} & set(text)
    answered = SimpleNamespace(exhibit=(shown.name, shown.wrong_line), aid="")
    solved = exhibit_code(answered, shown.own_example()).text(columns=False)
    assert f"{shown.lines[shown.wrong_line - 1]}   # ✗" in solved
    assert f"{shown.correct_line}   # ✓" in solved


@pytest.mark.many
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("asked", ASKED["example"])
def test_every_check_is_computed(asked, mask):
    check_code(screen_at("check_my_matrix", asked=asked, mask=mask, answer="1 2 3\n4 5 6", example="columns"))
    check_code(screen_at("check_my_matrix", asked=asked, mask=mask, answer="1", example="context", layout="columns"))


SETTINGS = (
    {"mask": "padding", "hidden": "4", "scale": "own", "factor": "1/8"},
    {"mask": "window", "window": "2", "scale": "none"},
    {"mask": "own", "own_mask": "\n".join(["1 0 1 1 0"] * 5), "head": "2"},
)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_the_code_of_a_check_has_the_mask_and_the_scale_of_its_setting(setting, layout):
    mask = {"own_mask": "\n".join(["1 1 1 1 1", "0 0 0 0 0"] * 2 + ["1 1 1 1 1"])} if layout == "columns" else {}
    for asked in ("output", "mixed"):
        own = setting | (mask if "own_mask" in setting else {})
        check_code(screen_at("check_my_matrix", asked=asked, example="story", layout=layout, answer="1 2", **own))


X_AND_W = {
    "source": "weights", "heads": "4", "kv_heads": "2", "own_x": write_matrix(random_numbers(3, 4), 3),
    "own_w_q": write_matrix(random_numbers(4, 8, seed=1), 3), "own_w_k": write_matrix(random_numbers(4, 4, seed=2), 3),
    "own_w_v": write_matrix(random_numbers(4, 4, seed=3), 3),
}  # fmt: skip


@pytest.mark.many
@pytest.mark.parametrize("positions", [kind for kind in POSITION_KINDS if kind != "none"])
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_the_code_of_a_check_has_the_positions_and_the_shared_heads_of_its_setting(positions, layout):
    own = (
        X_AND_W
        if layout == "rows"
        else X_AND_W
        | {name: write_matrix(read_matrix(X_AND_W[name]).values.T, 3) for name in X_AND_W if name.startswith("own_")}
    )
    for asked, more in {"mixed": {}, "output": {"head": "3", "mask": "causal"}}.items():
        check_code(
            screen_at("check_my_matrix", asked=asked, positions=positions, layout=layout, answer="1", **own, **more)
        )
    check_code(screen_at("check_my_matrix", example="story", positions=positions, layout=layout, answer="1"))
    check_code(screen_at("check_my_matrix", example="story", asked="mixed", positions=positions, layout=layout))


def test_a_pasted_result_is_compared_number_by_number():
    screen = screen_at("check_my_matrix", asked="scores", source="queries", answer="11 23\n14.01 NaN", **OWN)
    *_, (_, names) = run(screen.code, screen.columns)
    np.testing.assert_array_equal(names["scores"], [[11, 23], [14, 28]])
    np.testing.assert_array_equal(names["wrong"], [[False, False], [True, True]])


def test_before_anything_is_pasted_the_code_is_that_of_attention():
    code = screen_at("check_my_matrix", source="queries").code
    *_, (block, names) = run(code, columns=False)
    assert block.says.startswith("Paste what is still missing")
    np.testing.assert_allclose(names["attention"](np.eye(1), np.eye(1), np.array([[7.0]])), [[7.0]])

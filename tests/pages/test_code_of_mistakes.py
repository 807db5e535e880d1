"""Test the code of a page with a mistake switched on.

It has the correct lines, and below them the wrong line and the lines that depend on it.
"""

import contextlib
import io
import re
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, cast

import numpy as np
import pytest

import torch_on_numpy
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import HEAD_MISTAKES, POSITION_MISTAKES, WITH_SWITCH
from pages.shared.codes.mistake import right_trace, two_sides
from pages.shared.controls import controls_of
from pages.shared.equation.model import Line, matrices_of
from pages.shared.mistake_switch import _wrong_and_correct_equation
from pages.shared.state.session import Workspace, with_workspace
from pages.shared.takehome.code import for_columns, name_of, source_of
from pages.shared.takehome.screen import ShownPage
from pages.shared.takehome.script import script, torch_script
from pagesutil import DECLARED, fit_to_example
from strategies import random_numbers
from taken_home import PROVED

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

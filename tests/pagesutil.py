"""What each page declares, read from its file, and strategies for the states that a visitor can set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from attention_core.examples import EXAMPLES, example
from attention_core.museum import EXHIBITS
from pages.path.navigation import GuessesInput, in_order, questions
from pages.path.numbers import ScreenInput, names
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.example_kinds import (
    EMPTY,
    TURNS_TEXT,
    UNSEEN,
    ColumnInput,
    Count,
    HeadsInput,
    HeadsOffInput,
    TextArea,
    TextInput,
    TokenInput,
    WordInput,
)
from pages.shared.controls.kinds import (
    BOUNDS,
    CellInput,
    Choice,
    Listed,
    LiveSlider,
    MatrixInput,
    Slider,
    Steps,
    Switch,
)
from pages.shared.real_heads.reading import N_HEADS, N_LAYERS, HeadInput
from pages.shared.scene_files.screens import SHOWN
from pages.shared.site.page import catalogue
from pages.shared.state.session import Workspace, matrix_inputs, original, with_workspace
from pages.spot_the_bug.lesson import LineInput
from serving import PAGES, PageFile

MOST_TOKENS = 100  # the most tokens that a link can distinguish


DECLARED = {page.name: page for page in catalogue()}
KINDS = {name: page.parameters for name, page in DECLARED.items()}
# The pages with the bar, the map, code, files and scenes. The path has none of these, and links to the pages.
USUAL = {name: kind for name, kind in KINDS.items() if DECLARED[name].onward is None}
of_every_page = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def looks_of(page: str) -> list[str]:
    """Return the names of all views of a page, or an empty list if the page has only one view."""
    return list(getattr(controls_of(KINDS[page]).get("look"), "options", ()))


def views_of(page: PageFile) -> list[str]:
    """Return the address of every view of a page."""
    return [f"{page.url}?look={look}" for look in looks_of(page.name)] or [page.url]


VIEWS = [path for page in PAGES for path in views_of(page)]


# --- states ---

awkward = st.sampled_from([0.1 + 0.2, 1e-7, -1e-7, 5e-324, 1 / 3, -0.0, *map(float, BOUNDS)])
entries = st.floats(*BOUNDS) | awkward | st.integers(-9, 9).map(float)
matrix_ids = st.sampled_from(["x", "b_q", "scores", "weights_rows", "weights.1", "terms.0", "entropies_whole"])
places = st.integers(0, 511)


def texts(longest):
    """Return a strategy for texts that fit into a link. They contain markup and characters of many writing systems.

    `longest` limits the length of the texts.
    """
    seen = st.characters(exclude_categories=UNSEEN, exclude_characters=TURNS_TEXT)
    markup = st.sampled_from(
        ["<b>", "**", "$x$", "[a](b)", ":material/home:", "`", "猫", "ह", "👩\u200d👧", "row", " "]
    )
    return st.lists(seen | markup, max_size=longest // 16).map("".join).filter(lambda text: text != EMPTY)


# Texts that both a text area and a link can hold: matrices and nonsense, of several lines.
pasted = st.lists(
    st.sampled_from(["[[1, 2]", "\n", "\t", "0.5;", "−∞", "]", "&=#%+ ", "猫"]) | texts(40), max_size=9
).map("".join)


def steps_of(slider: Slider) -> st.SearchStrategy[float]:
    """Return a strategy for the numbers at which a slider can rest."""
    count = round((slider.high - slider.low) / slider.step)
    return st.integers(0, count).map(lambda n: type(slider.step)(round(slider.low + n * slider.step, 10)))


VALUES: Mapping[type, Callable[[Any], st.SearchStrategy[Any]]] = {
    Choice: lambda control: st.sampled_from([*control.options, *([""] if control.optional else [])]),
    Listed: lambda control: st.sampled_from(list(control.options)),
    Slider: steps_of,
    LiveSlider: steps_of,
    Steps: lambda control: st.sampled_from(control.values),
    Switch: lambda _: st.booleans(),
    CellInput: lambda _: st.none() | st.tuples(matrix_ids, places, places),
    HeadsInput: lambda _: st.integers(0, 512),
    HeadsOffInput: lambda _: st.lists(st.integers(0, 511), unique=True, max_size=9).map(sorted).map(tuple),
    TokenInput: lambda _: st.integers(0, MOST_TOKENS - 1),  # the session checks whether an example has this token
    ColumnInput: lambda _: st.integers(0, MOST_TOKENS - 1),
    WordInput: lambda _: st.integers(-1, MOST_TOKENS - 1),
    Count: lambda _: st.integers(0, MOST_TOKENS - 1),
    HeadInput: lambda _: st.tuples(st.integers(0, N_LAYERS - 1), st.integers(0, N_HEADS - 1)),
    GuessesInput: lambda _: st.dictionaries(
        st.sampled_from(list(questions())), st.sampled_from(["1", "2", SHOWN]), max_size=9
    ).map(in_order),
    ScreenInput: lambda _: st.integers(1, len(names())),
    LineInput: lambda _: st.sampled_from([(e.name, i) for e in EXHIBITS for i in range(len(e.lines) + 1)]),
    TextInput: lambda control: texts(control.longest),
    TextArea: lambda _: pasted,
}


def values_of(control) -> st.SearchStrategy[Any]:
    """Return a strategy for the values that a control may have."""
    assert type(control) in VALUES, f"VALUES in tests/pagesutil.py must say which values a {type(control).__name__} has"
    return VALUES[type(control)](control)


@st.composite
def states(draw, kind):
    """Draw a state of a page whose parameters are of class `kind`: a pair of a workspace and parameters.

    The workspace is the example with its edits.
    """
    workspace = Workspace(name := draw(st.sampled_from(list(EXAMPLES))), draw(edits(name, kind)))
    workspace = workspace.with_layout(draw(st.sampled_from(["rows", "columns"])))
    controls = {name: c for name, c in controls_of(kind).items() if not isinstance(c, MatrixInput)}
    chosen = {name: draw(values_of(control)) for name, control in controls.items()}
    return workspace, with_workspace(kind(**chosen), workspace)


def fit_to_example(state):
    """Return a state in which each parameter fits its example.

    For instance, a token that the example does not have is replaced by a token that it has.
    """
    workspace, parameters = state
    controls = {name: c for name, c in controls_of(type(parameters)).items() if hasattr(c, "fit")}
    fits = {name: c.fit(getattr(parameters, name), example(workspace.example)) for name, c in controls.items()}
    return workspace, replace(parameters, **fits)


@st.composite
def edits(draw, example_name, kind):
    """Draw the visitor's edits of up to four matrices, as a dictionary from the name of a matrix to its rows.

    `example_name` is the example, and `kind` is the class of the page's parameters.
    """
    inputs = matrix_inputs(example_name, kind)
    edited = {}
    for name in draw(st.lists(st.sampled_from(sorted(inputs)), unique=True, max_size=4)) if inputs else ():
        rows = [list(row) for row in original(name, example_name, kind)]
        cells = st.tuples(st.integers(0, len(rows) - 1), st.integers(0, len(rows[0]) - 1), entries)
        for row, column, value in draw(st.lists(cells, min_size=1, max_size=6)):
            rows[row][column] = value
        edited[name] = tuple(map(tuple, rows))
    return {name: rows for name, rows in edited.items() if rows != original(name, example_name, kind)}


def names_of(kind: type[Parameters]) -> list[str]:
    """Return the names of all parameters of a page, including matrices that only this page has."""
    return list(controls_of(kind))

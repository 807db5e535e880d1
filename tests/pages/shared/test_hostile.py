"""Test hostile input: nothing that a visitor types, pastes, links or uploads makes the app fail."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.reading.archives import FileError
from attention_core.reading.files import text_of_file
from attention_core.reading.matrix_text import MOST_CHARACTERS
from hostile import ANY_JSON, checks, held_scenes, held_states, hostile, links, pastes, within_time
from hostile_files import matrix_files
from pages.check_my_matrix import reading
from pages.shared.lecture import course
from pages.shared.share import link_dialog
from pages.shared.state import address, events
from pages.shared.state.link_text import encode
from pages.shared.state.opening import OwnCourse
from pages.shared.task_block import answering
from pagesutil import KINDS
from simulating import go, open_page, visitor_of
from visiting import new_visitor, visiting

# Visitors may enter numbers of any size. NumPy warns if they overflow, but visitors do not see this warning.
pytestmark = [pytest.mark.lowest, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


def open_safely(page, link):
    """Open a page by a link within a time limit, check that it raises nothing, and return the app."""
    with within_time():
        app = open_page(page, **link)
    assert [error.message for error in app.exception] == []
    return app


@hostile
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_no_link_breaks_a_page(page, data):
    open_safely(page, data.draw(links(KINDS[page])))


@pytest.mark.long
@hostile
@given(checks())
def test_no_pasted_problem_and_no_step_breaks_its_page(link):
    open_safely("check_my_matrix", link)


@hostile
@given(pastes)
def test_any_pasted_text_is_read_or_refused(text):
    with within_time():
        found = reading._read_anew(text)
        if isinstance(found, reading.Unreadable):
            assert reading._message_of(found)
            assert reading._marked_line(text, found)


@hostile
@given(matrix_files())
def test_any_file_is_read_or_refused(file):
    with within_time():
        try:
            text = text_of_file(*file)
        except FileError as error:
            assert re.search(r", but .+\. [A-Z]", str(error), re.DOTALL)  # noqa: PT017
        else:
            assert len(text) <= MOST_CHARACTERS


def read_or_refuse(read, format, **held):
    """Return what `read` makes of a file with the content `held`, or None if `read` refuses the file.

    `format` is the name of the format in the file. A refusal must be a sentence that says what to do.
    """
    content = json.dumps({"format": format, "version": 1} | held).encode()
    try:
        return read(content)
    except ValueError as error:
        assert str(error).startswith(("The file’s", "The file must", "A scene of", "The `", "“"))  # noqa: PT017
        str(error).encode()
        return None


@hostile
@given(held_states())
def test_no_file_of_a_state_breaks_a_page(held):
    state = read_or_refuse(link_dialog.read, link_dialog.FORMAT, **held)
    if state is None:
        return
    app = open_page("home")
    with visiting(visitor_of(app)):
        address.open_state(state.page, KINDS[state.page], state.texts)
    app.query_params.clear()
    app.query_params.update(state.query)
    with within_time():
        app = go(app, state.page)
    assert [error.message for error in app.exception] == []


@hostile
@given(st.lists(held_scenes(), min_size=1, max_size=2))
def test_no_file_of_a_course_breaks_a_page(held):
    scenes = read_or_refuse(course.read_file, course.FORMAT, scenes=held)
    for number, own in enumerate(scenes or (), start=1):
        app = open_page("home")
        visitor_of(app).kept[OwnCourse] = OwnCourse(scenes or ())
        app.query_params.update({"scene": str(number), "route": "own", "view": "present"})
        with within_time():
            app = go(app, own.page)
        assert [error.message for error in app.exception] == []


@hostile
@given(ANY_JSON | st.dictionaries(st.sampled_from(["format", "version", "page", "scenes", "state"]), ANY_JSON))
@pytest.mark.parametrize("read", [link_dialog.read, course.read_file])
def test_any_json_is_refused_with_a_sentence(read, held):
    with pytest.raises(ValueError, match=r"^The file"):
        read(json.dumps(held).encode())


EVENTS = st.fixed_dictionaries(
    {"kind": st.sampled_from(["select", "edit", "fill", "ask", "undo", "redo", "reset"]) | ANY_JSON},
    optional={
        "id": st.sampled_from(["x", "w_q", "scores", "weights_task", "nonsense"]) | ANY_JSON,
        "cells": st.lists(st.tuples(st.integers(-1, 9), st.integers(-1, 9), ANY_JSON | st.integers()), max_size=3)
        | ANY_JSON,
        "place": st.tuples(st.sampled_from(["x", "scores.1"]), st.integers(), st.integers()) | ANY_JSON,
        "gesture": ANY_JSON,
        "done": st.booleans() | ANY_JSON,
        "word": st.integers() | ANY_JSON,
    },
)


@hostile
@given(st.sampled_from(sorted(KINDS)), st.lists(EVENTS, max_size=4), st.integers(0, 3) | ANY_JSON)
def test_no_message_of_an_equation_raises(page, happened, generation):
    numbered = [{"sequence": number, **event} for number, event in enumerate(happened, start=1)]
    with visiting(new_visitor(page)) as visitor:
        events.receive("any", {"instance": "a", "generation": generation, "list": numbered}, answering)
        encode(visitor.visit.workspace, visitor.visit.parameters)
        assert all(len(notice) < 400 for notice in visitor.visit.notices)

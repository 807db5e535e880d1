"""The way: the map of the pipeline on every page, with its “you are here” and the visitor's state in its links."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.shared.controls import controls_of
from pages.shared.site.way import STATIONS, here
from pages.shared.state.link import decode
from pagesutil import KINDS
from simulating import X_5, go, opened

MAP = "attention_lab_way"
NAMES = [station.name for station in STATIONS]
ABOUT_ALL_OF_IT = {"home", "cross_attention", "your_sentence", "spot_the_bug", "check_my_matrix"}


def drawn_map(app):
    (drawn,) = [each.proto for each in app.get("bidi_component") if each.proto.component_name == MAP]
    return json.loads(drawn.json)


def station(page, **state):
    """The place of a page on the map, and its name there."""
    parameters: Any = KINDS[page]
    place = here(page, parameters(**state))
    assert place is not None
    return place, NAMES[place]


@pytest.mark.parametrize("page", KINDS)
def test_every_page_has_the_map_and_its_place_on_it(page):
    stations, place = drawn_map(opened(page))
    assert [name for name, _ in stations] == NAMES
    assert (place is None) == (page in ABOUT_ALL_OF_IT)
    assert place is None or STATIONS[place].page == page


def test_the_mark_walks_along_with_the_steps():
    steps = controls_of(KINDS["attention"])["step"].options
    walked = [station("attention", step=step) for step in steps]
    assert walked == sorted(walked)
    assert {name for _, name in walked} == {*NAMES} - {"Positions", "Scale"}


def test_it_stands_where_the_page_looks():
    assert drawn_map(opened("attention", step="4"))[1] == NAMES.index("Scores")
    assert station("multi_head")[1] == "Heads"
    assert station("multi_head", look="attentions")[1] == "Output"


@pytest.mark.parametrize("query", [{}, {"x": X_5}, {"example": "hand", "layout": "columns"}])
def test_each_link_is_read_without_a_complaint_and_takes_the_visitors_state_along(query):
    for (_, address), target in zip(drawn_map(opened("home", **query))[0], STATIONS, strict=True):
        parts = urlsplit(address)
        said = dict(parse_qsl(parts.query))
        _, parameters, notices = decode({name: [text] for name, text in said.items()}, KINDS[parts.path])
        assert (parts.path, notices) == (target.page, [])
        assert query.items() <= said.items() <= (query | target.state).items()
        assert STATIONS.index(target) == here(parts.path, parameters)


def test_a_page_that_was_left_is_linked_as_it_was_left():
    app = opened("positional_encoding", look="rotation")
    assert "positional_encoding?look=rotation" in dict(drawn_map(app)[0]).values()
    assert "positional_encoding?look=rotation" in dict(drawn_map(go(app, "scaling"))[0]).values()

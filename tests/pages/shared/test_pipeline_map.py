"""Test the map of attention's steps on every page, which marks the visitor's place and links to the other pages."""

import json
from typing import Any

import pytest

from pages.shared.controls import controls_of
from pages.shared.frame.pipeline_map import STATIONS, station_at
from pages.shared.state.link_text import decode
from pagesutil import DECLARED, KINDS, USUAL
from simulating import open_page

MAP = "attention_lab_way"
NAMES = [station.name for station in STATIONS]
WITH_A_STATION = {station.page for station in STATIONS}  # the other pages are about all steps together


def map_data(app):
    """Return the data that the browser gets for the map."""
    (drawn,) = [each.proto for each in app.get("bidi_component") if each.proto.component_name == MAP]
    return json.loads(drawn.json)[0]


def station(page, **state):
    """Return the number of a page's station on the map, counted from 0, and the name of the station."""
    parameters: Any = KINDS[page]
    place = station_at(page, parameters(**state))
    assert place is not None
    return place, NAMES[place]


@pytest.mark.parametrize("page", [name for name in USUAL if DECLARED[name].has_map])
def test_every_page_has_the_map_and_its_place_on_it(page):
    drawn = map_data(open_page(page))
    place = drawn["here"]
    assert [name for name, *_ in drawn["stations"]] == NAMES
    assert (place is None) == (page not in WITH_A_STATION)
    assert place is None or STATIONS[place].page == page


def test_the_page_of_all_steps_has_its_steps_alone():
    assert [name for name in USUAL if not DECLARED[name].has_map] == ["attention"]
    app = open_page("attention")
    assert MAP not in [each.proto.component_name for each in app.get("bidi_component")]
    assert not any(link.proto.label.startswith("In the path") for link in app.get("page_link"))


def test_the_mark_walks_along_with_the_steps():
    steps = controls_of(KINDS["attention"])["step"].options
    walked = [station("attention", step=step) for step in steps]
    assert walked == sorted(walked)
    assert {name for _, name in walked} == {*NAMES} - {"Positions", "Scale", "Next word"}


def test_the_map_marks_the_view_of_the_page():
    assert map_data(open_page("multi_head", look="shares"))["here"] == NAMES.index("Output")
    assert station("multi_head")[1] == "Heads"
    assert station("multi_head", look="shares")[1] == "Output"
    assert station("next_word") == (len(NAMES) - 1, "Next word")


def test_each_station_is_a_state_of_its_page():
    for each in STATIONS:
        _, parameters, notices = decode({name: [text] for name, text in each.state.items()}, KINDS[each.page])
        assert notices == []
        assert STATIONS.index(each) == station_at(each.page, parameters)


def test_the_browser_knows_where_each_view_stands():
    places = map_data(open_page("multi_head"))["places"]
    assert (places["name"], places["default"]) == ("look", "number")
    assert {NAMES[place] for place in places["at"].values()} == {"Heads", "Output"}
    assert NAMES[places["at"]["shares"]] == "Output"
    assert map_data(open_page("scaling"))["places"] is None

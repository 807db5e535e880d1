"""Test sharing: a state survives its file and its QR code, and a wrong file is refused with a reason."""

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import segno
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pages.shared.share import link_dialog
from pages.shared.share.link_dialog import LONGEST_LINK, is_local, qr_image, state_texts
from pages.shared.state.link_text import decode, encode, texts_no_link_can_hold
from pages.shared.state.session import Workspace
from pagesutil import KINDS, states
from strategies import law

PAGES = pytest.mark.parametrize("page", KINDS)


def test_what_was_pasted_stays_text():
    kind: Any = KINDS["check_my_matrix"]
    picture = "![x](http://elsewhere/p.png) **bold**"
    assert state_texts(Workspace(), kind(answer=picture))[1:] == ["Your result: “`![x](http://elsewhere/p.…`”"]
    assert len(state_texts(Workspace(), kind(answer="1 " * 2000))) == 1, "what is too long is not in the link"


@pytest.mark.many
@PAGES
@law
@given(st.data())
def test_every_state_survives_its_file(page, data):
    workspace, parameters = data.draw(states(KINDS[page]))
    state = link_dialog.State(page, encode(workspace, parameters), texts_no_link_can_hold(parameters))
    read = link_dialog.read(link_dialog.write(state).encode())
    assert read == state
    query = {name: [text] for name, text in read.query.items()}
    found, there, notices = decode(query, KINDS[page])
    assert (found, replace(there, **read.texts), notices) == (workspace, parameters, [])


def test_a_text_that_is_too_long_for_a_link_survives_in_the_file():
    kind: Any = KINDS["check_my_matrix"]
    long = kind(answer="1 " * 2000)
    state = link_dialog.State("check_my_matrix", encode(Workspace(), long), texts_no_link_can_hold(long))
    read = link_dialog.read(link_dialog.write(state).encode())
    assert "answer" not in read.query
    assert read.texts == {"answer": long.answer}


def text_in_qr_code(link):
    """Return what a camera reads from the QR code of `link`, as a list of texts."""
    pixels = io.BytesIO()
    segno.make_qr(link, error="l").save(pixels, kind="png", scale=4, border=4)
    pixels.seek(0)

    found = zxingcpp.read_barcodes(np.asarray(Image.open(pixels).convert("L")))
    return [code.text for code in found]


@pytest.mark.parametrize("length", [30, 300, LONGEST_LINK])
def test_the_longest_link_has_a_code_that_can_be_read(length):
    link = ("http://127.0.0.1:8501/attention?x=" + "1,-0.25;" * LONGEST_LINK)[:length]
    assert text_in_qr_code(link) == [link]
    assert 'alt="QR code' in qr_image(link)


@pytest.mark.parametrize(
    ("link", "local"),
    [
        ("http://localhost:8501/attention?x=1", True),
        ("http://lab.localhost/", True),
        ("http://127.0.0.1:8501/", True),
        ("http://0.0.0.0:8501/", True),
        ("http://[::1]:8501/", True),
        ("http://192.168.0.7:8501/", False),
        ("https://lab.example/localhost", False),
        ("", False),
    ],
)
def test_a_link_that_means_this_computer_only_is_told_from_others(link, local):
    assert is_local(link) is local


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (("scaled_root", 1, 0), "$S'$ (scaled scores), row 2, column 1"),
        (("weights.1", 0, 2), "$A_{2}$ (attention weights), row 1, column 3"),
        (("w_q", 0, 0), "$W^Q$ (query weights), row 1, column 1"),
        (("output_mistake", 0, 0), "$Z$ (output), row 1, column 1"),
        (("powers_rows", 0, 0), "$P$ (powers), row 1, column 1"),
        (("tally", 0, 0), "`tally`, row 1, column 1"),
    ],
)
def test_the_selected_cell_is_called_as_the_page_calls_it(cell, said):
    assert state_texts(Workspace(), KINDS["attention"](cell=cell))[1:] == [f"the selected cell of {said}"]


def changed_state_file(**changes):
    """Return the bytes of a file with the state of a page, after `changes` replaced some entries of the file."""
    held = {"format": link_dialog.FORMAT, "version": 1, "page": "attention", "state": {}} | changes
    return json.dumps({name: value for name, value in held.items() if value != "left out"}).encode()


@pytest.mark.parametrize(
    ("content", "rule", "got"),
    [
        (b"", "must be JSON", "nothing that can be read"),
        (b"\x89PNG\x00", "must be JSON", "PNG"),
        (b"example=book", "must be JSON", "`example=book`"),
        (b"[" * 100_000, "must be JSON", "`[[["),
        (b"[1]", "`format` must be", "a list"),
        (changed_state_file(format="notebook"), "`format` must be", "`notebook`"),
        (changed_state_file(format="left out"), "`format` must be", "but it is missing"),
        (changed_state_file(version=2), "`version` must be 1", "`2`"),
        (changed_state_file(version=True), "`version` must be 1", "`True`"),
        (changed_state_file(page="settings"), "`page` must be one of home, path, queries_keys_values", "`settings`"),
        (changed_state_file(page=["x"]), "`page` must be one of", "x"),
        (changed_state_file(state="step=5"), "`state` must give each name a text", "`step=5`"),
        (changed_state_file(state={"step": 5}), "`state` must give each name a text", "step"),
        (changed_state_file(state=None), "`state` must give each name a text", "None"),
        (changed_state_file(state={"embed": "true"}), "`state` may hold only what a link of this app holds", "`embed`"),
        (
            changed_state_file(state={"Embed_Options": "x"}),
            "`state` may hold only what a link of this app holds",
            "`Embed_Options`",
        ),
        (changed_state_file(state={"x": "\ud800"}), "must have whole characters", "cut in half"),
        (changed_state_file(state={"\ud800": "1"}), "must have whole characters", "cut in half"),
        (changed_state_file(texts={"answer": "\udfff"}), "must have whole characters", "cut in half"),
        (
            changed_state_file(more=json.loads("[" * 9 + "]" * 9)),
            "may have 8 lists within each other",
            "but it has more",
        ),
        (changed_state_file(texts={"digits": "1" * 5}), "must name text areas of “attention”", "`digits`"),
        (changed_state_file(page="check_my_matrix", texts={"asked": "q"}), "must name text areas", "`asked`"),
        (
            changed_state_file(page="check_my_matrix", texts={"answer": "1" * 200_001}),
            "may have 200,000 characters",
            "200,001",
        ),
        (changed_state_file(state={"x": "1" * 100_001}), "may have 100,000 characters", "but it has more"),
        (changed_state_file(texts={"answer": 5}), "`texts` must give each name a text", "answer"),
        (changed_state_file(texts={"answer": "1" * 1_000_001}), "may have 1,000,000 characters", "but it has more"),
    ],
)
def test_a_wrong_file_is_refused_with_the_rule_and_the_remedy(content, rule, got):
    with pytest.raises(ValueError, match=r"\. (Choose a file|Save it anew)") as error:
        link_dialog.read(content)
    assert rule in str(error.value)
    assert got in str(error.value)


def test_what_a_link_holds_is_said():
    kind = KINDS["attention"]
    x = "1,0,1,0;0,2,0,2;1,5,1,1"
    link = {"example": ["book"], "x": [x], "step": ["5"], "cell": ["weights.0.1"], "layout": ["columns"]}
    workspace, parameters, _ = decode(link, kind)
    assert state_texts(workspace, parameters) == [
        "the example “The book's ten steps”",
        "your numbers in $X$",
        "tokens as columns",
        "the selected cell of $A$ (attention weights), column 1, row 2",
        "Step: 5 Softmax",
    ]


@pytest.mark.many
@PAGES
@law
@given(st.data())
def test_every_state_can_be_said(page, data):
    workspace, parameters = data.draw(states(KINDS[page]))
    said = state_texts(workspace, parameters)
    # A link may name a parameter with the value with which the page opens, because older links do.
    as_opened = {
        name for name in parameters.meant_by_old_links if getattr(parameters, name) == getattr(KINDS[page](), name)
    }
    changed = encode(Workspace(parameters.opens_with), parameters).keys() - {"layout"} - as_opened
    assert len(said) >= 1 + len([name for name in changed if name not in workspace.edits])

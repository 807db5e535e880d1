"""The test of contrast measures every kind of text, behind every kind of layer."""

import pytest

from browser.contrast import faint_texts, texts
from browsing import settle
from pages.shared.notation.palette import ON_PALE

PUT = """
(written) => {
  const box = document.createElement("div")
  box.innerHTML = written
  box.style = "background: white; color: #777"
  document.querySelector('[data-testid="stMain"]').append(box)
}
"""
FAINT = {  # text of #777 on white has a contrast of 4.48
    "words": "<p>words</p>",
    "large": "<p style='color: #959595; font-size: 24px'>large</p>",
    "nearly large": "<p style='color: #949494; font-size: 23px'>nearly large</p>",
    "faded": "<p style='color: black; opacity: 0.5'>faded</p>",
    "within what is faded": "<p style='opacity: 0.5'><b style='color: black'>within what is faded</b></p>",
    "see-through": "<p style='color: color-mix(in srgb, black 50%, transparent)'>see-through</p>",
    "on a veil": "<p style='color: black; background: rgb(0 0 0 / 60%)'>on a veil</p>",
    "beside a shortcut": "<button style='color: #777; background: white'>beside a shortcut</button>",
    "beside a bar": "<svg><g class='role-mark'><text fill='#777'>beside a bar</text></g></svg>",
    "drawn": "<svg style='color: black'><text fill='#777'>drawn</text></svg>",
    "typed": "<input style='color: #777; background: white' value='typed'>",
    "proposed": "<style>.here::placeholder { color: #777 }</style>"
    "<textarea class='here' style='color: black; background: white' placeholder='proposed'></textarea>",
}
READABLE = {
    "dark words": "<p style='color: #767676'>dark words</p>",
    "large words": "<p style='color: #949494; font-size: 24px'>large words</p>",
    "bold words": "<p style='color: #949494; font-size: 19px; font-weight: 700'>bold words</p>",
    "on a thin veil": "<p style='color: black; background: rgb(0 0 0 / 50%)'>on a thin veil</p>",
}
NOT_ASKED = {
    "shortcut": "<button><kbd>shortcut</kbd></button>",
    "on a bar": f"<svg><g class='role-mark'><text fill='{ON_PALE}' opacity='0.2'>on a bar</text></g></svg>",
    "above a handle": "<div data-testid='stSliderThumbValue'>above a handle</div>",
    "disabled": "<button disabled>disabled</button>",
    "hidden": "<p style='visibility: hidden'>hidden</p>",
    "gone": "<p style='display: none'>gone</p>",
    "clear": "<p style='opacity: 0'>clear</p>",
    "for readers": "<p style='position: absolute; font-size: 0.5px; width: 1px; overflow: hidden'>for readers</p>",
}


def test_only_faint_texts_are_found(visit):
    page = visit("/spot_the_bug")
    page.evaluate(PUT, "".join((FAINT | READABLE | NOT_ASKED).values()))
    measured = {text.name.rpartition(": ")[2]: text for text in texts(page)}
    assert {words for words, text in measured.items() if text.is_faint} == set(FAINT)
    assert set(READABLE) <= set(measured)
    assert not set(NOT_ASKED) & set(measured)
    assert measured["dark words"].ratio == pytest.approx(4.54, abs=0.005)
    assert measured["words"].ratio == pytest.approx(4.48, abs=0.005)


def test_matrices_and_charts_are_measured(visit):
    page = visit("/attention?step=1")
    page.locator("figure td.cell").first.evaluate("cell => (cell.style.color = 'color-mix(in srgb, red, transparent)')")
    page.locator(".role-axis-label text").first.evaluate("text => (text.style.fill = 'silver')")
    found = faint_texts(settle(page))
    assert [each.split()[2] for each in found] == ["td", "text"], found

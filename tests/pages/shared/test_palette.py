"""Test the colours: they are defined in one place, head i has one colour everywhere, and all of them are visible."""

import ast
import json
import re
import tomllib
from itertools import chain
from typing import get_args

import pytest

from attention_core.examples import example
from house_rules import check_rule
from pages.shared.equation import engine, model
from pages.shared.equation.matrices import head_matrices
from pages.shared.notation.palette import COLOURS, DASHES, HEADS, INK, ON_PALE, SERIES, TINTS, Colour, colour_code
from pagesutil import KINDS, looks_of
from serving import ROOT
from simulating import open_page

THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
GRAPHICS, WORDS = 3.0, 4.5  # the contrast that WCAG asks for, of graphics and of text
CSS_GRAY = "#808080"  # the colour of a bar's edge, which Streamlit passes to the browser as CSS
PALETTE = ROOT / "pages" / "shared" / "notation" / "palette.py"

VALUE = re.compile(r"(?<![\w&/])#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgb|hsl|hwb|lab|lch|oklch)a?\(", re.I)
STYLED = sorted(path for path in (ROOT / "pages").rglob("*") if path.suffix in {".py", ".css", ".js", ".toml"})
CODE = sorted((ROOT / "pages").rglob("*.py"))


# --- one place ---


def colours_named(text):
    """Return the strings in a piece of code that are only the name of a colour."""
    names = {*get_args(Colour), "grey", "pink", "purple", "black", "white"}
    strings = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return {value for value in strings if isinstance(value, str) and value.lower() in names}


def test_no_file_of_the_pages_has_a_value_of_a_colour():
    found = {path.relative_to(ROOT).as_posix(): VALUE.findall(path.read_text("utf-8")) for path in STYLED}
    check_rule(
        found,
        "No file of the pages has the value of a colour.",
        "take a name from notation/palette.py, or a variable of the theme, such as var(--st-text-color).",
    )


def test_no_code_but_the_palette_names_a_colour():
    found = {path.relative_to(ROOT).as_posix(): colours_named(path.read_text("utf-8")) for path in CODE}
    assert found.pop(PALETTE.relative_to(ROOT).as_posix()) == {*get_args(Colour), "black"}
    assert found.pop("pages/shared/share/link_dialog.py") == {
        "black",
        "white",
    }  # a QR code must be dark on light in both themes
    check_rule(found, "Only the palette names a colour.", "give it a name in notation/palette.py, and take that.")


@pytest.mark.parametrize("breach", ["color: #1f77b4;", "fill='#FFF'", "rgba(0, 0, 0, 0.5)", 'x = "#1b8a6b80"'])
def test_a_colour_value_is_noticed(breach):
    assert VALUE.search(breach)


def test_text_that_is_no_colour_value_passes():
    assert not VALUE.search("issue delzac/cntkx#10, &#123; a # comment, #attention-lab, color-mix(in srgb, gray, x)")
    assert colours_named("chart.mark_line(color='Orange', title='orange juice')") == {"Orange"}


# --- heads ---


def lines_below(style):
    """Return, for each head, the colour and the kind ("solid", …) of the line below its columns in the style sheet."""
    found = re.findall(r"\.block-(\d) \{ border-bottom: 3px (\w+) var\(--st-(\w+)-color\); \}", style)
    return {int(head): (colour, line) for head, line, colour in found}


def test_a_head_has_one_colour_and_one_line():
    below = lines_below(model.style())
    assert [below[head] for head in range(len(HEADS))] == [*map(tuple, HEADS)]


def test_each_tint_is_in_the_style_of_matrices():
    of_theme = r"var\(--st-(\w+)-color\)"
    found = re.findall(rf"\.(\w+) {{ --positive: {of_theme}; --negative: {of_theme}; }}", model.style())
    assert {tint: (above, below) for tint, above, below in found if tint != "equation"} == TINTS


def test_matrices_count_as_many_heads_as_the_palette_has():
    matrix = (ROOT / "pages" / "shared" / "equation" / "matrix.js").read_text("utf-8")
    assert re.findall(r"block-\$\{.*\} ?% (\d+)|block-\$\{[^`]*% (\d+)\}", matrix) == [("", str(len(HEADS)))]
    assert set(lines_below(engine.EQUATION.load)) == set(range(len(HEADS)))


@pytest.mark.parametrize("name", ["hand", "story", "book"])
def test_each_head_has_as_many_columns_as_any_other(name):
    shown = example(name)
    matrices = head_matrices(shown, shown.multi_head())
    found = {id: matrix.blocks for id, matrix in matrices.items() if matrix.blocks}
    assert found == {
        id: matrices[id].values.shape[-1] // shown.n_heads for id in ("q", "k", "v", "w_q", "w_k", "w_v", "concat")
    }


def test_no_two_marks_differ_by_colour_alone():
    assert len(set(HEADS)) == len(HEADS)
    for marks in (SERIES, HEADS[:4], HEADS[4:]):
        assert len({mark.line for mark in marks}) == len({mark.colour for mark in marks}) == len(marks)
    assert len({tuple(dash) for dash in DASHES.values()}) == len(DASHES)


# --- series ---


def colours_and_dashes(layer):
    """Return the colours and the dashes by which a layer of a chart distinguishes its series, as two tuples.

    A layer with a single series returns its one colour and its dash, if it has one. Colours of text do not count.
    """
    encoding, mark = layer.get("encoding", {}), layer["mark"]
    colour, dash = encoding.get("color", {}), encoding.get("strokeDash", {})
    if "scale" in colour:
        return tuple(colour["scale"]["range"]), tuple(map(tuple, dash.get("scale", {}).get("range", ())))
    colours = {colour.get("value")} - {INK, ON_PALE, None}
    return tuple(colours), (tuple(mark["strokeDash"]),) if colours and "strokeDash" in mark else ()


def shared_marks(spec):
    """Return the colours and dashes that two series of a chart share, so that a reader cannot distinguish them."""
    of_layers = {colours_and_dashes(layer) for layer in spec.get("layer") or spec.get("vconcat") or [spec]}
    several = {series for series in of_layers if len(series[0]) > 1}
    single = of_layers - several
    of_single = [{*chain(*marks)} for marks in zip(*single, strict=True)] or [set(), set()]
    return [
        mark
        for series in several
        for marks, others in zip(series, of_single, strict=True)
        for mark in sorted({mark for mark in marks if marks.count(mark) > 1 or mark in others})
    ]


@pytest.mark.parametrize("page", KINDS)
def test_no_series_of_a_chart_looks_like_one_of_its_legend(page):
    for look in looks_of(page):
        charts = [json.loads(chart.proto.spec) for chart in open_page(page, look=look).get("vega_lite_chart")]
        assert [shared_marks(chart) for chart in charts] == [[]] * len(charts), look


def test_series_that_are_alike_are_noticed():
    both = {"color": {"scale": {"range": ["blue", "green"]}}, "strokeDash": {"scale": {"range": [[1, 0], [2, 4]]}}}
    lines = {"mark": {"type": "line"}, "encoding": both}
    for colour, dash, common in (("red", [9], []), ("green", [9], ["green"]), ("red", [2, 4], [(2, 4)])):
        one = {"mark": {"type": "line", "strokeDash": dash}, "encoding": {"color": {"value": colour}}}
        assert shared_marks({"layer": [lines, one]}) == common
    same = {"mark": {"type": "line"}, "encoding": {"color": {"scale": {"range": ["blue", "blue"]}}}}
    assert shared_marks(same) == ["blue"]


# --- light and dark ---


def contrast(one, other):
    """Return the contrast ratio of two colours from 1 to 21, as WCAG 2.2 defines it."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(value):
    """Return the relative luminance of a colour such as "#1f77b4", as WCAG 2.2 defines it."""
    parts = [byte / 255 for byte in bytes.fromhex(value[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_contrast_by_hand():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_shows_on_the_background(theme):
    background = THEME[theme]["backgroundColor"]
    values = {colour: THEME[theme][f"{colour}Color"] for colour in get_args(Colour)}
    assert {colour: colour_code(colour, theme) for colour in values} == values
    assert all(contrast(value, background) >= GRAPHICS for value in values.values())
    assert contrast(values[INK], background) >= WORDS
    assert len({values[colour] for colour in COLOURS}) == len(COLOURS)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
@pytest.mark.parametrize("words", ["textColor", "linkColor", "grayTextColor", "primaryColor"])
def test_all_words_can_be_read(theme, ground, words):
    assert contrast(THEME[theme][words], THEME[theme][ground]) >= WORDS


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_shares_have_an_edge_that_shows_and_words_that_can_be_read(theme):
    assert ON_PALE == "black"
    for pale in THEME[theme]["chartCategoricalColors"]:
        assert contrast("#000000", pale) >= WORDS
    assert INK == "gray"
    assert contrast(CSS_GRAY, THEME[theme]["backgroundColor"]) >= GRAPHICS

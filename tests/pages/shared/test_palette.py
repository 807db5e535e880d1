"""Test the colours: they are defined in one place, each has one meaning, and all are visible and told apart."""

import ast
import json
import re
import tomllib
from itertools import combinations
from typing import get_args

import numpy as np
import pytest

from attention_core.examples import example
from house_rules import check_rule
from pages.shared.charts import of_weights
from pages.shared.equation import engine, model
from pages.shared.equation.matrices import head_matrices
from pages.shared.notation.palette import (
    ACCENT,
    DASHES,
    HEADS,
    HUES,
    INK,
    SERIES,
    TINTS,
    WRONG,
    Colour,
    colour_code,
    css,
    css_of_tint,
    tint_code,
)
from pages.shared.notation.records import SYMBOLS
from pagesutil import KINDS, looks_of
from serving import ROOT
from simulating import open_page

THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
GRAPHICS, WORDS = 3.0, 4.5  # the contrast that WCAG asks for, of graphics and of text
STYLE = ROOT / "pages" / "shared" / "equation" / "equation.css"
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
    assert found.pop(PALETTE.relative_to(ROOT).as_posix()) == {*get_args(Colour)}
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


# --- meanings ---


def test_each_matrix_of_queries_keys_values_and_weights_has_its_hue():
    families = {"query": "Qq", "key": "Kk", "value": "Vv", "weight": "Aa"}
    letter = {name: re.sub(r"^d?[Wb]\^|^d", "", record.symbol).strip("{}+'") for name, record in SYMBOLS.items()}
    found = {
        name: next((hue for hue, of in families.items() if each in tuple(of)), None) for name, each in letter.items()
    }
    assert {name: record.hue for name, record in SYMBOLS.items()} == found


def test_nothing_else_has_a_hue():
    others = {ACCENT, INK, WRONG, *(mark.colour for mark in SERIES)}
    assert not others & {*HUES.values()}
    assert len({*HUES.values()}) == len(HUES)


def test_the_style_of_matrices_has_each_tint_and_each_hue():
    style = model.style()
    for tint, (above, below) in TINTS.items():
        assert f".{tint} {{ --positive: {css_of_tint(above)}; --negative: {css_of_tint(below)}; }}" in style
    for hue, colour in HUES.items():
        assert f".of-{hue} {{ --hue: {css(colour)}; }}" in style


def test_heads_are_told_by_lines_alone():
    found = re.findall(r"\.block-(\d) \{ --edge: (\d)px (\w+) var\(--st-(\w+)-color\); \}", model.style())
    assert [(line, int(width)) for _, width, line, _ in found] == [*HEADS]
    assert len({*HEADS}) == len(HEADS)
    assert {colour for *_, colour in found} == {INK}


def test_matrices_count_as_many_heads_as_the_palette_has():
    matrix = (ROOT / "pages" / "shared" / "equation" / "matrix.js").read_text("utf-8")
    assert re.findall(r"block-\$\{.*\} ?% (\d+)|block-\$\{[^`]*% (\d+)\}", matrix) == [("", str(len(HEADS)))]
    assert len(re.findall(r"\.block-\d ", engine.EQUATION.load)) == len(HEADS)


@pytest.mark.parametrize("name", ["hand", "story", "book"])
def test_each_head_has_as_many_columns_as_any_other(name):
    shown = example(name)
    matrices = head_matrices(shown, shown.multi_head())
    found = {id: matrix.blocks for id, matrix in matrices.items() if matrix.blocks}
    assert found == {
        id: matrices[id].values.shape[-1] // shown.n_heads for id in ("q", "k", "v", "w_q", "w_k", "w_v", "concat")
    }


def test_no_two_marks_differ_by_colour_alone():
    assert len({mark.line for mark in SERIES}) == len(SERIES)
    assert len({tuple(dash) for dash in DASHES.values()}) == len(DASHES)


# --- series ---


def layers_of(spec):
    return spec.get("layer") or [spec]


def series_of(layer):
    """Return the look of each series of a layer: its colour and its dashes, or none if the layer has one series."""
    encoding = layer.get("encoding", {})
    colours, dashes = (encoding.get(name, {}).get("scale", {}).get("range", []) for name in ("color", "strokeDash"))
    return [*zip(colours, map(tuple, dashes), strict=False)] if dashes else []


def legends_of(spec):
    """Return the channels of a chart that have a legend beside the chart. Bars in groups have a key above them."""
    return [
        channel
        for layer in layers_of(spec)
        for channel, encoding in layer.get("encoding", {}).items()
        if channel in ("color", "strokeDash", "shape", "size", "fillOpacity", "opacity")
        and "field" in encoding
        and (legend := encoding.get("legend", {})) is not None
        and legend.get("orient") != "top"
    ]


def charts_of(page, look):
    return [json.loads(chart.proto.spec) for chart in open_page(page, look=look).get("vega_lite_chart")]


@pytest.mark.parametrize("page", KINDS)
def test_charts_name_their_series_beside_them(page):
    for look in looks_of(page):
        for chart in charts_of(page, look):
            assert legends_of(chart) == [], look
            for series in map(series_of, layers_of(chart)):
                assert len({dash for _, dash in series}) == len(series), look


def names_beside(spec):
    """Return the column of data that each layer with names beside lines writes."""
    return [layer["encoding"]["text"]["field"] for layer in layers_of(spec) if "text" in layer["encoding"]]


def test_panels_over_one_axis_leave_the_same_room_for_names():
    charts = [chart for look in looks_of("induction_head") for chart in charts_of("induction_head", look)]
    panels = [chart for chart in charts if layers_of(chart)[0]["encoding"]["x"]["field"] == "step"]
    assert [names_beside(chart) for chart in panels] == [["name"], ["name"]]


def test_a_legend_and_series_that_are_alike_are_noticed():
    by_name = {"field": "name", "scale": {"range": ["blue", "green"]}}
    alike = {"field": "name", "legend": None, "scale": {"range": [[1, 0], [1, 0]]}}
    chart = {"mark": "line", "encoding": {"color": by_name, "strokeDash": alike}}
    assert legends_of(chart) == ["color"]
    assert [dash for _, dash in series_of(chart)] == [(1, 0), (1, 0)]


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


THEMES = pytest.mark.parametrize("theme", ["light", "dark"])
GROUNDS = pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])


@THEMES
@GROUNDS
def test_every_colour_shows_on_the_background(theme, ground):
    values = {colour: THEME[theme][f"{colour}Color"] for colour in get_args(Colour)}
    assert {colour: colour_code(colour, theme) for colour in values} == values
    assert all(contrast(value, THEME[theme][ground]) >= GRAPHICS for value in values.values())


@THEMES
@GROUNDS
@pytest.mark.parametrize("colour", [*HUES.values(), ACCENT, INK, WRONG])
def test_words_in_a_colour_can_be_read(theme, ground, colour):
    assert contrast(colour_code(colour, theme), THEME[theme][ground]) >= WORDS


@THEMES
@pytest.mark.parametrize("colour", ["blue", "yellow", "green"])  # of information, of a warning, of a success
def test_a_notice_has_no_hue(theme, colour):
    words, ground = THEME[theme][f"{colour}TextColor"], THEME[theme][f"{colour}BackgroundColor"]
    assert (words, ground) == (THEME[theme]["textColor"], THEME[theme]["secondaryBackgroundColor"])


# What each kind of eye makes of linear red, green and blue (Machado, Oliveira and Fernandes 2009, severity 1).
EYES = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
APART = 0.09  # in Oklab, where two colours side by side can just be told apart at about 0.02


def in_oklab(value, eye):
    """Return a colour such as "#1f77b4", as an eye sees it, in the space Oklab (Ottosson 2020)."""
    parts = np.frombuffer(bytes.fromhex(value[1:]), dtype=np.uint8) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    opponents = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return opponents @ np.cbrt(cones @ np.clip(EYES[eye] @ linear, 0, 1))


def distance(one, other, eye):
    return float(np.linalg.norm(in_oklab(one, eye) - in_oklab(other, eye)))


def test_distances_by_hand():
    assert in_oklab("#ffffff", "usual") == pytest.approx([1, 0, 0], abs=1e-3)
    assert in_oklab("#ff0000", "usual") == pytest.approx([0.62796, 0.22486, 0.12585], abs=1e-3)
    red, green = "#c03030", "#708018"
    assert distance(red, green, "deuteranopia") < APART < distance(red, green, "usual")


@THEMES
@pytest.mark.parametrize("eye", EYES)
def test_the_hues_are_told_apart_by_every_eye(theme, eye):
    hues = [colour_code(colour, theme) for colour in HUES.values()]
    assert min(distance(*pair, eye) for pair in combinations(hues, 2)) >= APART


@THEMES
def test_the_hues_are_no_sign(theme):
    signs = [colour_code(WRONG, theme), THEME[theme]["primaryColor"], THEME[theme]["textColor"]]
    hues = [colour_code(colour, theme) for colour in HUES.values()]
    assert min(distance(hue, sign, "usual") for hue in hues for sign in signs) >= APART


@THEMES
@pytest.mark.parametrize("eye", EYES)
def test_numbers_above_and_below_0_have_tints_that_are_told_apart(theme, eye):
    above, below = (f"#{tint_code(tint, theme).hex()}" for tint in TINTS["signed"])
    assert distance(above, below, eye) >= 0.05
    for hue in HUES.values():  # a tint of numbers is paler than any hue
        assert max(map(chroma, (above, below))) < chroma(colour_code(hue, theme))


def chroma(value):
    return float(np.hypot(*in_oklab(value, "usual")[1:]))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
@pytest.mark.parametrize("words", ["textColor", "linkColor", "grayTextColor", "primaryColor"])
def test_all_words_can_be_read(theme, ground, words):
    assert contrast(THEME[theme][words], THEME[theme][ground]) >= WORDS


def mixed(colour, part, ground):
    """Return a colour that covers a ground to a part."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(ground[1:]), strict=True)
    return "#" + bytes(round(part * a + (1 - part) * b) for a, b in pairs).hex()


@THEMES
def test_names_on_shares_can_be_read(theme):
    ground = mixed(colour_code(HUES["weight"], theme), of_weights.FILLED, THEME[theme]["backgroundColor"])
    assert contrast(colour_code(INK, theme), ground) >= WORDS


@THEMES
@pytest.mark.parametrize("tint", [tint for pair in TINTS.values() for tint in pair])
def test_numbers_on_the_full_tint_can_be_read(theme, tint):
    (most,) = re.findall(r"var\(--most, (\d+)%\)", STYLE.read_text("utf-8"))
    ground = mixed(f"#{tint_code(tint, theme).hex()}", int(most) / 100, THEME[theme]["backgroundColor"])
    assert contrast(THEME[theme]["textColor"], ground) >= WORDS

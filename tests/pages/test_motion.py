"""Test that nothing on a page moves by itself for visitors who asked their browser for less motion."""

import re

import pytest

from house_rules import check_rule
from serving import ROOT

STYLES = sorted((ROOT / "pages").rglob("*.css"))
SCRIPTS = sorted((ROOT / "pages").rglob("*.js"))
WHERE_WANTED = re.compile(
    r"@media \(prefers-reduced-motion: no-preference\) \{(?:[^{}]*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*\s*\}"
)
MOVES = re.compile(r"(?:transition|animation)[\w-]*: (?!none)[^;}]*|scroll-behavior: smooth")
MOVES_IN_CODE = re.compile(r"\.animate\(|behavior: \"smooth\"|\.style\.(?:transition|animation)")


def moving_rules(style):
    """Return the parts of a style sheet that move something even if a visitor asked for less motion."""
    return MOVES.findall(WHERE_WANTED.sub("", style))


def test_styles_and_scripts_move_only_what_may_move():
    found = {path.name: moving_rules(path.read_text("utf-8")) for path in STYLES}
    found |= {path.name: MOVES_IN_CODE.findall(path.read_text("utf-8")) for path in SCRIPTS}
    check_rule(
        found,
        "Nothing moves for a visitor who asked for reduced motion.",
        "put the style inside `@media (prefers-reduced-motion: no-preference)`.",
    )


WANTED = "@media (prefers-reduced-motion: no-preference)"


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("p { transition: width 0.3s; }", ["transition: width 0.3s"]),
        ("p { transition: none !important; }", []),
        (f"{WANTED} {{ p {{ transition: width 0.3s; }} }}", []),
        (f"{WANTED} {{ p {{ animation: a 1s; }} @keyframes a {{ from {{ top: 0; }} }} }}", []),
        (f"{WANTED} {{ p {{ top: 0; }} }} p {{ animation: a 1s; }}", ["animation: a 1s"]),
    ],
)
def test_a_motion_is_noticed(style, found):
    assert moving_rules(style) == found

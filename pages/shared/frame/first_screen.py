"""What is sure of the first screen of a page before Streamlit has loaded: menu, question, tools and map.

It stands until the page is whole, and then is replaced by the page at once (`first_screen.js`).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit

from attention_core.examples import example
from pages.shared.equation import engine
from pages.shared.frame import pipeline_map
from pages.shared.frame.errors import TEXTS
from pages.shared.frame.rehearsal import Part
from pages.shared.lecture.picker import TEXTS as LECTURE
from pages.shared.notation.prose import typeset
from pages.shared.panel import PANEL
from pages.shared.site.page import HOME, Page, catalogue, page_named
from pages.shared.words import WORDS

_HERE = Path(__file__).parent
_CONFIGURATION = Path(__file__).parents[3] / ".streamlit" / "config.toml"
FORMULAS = "../node_modules/rehype-katex/index.js"  # its name in the list of Streamlit's files
KINDS = {"equation": engine.EQUATION, "words": WORDS, "panel": PANEL}
_IN_THE_PATH = TEXTS.fill("in_the_path")
_NAMED = (TEXTS.fill("share"), LECTURE.fill("scenes"))
_ARROW = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7.41 8.59L12 13.17l4.59-4.58L18 10l-6 6-6-6z"/></svg>'


def page_at(last: str) -> str:
    """Return the name of the page at an address with this last part, or "" if there is none."""
    return last if any(page.name == last for page in catalogue()) else HOME if last == "" else ""


def html_of(name: str, beginning: Sequence[Part], *, has_state: bool, alone: bool) -> str:
    """Return the first screen of a page as HTML. It is empty if the address shows the page `alone`, without a menu."""
    known = ""
    if name and not alone:
        page = page_named(name)
        known = _menu(page) + f'<main class="{name}">{_top(page, has_state=has_state)}{_parts(beginning)}</main>'
    return f'<style>{_style()}</style><div id="lab-first">{known}</div>'


def _variables(colours: Mapping[str, Any]) -> str:
    """Return the variables that Streamlit gives to components, such as `--st-text-color` for `textColor`."""
    named = {re.sub("([A-Z])", r"-\1", name).lower(): value for name, value in colours.items()}
    return "".join(f"--st-{name}:{value};" for name, value in named.items() if isinstance(value, str))


@cache
def _style() -> str:
    theme = tomllib.loads(_CONFIGURATION.read_text("utf-8"))["theme"]
    light, dark = (_variables(theme[look]) for look in ("light", "dark"))
    own = (_HERE / "first_screen.css").read_text("utf-8")
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}\n{own}"


def _menu(page: Page) -> str:
    entries = {}
    for each in catalogue():
        entries.setdefault(each.group or each.name, each)
    return f"<nav>{''.join(_entry(each, page) for each in entries.values())}</nav>"


def _entry(first: Page, page: Page) -> str:
    here = ' class="here"' if (first.group or first.name) == (page.group or page.name) else ""
    if first.group:
        return f"<button{here} {_live('[data-testid=stTopNavSection]', first.group)}>{first.group}{_ARROW}</button>"
    name, address = escape(first.in_menu), "" if first.name == HOME else first.name
    return f'<a{here} href="./{address}" data-name="{name}">{name}</a>'


def _live(selector: str, text: str) -> str:
    """Return the attribute that says where a press goes once the page is whole."""
    return f'data-live="{escape(json.dumps([selector, text]))}"'


def _top(page: Page, *, has_state: bool) -> str:
    question = "" if page.asks and has_state else _question(page)
    if page.onward:
        return f'<h1 class="alone">{question}</h1>'
    head = f'<div class="head"><h1>{question}</h1><div class="bar">{_tools(page, has_state=has_state)}</div></div>'
    return head + (_map(page, has_state=has_state) if page.has_map else "")


def _parts(beginning: Sequence[Part]) -> str:
    if not beginning:
        return ""
    drawn = "".join(_part(part) for part in beginning)
    return f'<div class="parts" data-katex="{_formulas()}">{drawn}</div>'


def _part(part: Part) -> str:
    if part.kind not in KINDS:
        return f'<div class="{part.kind}">{part.content}</div>' if part.kind == "row" else part.content
    data = part.content.replace("<", "\\u003c")
    return (
        f'<div data-kind="{part.kind}" data-symbol="{KINDS[part.kind].symbol}">'
        f'<script type="application/json">{data}</script></div>'
    )


@cache
def _formulas() -> str:
    """Return the address of the code that Streamlit's page sets formulas with."""
    manifest = json.loads((Path(streamlit.__file__).parent / "static" / "manifest.json").read_text("utf-8"))
    return f"./{manifest[FORMULAS]['file']}"


def _question(page: Page) -> str:
    """Return the question of a page that is opened without a state. Formulas are simple: a letter with an index."""
    asked = page.asks(page.parameters(), example(page.parameters.opens_with)) if page.asks else page.question
    return re.sub(r"\$(\w)_(\w)\$", r"<i>\1<sub>\2</sub></i>", escape(typeset(asked), quote=False))


def _tools(page: Page, *, has_state: bool) -> str:
    shown = "" if has_state else escape(example(page.parameters.opens_with).title)
    chooser = "" if page.makes_example else f'<span class="chooser">{shown}{_ARROW}</span>'
    share, scenes = (
        f"<button {_live('.st-key-bar button', text)}><b></b><span>{text}</span></button>" for text in _NAMED
    )
    more = TEXTS.fill("more")
    return f"{chooser}{share}{scenes}<button {_live('.st-key-bar button', more)}>{more}{_ARROW}</button>"


def _map(page: Page, *, has_state: bool) -> str:
    drawn = pipeline_map.map_of(page.name, page.parameters())
    here = None if has_state and drawn["places"] else drawn["here"]
    stations = "".join(
        f"<li><a{' aria-current=step' if i == here else ''}>{escape(name)}</a></li>"
        for i, (name, _, _) in enumerate(drawn["stations"])
    )
    screen = f'<a class="screen"><span>{_IN_THE_PATH} </span>{drawn["screen"][0]}</a>' if drawn["screen"] else ""
    style = f"<style>{pipeline_map.STYLE}</style>"
    way = f'<div class="way"><ol>{stations}</ol>{screen}</div>'
    return f'<div class="map"><template shadowrootmode="open">{style}{way}</template></div>'

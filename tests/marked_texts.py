"""Draw pages whose texts are marked: `python tests/marked_texts.py PAGE …` prints all that they show, in every state.

It runs in its own process, because every `texts.md` must be marked before the modules of the app read it. What comes
from such a file then stands in brackets, ⟦like this⟧. Values in braces do not: they come from elsewhere.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# What begins a line of a texts.md and is no text: the sign of a point or of help, and the key of an option.
_BEGINNING = re.compile(r"(- (?:[\w.+-]+: )?|> )?(.*)")
_VALUE = re.compile(r"(?<!\{)(\{[^{}]+\})(?!\})")
_NO_TEXT = ("id", "form_id", "element_hash", "url", "icon", "key", "class", "js_content", "css_content")
_NO_TEXT += ("labelExpr", "filter", "calculate")  # expressions of charts
_TYPED = {f"{field}.{part}" for field in ("TextInput", "TextArea") for part in ("default", "value")}  # by a visitor
_SHOWN_CODE = re.compile(r"<pre class=\"lines\">.*?</pre>|<style>.*?</style>|<script.*?</script>", re.DOTALL)


def marked(source: str) -> str:
    """Return the source of a `texts.md` in which each text is marked, but no heading, no key and no value in braces.

    >>> marked("# axis\\n- rows: Each {row} of 2")
    '# axis\\n- rows: ⟦Each ⟧{row}⟦ of 2⟧'
    """
    return "\n".join(line if line.startswith("# ") else _marked_line(line) for line in source.split("\n"))


def _marked_line(line: str) -> str:
    found = _BEGINNING.fullmatch(line)
    beginning, text = found.groups() if found else ("", line)
    pieces = _VALUE.split(text)
    pieces[::2] = [piece and f"⟦{piece}⟧" for piece in pieces[::2]]
    return "".join([beginning or "", *pieces])


def texts_on(app: Any) -> Iterator[str]:
    """Yield all strings that a simulated page sends to the browser, except shown code and what a visitor has typed."""
    for element in _elements(app._tree):
        if type(element).__name__ != "Code" and getattr(element, "proto", None) is not None:
            yield from _strings_of(element.proto)


def _elements(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", {}).values():
        yield child
        yield from _elements(child)


def _strings_of(value: Any) -> Iterator[str]:
    """Yield the strings in a message of Streamlit. A string that is JSON may hold further strings."""
    if isinstance(value, str):
        yield from _strings_in_json(json.loads(value)) if value[:1] in ("{", "[") and _is_json(value) else [value]
    elif hasattr(value, "ListFields"):
        for field, each in value.ListFields():
            if field.name not in _NO_TEXT and field.full_name not in _TYPED:
                yield from _strings_of(each)
    elif not isinstance(value, bytes | int | float):
        for each in value.values() if hasattr(value, "values") else value:
            yield from _strings_of(each)


def _strings_in_json(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for key, each in value.items() if key not in _NO_TEXT for text in _strings_in_json(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in _strings_in_json(each))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def all_texts(page: str) -> set[str]:
    """Return all strings that a page shows in its views, steps, tasks and mistakes, and in its dialogs."""
    from boards import links_of
    from simulating import open_page

    links = [*links_of(page), {"example": "french"}, {"view": "present", "scene": "1"}]
    apps = [open_page(page, **link) for link in links]
    labels = ("Share", "Take home", "Symbols", "How to use this")
    apps += [button.click().run() for label in labels for button in open_page(page).button if button.label == label]
    return {_SHOWN_CODE.sub("", text) for app in apps for text in texts_on(app)}


def main(*names: str) -> None:
    """Print the texts of pages as JSON, by the name of the page."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    import pages.shared  # noqa: F401  # before NumPy
    from pages.shared.notation import sections

    read = sections.source_of
    sections.source_of = lambda path: marked(read(path))
    print(json.dumps({page: sorted(all_texts(page)) for page in names}))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Whether two checkouts say the same: record what their pages say in many states, and compare two recordings.

`record` simulates the pages, and `browse` opens them in Chromium. Both use only what stays when files move: the names
of the pages, `app.py`, and a file with links. A link is a page's name and its query, as `scaling?look=draws`. After a
`#` stands the label of a button to press or of an expander to open, as `scaling#Symbols`.
"""

import gzip
import hashlib
import json
import os
import random
import re
import secrets
import sys
import time
import zipfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import parse_qs

from browsing import NEXT_FRAME, launch, new_tab, settle
from serving import serve

WIDTHS = (1280, 390)
# Fields of an element that say nothing to a visitor. Errors are recorded without their places in files.
UNSAID = {"id", "form_id", "page_script_hash", "url", "js_content", "js_source_path", "css_content", "css_source_path",
          "set_value", "raw_value", "raw_values", "stack_trace"}  # fmt: skip
LAYOUT = {"flex_container", "vertical", "horizontal", "column", "container", "main", "sidebar", "event", "root"}
LONGEST_DATA = 2000  # longer texts without a space, such as pictures, are recorded as a number that stands for them
BOXES = " boxes"  # after the link of a state, for the boxes of its texts
STILL = 2  # a box that has moved by more pixels than this is reported
LONGEST, BESIDE = 300, 30  # the most characters of a text that are printed, and of them those beside a change
CONTENT_HEIGHT = """document.querySelector('[data-testid="stMain"]').scrollHeight"""

# Each visible text, button, cell and heading with its box. A formula is one text.
SHOWN = r"""
() => {
  const found = []
  const textOf = ({ childNodes }) => [...childNodes].map((node) => (node instanceof Text ? node.data : " ")).join("")
  const visit = (each) => {
    if (each.matches("style, script") || getComputedStyle(each).display === "none") return
    const formula = each.matches(".katex")
    const text = (formula ? each.querySelector("annotation")?.textContent : textOf(each))?.replace(/\s+/g, " ").trim()
    const { x, y, width, height } = each.getBoundingClientRect()
    if (text || each.matches("button, td, th, h1, h2, h3, h4, input, textarea, canvas, figure"))
      found.push([`${each.tagName.toLowerCase()}: ${text}`, [x, y, width, height].map(Math.round)])
    if (!formula) for (const child of [...(each.shadowRoot?.children ?? []), ...each.children]) visit(child)
  }
  for (const part of document.querySelectorAll('[data-testid="stHeader"], [data-testid="stMain"]')) visit(part)
  return found
}
"""

Recording = dict[str, list[str]]  # the texts of each state by its link; in a browser, also their boxes
Found = dict[tuple[str, str], list[str]]  # the links at which a text differs, by the old and the new text


def simulated(folder: Path, links: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each link with the texts that the app in a checkout then shows. One process can simulate one checkout."""
    os.chdir(folder)
    os.environ["ATTENTION_LAB_ROOMS"] = mkdtemp()
    sys.path.insert(0, str(folder))
    import app  # isort: skip  # before Streamlit, which then has the checkout's settings
    import streamlit.components.v2 as components
    from streamlit.components.v2.component_manager import BidiComponentManager
    from streamlit.runtime.media_file_manager import MediaFileManager
    from streamlit.testing.v1 import AppTest, local_script_runner
    from streamlit.util import calc_hash

    manager, files, sleep = BidiComponentManager(), dict[str, Callable[[], str | bytes]](), time.sleep
    components.__dict__["get_bidi_component_manager"] = lambda: manager  # see tests/simulating.py
    secrets.choice, secrets.token_hex = random.choice, lambda nbytes=None: random.randbytes(nbytes or 32).hex()
    local_script_runner.require_widgets_deltas = lambda runner, timeout: (
        runner.join()
    )  # rather than look again and again
    time.sleep = lambda seconds, /: sleep(min(float(seconds), 0.002))  # nothing has to reach a browser

    def keep(_: Any, make: Any, mimetype: Any, coordinates: str, file_name: str = "", **__: Any) -> str:
        files[file_name] = make
        return file_name

    MediaFileManager.add_deferred = keep  # type: ignore[method-assign]
    for link in links:
        files.clear()
        random.seed(link)
        address, _, label = link.partition("#")
        page, _, query = address.partition("?")
        test = AppTest.from_file(str(app.SCRIPT), default_timeout=120)
        test._bidi_component_manager = manager
        test.query_params.update({name: values[-1] for name, values in parse_qs(query, True).items()})
        test._page_hash = calc_hash(page)
        test.run()
        absent = [f"nothing to press is called {label}"] if label and not press(test, label) else []
        made = [line for name, make in files.items() for line in texts_of_file(name, make())]
        yield link, [*absent, *said(test._tree), *made]


def press(test: Any, label: str) -> bool:
    """Press the first button with this label, or open the expander. Return False if the page has neither to press."""
    for node in test._tree:
        proto: Any = getattr(node, "proto", None)
        if getattr(proto, "label", "") != label or getattr(proto, "disabled", False):
            continue
        if node.type == "button":
            node.click()
        elif node.type == "expander" and proto.id:
            test.session_state[proto.id.split("-", 2)[2]] = True  # an id is $$ID-…-KEY
        else:
            continue
        test.run()
        return True
    return False


def said(node: Any) -> Iterator[str]:
    """Yield what an element or block of a page says, and what the elements in it say, line by line."""
    from google.protobuf.json_format import MessageToDict

    proto = getattr(node, "proto", None)
    if proto is not None and node.type not in LAYOUT:
        yield f"— {getattr(proto, 'component_name', '') or node.type}"
        fields = MessageToDict(proto, preserving_proto_field_name=True)
        yield from lines_of({name: value for name, value in fields.items() if name not in UNSAID}, "")
    for child in getattr(node, "children", {}).values():
        yield from said(child)


def lines_of(value: Any, name: str) -> Iterator[str]:
    """Yield the texts and numbers in a value of JSON, each with its name. JSON in a text is opened."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, dict):
        for key in sorted(value):
            yield from lines_of(value[key], f"{name}.{key}".strip("."))
    elif isinstance(value, list) and any(isinstance(each, dict | str) for each in value):
        for each in value:
            yield from lines_of(each, name)
    elif isinstance(value, str):
        yield from (f"{name}: {line}" for line in short(value).split("\n"))
    else:
        yield f"{name}: {json.dumps(rounded(value), ensure_ascii=False)}"


def short(text: str) -> str:
    """Return a text. Of a style sheet, return only what it writes on the page, and of data a number for it."""
    if text.startswith("<style"):
        return "\n".join(re.findall(r'content: "[^"]*"', text))
    is_data = len(text) > LONGEST_DATA and " " not in text
    return f"data {hashlib.sha256(text.encode()).hexdigest()[:16]}" if is_data else text


def rounded(value: Any) -> Any:
    """Return a value whose numbers have nine digits, because the order of a sum may change the last ones."""
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def texts_of_file(name: str, content: str | bytes) -> Iterator[str]:
    """Yield the lines of a file that the page offers, or of all files in it."""
    if isinstance(content, bytes) and content.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(content)) as archive:
            for inner in archive.namelist():
                yield from texts_of_file(f"{name}/{inner}", archive.read(inner))
        return
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    yield from (f"{name}: {short(line)}" for line in text.splitlines())


def browsed(folder: Path, names: Sequence[str], pictures: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of each page in each width in Chromium, then their boxes, and save a picture of the page."""
    with launch() as browser, serve(folder / "app.py") as server:
        if browser is None:
            raise SystemExit("no Chromium or Chrome on this machine")
        for name in names:
            for width in WIDTHS:
                page = new_tab(browser, server.url, width=width, height=900, reduced_motion=True)
                page.goto("/" if name == "home" else f"/{name}")
                page.evaluate("document.fonts.ready.then(() => null)")
                settle(page, quiet=400)
                page.set_viewport_size({"width": width, "height": page.evaluate(CONTENT_HEIGHT)})
                page.evaluate(NEXT_FRAME)
                settle(page, quiet=400)
                page.screenshot(path=pictures / f"{name}-{width}.png", animations="disabled")
                shown = page.evaluate(SHOWN)
                yield f"{name} {width}", [text for text, _ in shown]
                yield f"{name} {width}{BOXES}", [json.dumps(box) for _, box in shown]
                page.context.close()


def save(recording: Iterable[tuple[str, Iterable[str]]], path: Path) -> None:
    """Write a recording into a file. Each text is stored once."""
    places = dict[str, int]()
    states = {link: [places.setdefault(text, len(places)) for text in texts] for link, texts in recording}
    with gzip.open(path, "wt", 4, "utf-8") as file:
        json.dump([[*places], states], file)


def load(path: Path) -> Recording:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts, states = json.load(file)
    return {link: [texts[place] for place in places] for link, places in states.items()}


def differences(old: Recording, new: Recording) -> tuple[Found, Found]:
    """Return the texts that differ, and the boxes that have moved or grown, at the links of both recordings."""
    texts, boxes = Found(), Found()
    for link in [link for link in old if link in new and not link.endswith(BOXES)]:
        before, after = old[link], new[link]
        was, now = ([json.loads(box) for box in each.get(link + BOXES, ())] for each in (old, new))
        if before == after and was == now:
            continue
        for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind != "equal":
                texts.setdefault(unlike("\n".join(before[a:b]), "\n".join(after[c:d])), []).append(link)
                continue
            for text, one, other in zip(before[a:b], was[a:b], now[c:d], strict=bool(was)):
                if any(abs(x - y) > STILL for x, y in zip(one, other, strict=True)):
                    boxes.setdefault((f"{one} {text}", f"{other} {text}"), []).append(link)
    return texts, boxes


def unlike(old: str, new: str) -> tuple[str, str]:
    """Return the parts of two texts that differ, with a few letters around them."""
    same = len(os.path.commonprefix([old, new]))  # noqa: RUF071
    same_end = len(os.path.commonprefix([old[same:][::-1], new[same:][::-1]]))  # noqa: RUF071
    start, end = max(0, same - BESIDE), max(0, same_end - BESIDE)
    return old[start : len(old) - end], new[start : len(new) - end]


def report(title: str, found: Found, most: int) -> None:
    """Print what differs, first what differs at most links."""
    print(f"{title}: {len(found)}, at {len({link for links in found.values() for link in links})} links")
    for (before, after), links in sorted(found.items(), key=lambda item: -len(item[1]))[:most]:
        others = f" and {len(links) - 1} more" if len(links) > 1 else ""
        print(f"\n{links[0]}{others}\n  old {before[:LONGEST]!r}\n  new {after[:LONGEST]!r}")


def compare(old: Recording, new: Recording, most: int) -> bool:
    """Print how two recordings differ. Return whether the first says the same at all links of the second."""
    texts, boxes = differences(old, new)
    report("Texts that differ", texts, most)
    report("Boxes that moved", boxes, most)
    both, added = len(old.keys() & new.keys()), len(new.keys() - old.keys())
    print(f"\n{both} links compared; {len(old) - both} only in the first recording, {added} only in the second")
    return bool(both) and not added and not texts and not boxes


def links_of(file: Path | None, pages: Sequence[str], part: str) -> list[str]:
    """Return the links in a file to these pages, and of these every n-th if only a part is wanted, such as "2/4".

    Without a file, the links open the pages as they begin.
    """
    links = file.read_text("utf-8").splitlines() if file else pages
    wanted = [link for link in links if not pages or re.split("[?#]", link)[0] in pages]
    return wanted[int(part.partition("/")[0]) - 1 :: int(part.partition("/")[2])]


def counted(states: Iterable[tuple[str, list[str]]], of: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the states, and print now and then how many there were."""
    began = time.monotonic()
    for n, state in enumerate(states, start=1):
        if n % 200 == 0 or n == of:
            print(f"{n} of {of} in {time.monotonic() - began:.0f} s", flush=True)
        yield state


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "browse", "compare"))
    parser.add_argument("first", type=Path, help="the folder of the checkout, or the first recording")
    parser.add_argument("second", type=Path, help="the recording to make, as states.json.gz, or the second recording")
    parser.add_argument("--links", type=Path, help="the file with the links, one a line")
    parser.add_argument("--pages", nargs="+", default=[], metavar="PAGE", help="only these pages")
    parser.add_argument("--part", default="1/1", help="2/4: every fourth link, from the second")
    parser.add_argument("--most", type=int, default=30, help="how many differences are printed")
    chosen = parser.parse_args()
    folder, out = chosen.first.resolve(), chosen.second.resolve()
    if chosen.what == "compare":
        raise SystemExit(not compare(load(folder), load(out), chosen.most))
    links = links_of(chosen.links, chosen.pages, chosen.part)
    if chosen.what == "browse":
        pages = [*dict.fromkeys(re.split("[?#]", link)[0] for link in links)]
        save(counted(browsed(folder, pages, out.parent), 2 * len(pages) * len(WIDTHS)), out)
    else:
        save(counted(simulated(folder, links), len(links)), out)


if __name__ == "__main__":
    main()

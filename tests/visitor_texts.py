"""All texts that a visitor may read, with the file of each: in Python, in JavaScript, in TOML and in `texts.md`."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from serving import ROOT

HOLDS_TEXTS = ("pages", *(f"attention_core/{room}" for room in ("examples", "mistakes", "museum", "tasks", "writing")))
NO_TEXTS = (
    "glossary.py",  # has the words that no text may contain
    "role_texts.py",  # texts that a model reads
)
# the fields of a scene or a mistake that no visitor reads
QUIET = ("claims", "state", "focus", "waits", "name", "page", "id", "concept", "stage", "shows", "rank")
EXPRESSION = "…"  # replaces what an f-string fills in


def visitor_texts() -> Iterator[tuple[str, str]]:
    """Yield pairs: the name of a file, and a text in it that a visitor may read.

    Each value that an f-string fills in is replaced by one character.
    """
    for folder in HOLDS_TEXTS:
        for path in sorted((ROOT / folder).rglob("*")):
            reader = READERS.get(path.name, READERS.get(path.suffix))
            if reader and path.name not in NO_TEXTS:
                yield from ((str(path.relative_to(ROOT)), text) for text in reader(path.read_text("utf-8")))


def in_python(source: str) -> Iterator[str]:
    """Yield the strings of a module that hold several words. Docstrings are not among them.

    >>> [*in_python('"Not me."\\nf"one {x} two"\\n"three four"')]
    ['one … two', 'three four']
    """
    tree = ast.parse(source)
    left_out = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            left_out |= {id(part) for part in ast.walk(node.body[0])}
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else EXPRESSION for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            if id(node) not in left_out:
                yield node.value


def in_javascript(source: str) -> Iterator[str]:
    """Yield the strings of a script that hold several words.

    >>> [*in_javascript('say("one two") // "not me"')]
    ['one two']
    """
    code = re.sub(r"/\*.*?\*/|(?<!:)//.*", "", source)
    for double, template in re.findall(r'"([^"\n]*)"|`([^`]*)`', code):
        text = re.sub(r"\$\{[^}]*\}", EXPRESSION, double or template)
        if " " in text:
            yield text


def in_toml(source: str) -> Iterator[str]:
    """Yield the texts of the scenes of a page, or of mistakes, from the source of a TOML file."""
    yield from _strings(tomllib.loads(source))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from () if key in QUIET else _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def in_sections(source: str) -> Iterator[str]:
    """Yield the lines of a `texts.md` that hold several words.

    >>> [*in_sections("# one\\nTwo {row}s and {x}\\n- Three")]
    ['Two rows and …']
    """
    for line in source.split("\n"):
        if " " in line and not line.startswith("#"):
            named = re.sub(r"\{(row|column|across|down)\}", r"\1", line, flags=re.IGNORECASE)
            braces = re.compile(r"(\{\{|\}\})|\{[^{}]+\}")
            text = braces.sub(lambda found: found[1][0] if found[1] else EXPRESSION, named)
            if " " in text.removeprefix("- "):
                yield text


READERS = {".py": in_python, ".js": in_javascript, ".toml": in_toml, "texts.md": in_sections}


def room_of(file: str) -> str:
    """Return the part of the app that a file belongs to.

    This is the file itself if it is a page or a list of scenes, and otherwise the folder of the file.

    >>> room_of("pages/scaling/page.py"), room_of("pages/shared/notation/prose.py")
    ('pages/scaling/page.py', 'pages/shared/notation')
    """
    folder = str(Path(file).parent)
    return file if folder in ("pages", "pages/scenes") else folder

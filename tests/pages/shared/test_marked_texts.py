"""Test that the words of pages stand in their `texts.md`: with all these marked, no page shows a sentence without mark.

Of the Python of the app, only that of a few rooms may hold words, which every page may say.
"""

import json
import re
import subprocess
import sys
from functools import cache

import pytest

from attention_core.language_model import shipped
from attention_core.language_model.tokens import PROMPTS
from house_rules import check_rule
from marked_texts import marked
from pages.shared.notation.latex import turn_words
from pages.shared.notation.prose import typeset
from pages.shared.notation.sections import sections_of
from pages.shared.notation.symbols import SYMBOLS
from pagesutil import DECLARED
from serving import ROOT
from visitor_texts import EXPRESSION, in_python, visitor_texts

# Parts of a text that are no words: what is marked, formulas, code, addresses, tags, names of icons.
NO_WORDS = re.compile(
    r"⟦[^⟦⟧]*⟧|\w*_\w+(?:\.\w+)?|\$\$.*?\$\$|\$[^$\n]*\$|`[^`]*`|\]\([^)]*\)|https?://\S+|<[^>]*>|:material/\w+:|\\[a-z]+",
    re.DOTALL,
)
BETWEEN_SENTENCES = re.compile(r"[^\w\s,;’'()-]+|\d+|\n")  # a number, a token in quotation marks, the end of a line
WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
FEW = 3  # fewer words are no sentence: a symbol, a name, a verb on a button


def sentences(text):
    """Return the pieces of a text that have at least three words, without punctuation, each as a list of words."""
    pieces = BETWEEN_SENTENCES.split(NO_WORDS.sub("|", text))
    return [words for piece in pieces if len(words := WORD.findall(piece)) >= FEW]


ALL_TEXTS = sorted((ROOT / "pages").glob("**/texts.md"))
WITH_TEXTS = {path.parent.name for path in ALL_TEXTS}
# The folders whose Python holds words that a page may say: of examples and stories, errors of a step that a visitor
# corrects, names of matrices, sentences about a cell, what to do with an equation, and why a link was refused.
SAID_IN_PYTHON = tuple(
    [f"attention_core/{room}/" for room in ("examples", "mistakes/engine", "writing")]
    + [f"pages/shared/{room}/" for room in ("equation", "notation", "rooms", "scene_files", "site", "state")]
)


@cache
def other_sentences() -> set[str]:
    """Return the sentences that stand in TOML, or in the Python that may hold words."""
    elsewhere = [(file, text) for file, text in visitor_texts() if not file.endswith("texts.md")]
    texts = [text for file, text in elsewhere if file.endswith(".toml") or file.startswith(SAID_IN_PYTHON)]
    texts += [as_shown(text) for as_shown in (turn_words, typeset) for text in texts]
    texts += [text.replace(EXPRESSION, "output") for text in texts]  # where the mistake switch names what is wrong
    texts += [*PROMPTS, *shipped.TEXTS.values()]  # which the real model reads
    ends = ("", ", given", " of head")  # the names of matrices, in a task and in heads
    texts += [f"{entry.words.capitalize()}{end}" for entry in SYMBOLS.values() for end in ends]
    return {" ".join(words) for text in texts for words in sentences(text)}


def is_said_elsewhere(words):
    """Return whether other files say these words, except for one or two before, after or between their sentences."""
    for length in range(len(words), FEW - 1, -1):
        for start in range(len(words) - length + 1):
            if " ".join(words[start : start + length]) in other_sentences():
                return is_said_elsewhere(words[:start]) and is_said_elsewhere(words[start + length :])
    return len(words) < FEW


def shown_with_marks(page):
    """Return all texts that a page shows if every text of a `texts.md` is marked."""
    command = [sys.executable, "-W", "ignore", str(ROOT / "tests" / "marked_texts.py"), page]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)[page]


@pytest.mark.long
@pytest.mark.parametrize("page", sorted(WITH_TEXTS & {*DECLARED}))
def test_a_page_shows_no_sentence_that_stands_in_python(page):
    shown = shown_with_marks(page)
    assert any("⟦" in text for text in shown)
    said = [text for text in shown if not NOT_SAID.search(text)]
    unmarked = {" ".join(words) for text in said for words in sentences(text) if not is_said_elsewhere(words)}
    check_rule(
        sorted(unmarked),
        f"What the page {page} says stands in a texts.md.",
        "write these sentences there, and say them with parameters.say(TEXTS, …).",
    )


# Their Python also holds names of matrices, and names of roles and rules for links.
NOT_READ = {"notation", "real_heads", "controls"}
ROOMS = sorted(path.parent for path in (ROOT / "pages/shared").glob("*/texts.md") if path.parent.name not in NOT_READ)
# What is no text of the page: code, the kinds of files, a command, and errors that only a programmer meets.
NOT_SAID = re.compile(
    r"^def |\bnp\.|\bnumpy\b|#|\\documentclass|\bdatum\.|^attention lab \w+$|^pip install|got …|^\nexport default "
)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_with_texts_says_no_sentence_in_python(room):
    said = [text for path in room.glob("*.py") for text in in_python(path.read_text("utf-8")) if sentences(text)]
    check_rule(
        [text for text in said if not NOT_SAID.search(text)],
        f"What the room {room.name} says stands in its texts.md.",
        "write these sentences there, and say them with parameters.say(TEXTS, …) or TEXTS.fill(…).",
    )


def test_marks_leave_what_is_no_text():
    source = "# axis\nWhat adds up\n- rows: Each {row} of 2\n> Some $e^{{{x}}}$ help.\n\n# one\n- **A**: {a}"
    assert marked(source) == (
        "# axis\n⟦What adds up⟧\n- rows: ⟦Each ⟧{row}⟦ of 2⟧\n> ⟦Some $e^{{{x}}}$ help.⟧\n\n# one\n- ⟦**A**: ⟧{a}"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("⟦So each ⟧row⟦ must add up to ⟧1.", []),
        ("⟦So⟧ each row must ⟦add up⟧", [["each", "row", "must"]]),
        ("“cat” attends to “it” with $a b c d$", []),
        ("`a b c d` two words", []),
        ("One, two three. Four", [["One", "two", "three"]]),
    ],
)
def test_sentences_without_a_mark_are_found(text, found):
    assert sentences(text) == found


def test_a_sentence_of_a_converted_page_counts_as_said_nowhere_else():
    assert is_said_elsewhere("Otherwise the outputs are not averages of the values".split())
    assert not is_said_elsewhere("With these numbers the best word would come in about".split())


@pytest.mark.parametrize("path", ALL_TEXTS, ids=lambda path: str(path.parent.relative_to(ROOT / "pages")))
def test_every_section_is_said(path):
    named = {name for file in path.parent.rglob("*.py") for name in re.findall(r"\w+", file.read_text("utf-8"))}
    named |= {"concept", "question", "sources", *re.findall(r"\{(\w+)\}", path.read_text("utf-8"))}
    check_rule(
        {*sections_of(path)} - named,
        f"Every section of {path.relative_to(ROOT)} is named whole in the Python of its folder, or in another section.",
        "say it, or take it out.",
    )

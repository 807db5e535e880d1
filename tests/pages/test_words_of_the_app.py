"""Test the words of the app: every text that a visitor reads uses one word for one thing."""

import re

import pytest

from house_rules import check_rule
from pages.shared.notation.glossary import EVERYWHERE, WORDS
from visitor_texts import in_javascript, in_python, in_sections, in_toml, room_of, visitor_texts

NEVER = {pattern: word for word, entry in EVERYWHERE.items() for pattern in entry.never}

BREACHES = """
“it” looks at “cat”
no word looks ahead
No token may look at it
who is looked at
values learn where to look
who listens
only 0.3 of a unit left to give
it gives nearly all to one
“it” gives … to “cat”
“it” gives “cat” {weights[4,0]}
a token gives most to each
Whom does it mean?
its value is handed over
what it hands over
it is handed a unit
drank seeks milk
needs somebody
the token sought
what it asks
what it offers
what a word has to give
what it takes away
what the heads found
what the heads find
a slip
has a chance of **…**
Its chance is 0.5
""".split("\n")[1:-1]
GOOD = """
“it” attends to “cat” with 0.73
“it” takes 0.73 of its output from “cat”
a query says what a token looks for
Look at the first row
What to look at
Give it another number
The mistake gives the same numbers
a token can be found by its key
Take the number of the row
the token that asks
it looks like a matrix
""".split("\n")[1:-1]


def breaches(text):
    """Return a message for each word in the text that should not be used."""
    return [
        f"{word}: “{found[0]}” in “{text[max(0, found.start() - 30) : found.end() + 30]}”"
        for pattern, word in NEVER.items()
        for found in re.finditer(pattern, text, re.IGNORECASE)
    ]


def test_every_text_of_a_visitor_uses_the_words_of_the_app():
    found = dict[str, list[str]]()
    for file, text in visitor_texts():
        found.setdefault(room_of(file), []).extend(breaches(text))
    check_rule(
        found,
        "Each thing has one word of EVERYWHERE in notation/glossary.py. A token attends to others and takes from them.",
        "say it with the word at the beginning of each line.",
    )


@pytest.mark.parametrize("text", BREACHES)
def test_a_breach_is_found(text):
    assert breaches(text)


@pytest.mark.parametrize("text", GOOD)
def test_a_good_sentence_is_none(text):
    assert not breaches(text)


def test_the_list_is_short_and_each_word_has_a_meaning():
    assert len({*EVERYWHERE, *WORDS}) == len(EVERYWHERE) + len(WORDS) <= 40
    assert all(entry.means for entry in EVERYWHERE.values())


def test_texts_are_read_from_all_that_a_visitor_reads():
    assert [*in_python('"Not me."\nf"one {x} two"\n"three four"')] == ["one … two", "three four"]
    assert [*in_javascript('say("one two") // "not me"\nsay(`three ${x} four`)')] == ["one two", "three … four"]
    assert [*in_toml('keep = "one"\n[[scene]]\nsay = "two"\nstate = "three"')] == ["one", "two"]
    assert [*in_sections("# one\nEach {Row} of {x:.2f}, $a_{{1}}$\n- one: Two")] == [
        "Each Row of …, $a_{1}$",
        "- one: Two",
    ]
    files = {file for file, _ in visitor_texts()}
    assert "attention_core/mistakes/softmax_axes.toml" in files
    assert {"attention_core/examples", "pages/shared/codes"} <= {room_of(file) for file in files}

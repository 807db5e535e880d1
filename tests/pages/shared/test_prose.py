"""Test how foreign words become Markdown: nothing in them is markup, whatever they are, and they read as they were."""

import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from foreign_words import CONSTRUCTS, as_read, foreign_words
from pages.shared.notation.prose import escape, literal, markdown_table

# What Streamlit looks for in words that Markdown has read: addresses of pages and of mail, icons, emoji and arrows.
FOUND_LATER = re.compile(
    r"(https?://|www(?=\.))[-.\w]+|[-.\w+]+@[-\w]+(\.[-\w]+)+|:material_\w+:|:[\w+-]+:|<->|->|<-|--|>=|<=|~=",
    re.IGNORECASE,
)
SAMPLES = settings(max_examples=500)


@SAMPLES
@given(foreign_words | st.sampled_from(CONSTRUCTS))
def test_escaped_words_have_no_sign_of_markup_and_read_as_they_were(words):
    escaped = escape(words)
    assert re.fullmatch(r"([^\W_]|&#\d+;|[^\x00-\x7f]| )*", escaped)
    assert len(escaped.splitlines()) <= 1
    read = html.unescape(escaped)
    assert not FOUND_LATER.search(read)
    assert as_read(read) == as_read(words)


@SAMPLES
@given(foreign_words | st.sampled_from(CONSTRUCTS))
def test_literal_words_are_one_piece_of_code_and_read_as_they_were(words):
    code = literal(words)
    fence = "`" * (len(code) - len(code.lstrip("`")))
    inside = code.removeprefix(fence).removesuffix(fence)
    assert code == fence + inside + fence
    assert fence not in re.findall("`+", inside)
    assert len(code.splitlines()) == 1
    assert ":material/" not in code
    assert as_read(inside) == as_read(words)


@SAMPLES
@given(foreign_words)
def test_literal_words_stay_in_their_cell_of_a_table(words):
    *_, row = markdown_table(("a", "b"), [(literal(words), escape(words))]).split("\n")
    ends = re.findall(r"(?:\\[\\|]|[^|\\]|\\(?![\\|]))*\|", row)
    assert len(ends) == 3

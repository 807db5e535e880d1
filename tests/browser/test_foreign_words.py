"""Foreign words are drawn as words: all that Streamlit's Markdown knows, in a sentence, a table and a label."""

from collections import Counter

import pytest
from playwright.sync_api import expect

from browsing import settle
from foreign_words import CONSTRUCTS, as_read
from pages.shared.lecture.course import TEXTS, course_text
from pages.shared.state.opening import OwnScene
from serving import ROOT, serve

SCRIPT = """
import sys
import streamlit as st

sys.path.insert(0, {root!r})
from pages.shared.notation.prose import escape, literal, markdown_table

for number, words in enumerate({constructs!r}):
    with st.container(key=f"raw-{{number}}"):
        st.markdown(words)
    for safe in (escape, literal):
        with st.container(key=f"{{safe.__name__}}-{{number}}"):
            table = markdown_table(("words", "n"), [(safe(words), "1"), ("end", safe(words))])
            st.markdown(f"{{safe(words)}}\\n\\n{{table}}\\n\\nFor $5, **{{safe(words)}}** or ``more``.")
            st.button(safe(words), key=f"press.{{safe.__name__}}.{{number}}")
"""
# The elements in each text, and the text, by the key of its container.
DRAWN = """
() => Object.fromEntries([...document.querySelectorAll('[class*="st-key-"]')].flatMap((box) => {
  const key = [...box.classList].find((name) => /^st-key-(raw|escape|literal)-\\d+$/.test(name))
  if (!key) return []
  const texts = [...box.querySelectorAll('[data-testid="stMarkdownContainer"]')]
  const name = (element) => element.localName + (element.style.color && ".colour")
  return [[key.slice(7), texts.map((text) => [text.textContent, [...text.querySelectorAll("*")].map(name)])]]
}))
"""


IN_A_SENTENCE = {"p": 2, "strong": 1, "code": 1, "table": 1, "thead": 1, "tbody": 1, "tr": 3, "th": 2, "td": 4}
IN_A_BUTTON = {"p": 1}
OF_CODE = {"escape": 0, "literal": 1}  # elements more, for each time that the words are said


@pytest.fixture(scope="module")
def drawn_words(open_tab, tmp_path_factory):
    """Give the tests what a page draws of all constructs: as they are, escaped, and as code."""
    script = tmp_path_factory.mktemp("foreign") / "words.py"
    script.write_text(SCRIPT.format(root=str(ROOT), constructs=CONSTRUCTS))
    with serve(script) as running:
        page = open_tab(False).page
        page.goto(running.url)
        settle(page, quiet=1000)
        yield page.evaluate(DRAWN)
        page.context.close()


def test_as_they_are_the_words_are_drawn_as_much_else(drawn_words):
    raw = [texts for key, texts in drawn_words.items() if key.startswith("raw")]
    assert {name for texts in raw for _, names in texts for name in names} >= {
        "a", "img", "math", "h1", "h2", "strong", "em", "del", "code", "pre", "table", "li", "input", "sup",
        "blockquote", "hr", "br", "span.colour", "button",
    }  # fmt: skip


@pytest.mark.parametrize("safe", OF_CODE)
def test_foreign_words_are_drawn_as_words_and_as_nothing_else(drawn_words, safe):
    for number, words in enumerate(CONSTRUCTS):
        (sentence, in_sentence), (label, in_label) = drawn_words[f"{safe}-{number}"]
        assert Counter(in_sentence) == Counter(IN_A_SENTENCE) + Counter(code=4 * OF_CODE[safe]), words
        assert Counter(in_label) == Counter(IN_A_BUTTON) + Counter(code=OF_CODE[safe]), words
        assert as_read(sentence).count(as_read(words)) >= 4, words
        assert as_read(label) == as_read(words)


SCREENS = {"a page": ("", 1280), "a phone": ("", 390), "a guess": ("guess", 390), "a presentation": ("present", 1280)}


@pytest.mark.parametrize(("view", "width"), SCREENS.values(), ids=SCREENS)
def test_every_screen_shows_whose_words_a_course_has(visit, view, width):
    title = "Sign in at www.elsewhere.example"
    scene = OwnScene("attention", "step=5", "attention.equation.step5", title, options="a | b")
    page = visit(f"/attention?scene=1&route=own&view={view}&course={course_text([scene])}", width=width)
    whose, title = page.locator(".st-key-whose"), page.locator(".st-key-scene p").first
    expect(whose).to_have_text(TEXTS.fill("somebodys_own"))
    expect(whose).to_be_in_viewport()
    assert whose.bounding_box()["y"] < title.bounding_box()["y"]
    expect(title).to_contain_text("elsewhere.example")
    assert page.locator('a[href*="elsewhere"]').count() == 0

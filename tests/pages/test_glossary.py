"""The glossary: a word that is not everyday explains itself where it stands, once."""

import re

import pytest

from attention_core.slips import WITH_SWITCH
from boards import boards
from pages.shared.notation.glossary import EVERYWHERE, WORDS
from serving import ROOT
from simulating import opened

# Words of the field that no page needs: what they mean is said instead.
NEVER = re.compile(r"\b(residuals?|saturat\w+|one-hot|autoregressive|broadcast\w*)\b", re.IGNORECASE)


def stands_in(word, text):
    return re.search(rf"\b{word}s?\b", text, re.IGNORECASE)


@pytest.mark.once
def test_a_word_that_is_not_everyday_is_explained_on_the_page_once(each_page):
    for link, shown in boards(each_page).items():
        for word, means in WORDS.items():
            explanations = shown.text.lower().count(means.lower())
            assert explanations == 1 or not stands_in(word, shown.text), (link, word, explanations)


@pytest.mark.once
def test_words_that_no_page_needs_stand_on_none(each_page):
    for link, shown in boards(each_page).items():
        assert not NEVER.search(shown.text), (link, NEVER.search(shown.text))


def test_every_word_of_the_glossary_stands_somewhere():
    texts = [path.read_text("utf-8") for path in (ROOT / "pages").glob("**/*.py") if path.name != "glossary.py"]
    assert [word for word in WORDS if not any(stands_in(word, text) for text in texts)] == []


def test_mistakes_shown_on_other_pages_explain_their_words_themselves():
    for slip in WITH_SWITCH:
        assert [word for word, means in WORDS.items() if stands_in(word, slip.why) and means not in slip.why] == []


def test_the_dialog_of_symbols_has_all_of_them():
    (button,) = [button for button in opened("home").button if button.label == "Symbols"]
    said = "\n".join(text.value for text in button.click().run().markdown)
    assert all(f"| {word} | {means} |" in said for word, means in {**EVERYWHERE, **WORDS}.items())

"""Test the glossary: a word that is not everyday language is explained where it first stands on a page."""

import re

from attention_core.mistakes import WITH_SWITCH
from boards import boards
from house_rules import check_rule
from pages.shared.notation.glossary import EVERYWHERE, WORDS
from serving import ROOT
from simulating import open_page

# Words of the field that no page uses, because the pages say what the words mean instead.
NEVER = re.compile(r"\b(residuals?|saturat\w+|one-hot|autoregressive|broadcast\w*)\b", re.IGNORECASE)


def stands_in(word, text):
    """Return a match if `text` contains `word` or its plural as a whole word, or None."""
    return re.search(rf"\b{word}s?\b", text, re.IGNORECASE)


def test_a_word_that_is_not_everyday_is_explained_on_the_page_once(each_page):
    for link, shown in boards(each_page).items():
        for word, means in WORDS.items():
            explanations = shown.text.lower().count(means.lower())
            assert explanations == 1 or not stands_in(word, shown.text), (
                f"“{word}” stands on {dict(link)} and is explained {explanations} times: explain it once, with "
                f'`{{define("{word}")}}` in its texts.md where it comes first'
            )


def test_no_page_shows_a_forbidden_word(each_page):
    for link, shown in boards(each_page).items():
        found = NEVER.search(shown.text)
        assert not found, f"“{found and found[0]}” stands on {dict(link)}: say what it means instead"


def test_every_word_of_the_glossary_stands_somewhere():
    files = [*(ROOT / "pages").glob("**/*.py"), *(ROOT / "pages").glob("**/texts.md")]
    texts = [path.read_text("utf-8") for path in files if path.name != "glossary.py"]
    check_rule(
        [word for word in WORDS if not any(stands_in(word, text) for text in texts)],
        "Every word of the glossary stands on some page.",
        "remove these from WORDS in notation/glossary.py.",
    )


def test_mistakes_shown_on_other_pages_explain_their_words_themselves():
    found = {
        mistake.name: [
            word for word, means in WORDS.items() if stands_in(word, mistake.why) and means not in mistake.why
        ]
        for mistake in WITH_SWITCH
    }
    check_rule(
        found,
        "The reason of a mistake explains the words that are not everyday, because other pages show it too.",
        "write the word's meaning from notation/glossary.py into `why`, or say it without the word.",
    )


def test_the_dialog_of_symbols_has_all_of_them():
    (button,) = [button for button in open_page("home").button if button.label == "Symbols"]
    said = "\n".join(text.value for text in button.click().run().markdown)
    assert all(f"| {word} | {entry.means} |" in said for word, entry in EVERYWHERE.items())
    assert all(f"| {word} | {means} |" in said for word, means in WORDS.items())

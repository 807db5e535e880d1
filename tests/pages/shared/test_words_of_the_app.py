"""Test the words of the app: every text that a visitor reads uses one word for one thing."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core import cosine_similarities, multi_head_attention, sinusoidal_at, softmax
from attention_core.examples import EXAMPLES, example
from attention_core.examples.example import frozen_copy
from attention_core.experiments.heads import cost
from attention_core.experiments.positions import moved_positions
from attention_core.mistakes import WITH_SWITCH
from boards import boards
from house_rules import check_rule
from pages.attention import lesson
from pages.multi_head.lesson import price_text
from pages.queries_keys_values.lesson import weight_with_a_longer_key
from pages.shared.controls import Parameters
from pages.shared.notation.glossary import EVERYWHERE, WORDS
from pages.softmax_axes.lesson import FAR_BELOW, TEXTS, far_below, temperature_text
from serving import ROOT
from simulating import open_page, page_text
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
        "Each thing has one word of every page in notation/texts.md. A token attends to others and takes from them.",
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


# Words of the field that no page uses, because the pages say what the words mean instead.
NEVER_GLOSSARY = re.compile(r"\b(residuals?|saturat\w+|one-hot|autoregressive|broadcast\w*)\b", re.IGNORECASE)


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
        found = NEVER_GLOSSARY.search(shown.text)
        assert not found, f"“{found and found[0]}” stands on {dict(link)}: say what it means instead"


def test_every_word_of_the_glossary_stands_somewhere():
    files = [*(ROOT / "pages").glob("**/*.py"), *(ROOT / "pages").glob("**/texts.md")]
    texts = [path.read_text("utf-8") for path in files if path.parent.name != "notation"]
    check_rule(
        [word for word in WORDS if not any(stands_in(word, text) for text in texts)],
        "Every word of the glossary stands on some page.",
        "remove these from notation/texts.md.",
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
        "write the word's meaning from notation/texts.md into `why`, or say it without the word.",
    )


def test_the_dialog_of_symbols_has_all_of_them():
    (button,) = [button for button in open_page("home").button if button.label == "Symbols"]
    said = "\n".join(text.value for text in button.click().run().markdown)
    assert all(f"| {word} | {entry.means} |" in said for word, entry in EVERYWHERE.items())
    assert all(f"| {word} | {means} |" in said for word, means in WORDS.items())


STORY = example("story")
WITHOUT_CONTEXT = [name for name in EXAMPLES if example(name).context is None]


def test_shares_raised_to_a_power_are_those_at_a_temperature():
    scores = STORY.attention().scaled[4]
    shares = {t: softmax(scores, temperature=t) for t in (0.5, 1.0, 2.0)}
    raised = shares[1.0] ** 0.5
    np.testing.assert_allclose(raised / raised.sum(), shares[2.0], atol=1e-12)
    text = temperature_text(Parameters(digits="4"), shares, "it", STORY.tokens)
    assert f"“cat” has **{shares[2.0][0]:.4f}** again" in text
    assert "raise each weight to the power $1/T$" in page_text(open_page("softmax_axes", look="temperature"))


def test_the_greatest_of_the_whole_matrix_is_right_on_paper_and_leaves_a_low_row_without_numbers():
    scores = np.array([[FAR_BELOW, 0.0], [0.0, -1.0]])
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max())
        shares = powers / powers.sum(axis=1, keepdims=True)
    assert powers[1].tolist() == [0, 0]
    assert np.isnan(shares[1]).all()
    near = np.array([[3.0, 0.0], [0.0, -1.0]])
    powers = np.exp(near - near.max())
    np.testing.assert_allclose(powers / powers.sum(axis=1, keepdims=True), softmax(near), rtol=1e-12)
    text = TEXTS.fill("greatest_of_the_whole_matrix", **far_below())
    assert text in page_text(open_page("softmax_axes", look="powers"))
    assert "rounds all powers of this row to 0" in text


def test_a_key_twice_as_long_gets_more_where_it_matches_and_less_where_it_does_not():
    for name in WITHOUT_CONTEXT:
        trace = example(name).attention()
        k = trace.k.copy()
        k[0] *= 2
        doubled = softmax(trace.q @ k.T * trace.scale)[:, 0]
        before, scores = trace.weights[:, 0], trace.scores[:, 0]
        sure = before < 1 - 1e-9  # a weight of nearly 1 cannot grow
        assert (doubled[(scores > 0) & sure] > before[(scores > 0) & sure]).all()
        assert (doubled[(scores < 0) & (before > 1e-300)] < before[(scores < 0) & (before > 1e-300)]).all()
        np.testing.assert_allclose(doubled[scores == 0], before[scores == 0], rtol=1e-12)
        for i in range(len(trace.q)):
            assert weight_with_a_longer_key(trace, i, 0) == pytest.approx(doubled[i])
    assert "with 0.98 instead of 0.73" in page_text(open_page("queries_keys_values", look="arrows", token="4"))


def test_time_grows_with_n_squared_times_d_and_memory_with_n_squared():
    text = lesson.cost_of_length(STORY)
    assert "each of the 25 scores is a sum of $d_k$ = 4 products, 100 in total" in text
    assert "for the scores, 25 numbers" in text
    assert "**Time** grows with $n^2 d_k$" in page_text(open_page("attention", look="cost"))


def test_heads_that_share_keys_save_memory_and_no_scores():
    w = replace(STORY.projections, w_k=STORY.w_k[:, :2], w_v=STORY.w_v[:, :1])
    own, shared = STORY.multi_head(), multi_head_attention(STORY.x, w, 2, n_kv_heads=1)
    costs = [cost(trace) for trace in (own, shared)]
    assert costs[1].kv_cache < costs[0].kv_cache
    assert costs[1].parameters < costs[0].parameters
    assert costs[1].exponentials == costs[0].exponentials == 50
    assert "which takes 50 powers of $e$ here" in price_text(costs[0], costs[1], 2)


@pytest.mark.parametrize("name", WITHOUT_CONTEXT)
def test_moved_positions_leave_alone_what_the_page_says(name):
    this, by = example(name), 100
    moved = moved_positions(this, by)
    assert moved.likeness < 1e-9
    size = max(1.0, float(np.abs(this.attention().scaled).max()))
    assert moved.rotary < 1e-9 * size
    assert moved.sinusoidal > 1e-3


def test_the_change_of_the_scores_by_hand():
    n, d = STORY.x.shape
    encoded = [sinusoidal_at(np.arange(n) + by, d) for by in (0, 100)]
    likeness = [cosine_similarities(each) for each in encoded]
    np.testing.assert_allclose(likeness[0], likeness[1], atol=1e-12)
    scores = [replace(STORY, x=frozen_copy(STORY.x + each)).attention().scaled for each in encoded]
    found = moved_positions(STORY, 100)
    assert found.sinusoidal == pytest.approx(np.abs(scores[1] - scores[0]).max())
    text = page_text(open_page("positional_encoding", look="rope"))
    assert re.search(r"Move all tokens by 100 positions.*scores change by up to \d", text, re.DOTALL)
    with pytest.raises(ValueError, match="all tokens must stand in one text; got an example with a context"):
        moved_positions(example("context"), 1)


def test_a_filler_has_a_row_of_its_own_that_adds_up_to_1():
    masked = STORY.attention(mask=STORY.mask("padding")).weights
    assert masked[-1].sum() == pytest.approx(1)
    assert masked[:, -1].tolist() == [0] * 5
    text = page_text(open_page("attention", look="padding"))
    assert "its weights add up to 1 as in every row" in text

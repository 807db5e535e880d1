"""Test the page "Your sentence": any text, words that come twice or are spelled in another way, and a notebook."""

import json
import re

import numpy as np
import pytest

from attention_core import entropy, sentence, tokenize
from attention_core.examples import example
from attention_core.examples.sentence import row_statistics, with_positions
from attention_core.language_model.shipped import TEXTS, shipped_reading
from notebooks import notebook_values
from pages.shared.model_access import asking
from pages.shared.notation.numbers import significant
from pages.shared.real_heads import tour
from pages.your_sentence import lesson
from simulating import after_the_answer, captions, equations, go, link_of, matrices, open_page, page_text, visit_of


def values_by_id(app):
    """Return the numbers of every matrix on the page, by the id of the matrix."""
    return {item["id"]: np.array(item["values"], dtype=float) for item in items(app)}


def items(app):
    """Return the data of every matrix on the page."""
    lines = [line for lines in equations(app).values() for line in lines]
    return [item for line in lines for item in line["items"] if "values" in item]


def labels(app):
    """Return the labels of the rows of X, which are the words."""
    return next(item["rowLabels"] for item in items(app) if item["id"] == "x")


MARKUP = "<b>bold</b> **stars** $x$ [a](b) :material/home: :smile: `code` | -> row"


def sentence_data(app):
    """Return the data that the browser gets for the picture of the sentence."""
    (sent,) = [
        each.proto.json for each in app.get("bidi_component") if each.proto.component_name == "attention_lab_words"
    ]
    return json.loads(sent)[0]


# --- any text ---


@pytest.mark.lowest
def test_what_is_typed_is_what_attends():
    app = open_page("your_sentence", look="computed", text="eins zwei", width="8", seed="5", draw="uniform")
    trace = sentence(("eins", "zwei"), 8, seed=5, draw="uniform").attention()
    np.testing.assert_allclose(values_by_id(app)["weights"], trace.weights, rtol=1e-12)
    np.testing.assert_allclose(values_by_id(app)["entropies_head0"].ravel(), entropy(trace.weights), rtol=1e-9)
    app = app.text_input(key="your_sentence.text").set_value("eins zwei drei").run()
    assert values_by_id(app)["weights"].shape == (3, 3)
    np.testing.assert_array_equal(values_by_id(app)["x"][:2], trace.x)
    assert link_of(app)["text"] == "eins zwei drei"


@pytest.mark.lowest
@pytest.mark.parametrize("text", [" ", "   ", "\u200d", "\u00a0\u3000"])
def test_no_words_are_no_error(text):
    app = open_page("your_sentence", text=text)
    assert not app.exception
    assert "Write a word or two" in app.info[0].value
    assert not equations(app)
    app = app.text_input(key="your_sentence.text").set_value("now").run()
    assert values_by_id(app)["weights"].tolist() == [[1.0]]


@pytest.mark.lowest
def test_no_text_at_all_comes_back_from_its_link():
    app = open_page("your_sentence", source="typed").text_input(key="your_sentence.text").set_value("").run()
    assert "Write a word or two" in app.info[0].value
    assert open_page("your_sentence", **link_of(app)).text_input(key="your_sentence.text").value == ""


@pytest.mark.lowest
def test_more_than_24_tokens_are_cut_and_it_is_said():
    app = open_page("your_sentence", look="computed", text=" ".join(f"w{i}" for i in range(30)))
    assert labels(app) == [f"w{i}" for i in range(24)]
    assert "The first 24 tokens are used; 6 more, from `w24` on, are left out." in page_text(app)
    assert "left out" not in page_text(open_page("your_sentence", text=" ".join(f"w{i}" for i in range(24))))


@pytest.mark.lowest
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_markup_stays_text(layout):
    app = open_page("your_sentence", look="computed", text=MARKUP, layout=layout, cell="weights.0.1")
    assert not app.exception
    assert labels(app) == list(tokenize(MARKUP)[:24])
    outside_of_code = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", page_text(app))
    assert "bold" not in outside_of_code
    assert "stars" not in outside_of_code
    assert [piece["text"] for piece in sentence_data(app)["pieces"]] == list(tokenize(MARKUP)[:24])
    assert "how much `<` attends to `b`" in page_text(app)


@pytest.mark.lowest
def test_every_setting_computes():
    app = open_page(
        "your_sentence", look="computed", positions="on", causal="on", scaled="off", heads="2", width="16", fold="on"
    )
    this = with_positions(sentence(tokenize("The cat saw the other cat", fold=True), 16, 2))
    trace = this.multi_head(mask=this.mask("causal"), scale=1.0)
    for h in range(2):
        np.testing.assert_allclose(values_by_id(app)[f"weights.{h}"], trace.heads.weights[h], rtol=1e-12)
        np.testing.assert_allclose(
            values_by_id(app)[f"entropies.{h}"].ravel(), entropy(trace.heads.weights[h]), rtol=1e-9, atol=1e-15
        )
    np.testing.assert_allclose(values_by_id(app)["output"], trace.output, rtol=1e-12)


@pytest.mark.lowest
def test_the_workspace_has_no_effect_on_this_page():
    app = open_page("your_sentence", look="computed", example="book", x="9,0,1,0;0,2,0,2;1,1,1,1")
    assert values_by_id(app)["x"].shape == (6, 4)
    assert [box.label for box in app.selectbox] == []
    assert not any(item["editable"] for item in items(app))
    assert "yours to change" not in "\n".join(caption.value for caption in app.caption)
    assert link_of(go(app, "attention")) == {"example": "book", "x": "9,0,1,0;0,2,0,2;1,1,1,1"}


# --- what it shows ---


def distances_of(app, words):
    """Return the two distances that the page gives for two words: of their inputs, and of their outputs."""
    found = re.search(rf"{re.escape(words)}: their inputs are (.+?), their outputs (.+?)\.\n", page_text(app) + "\n")
    assert found, page_text(app)
    return [float(re.sub(r"[^\d.]", "", text) or 0) for text in found.groups()]


@pytest.mark.lowest
def test_a_word_twice_is_one_row_without_positions():
    vectors, outputs = distances_of(open_page("your_sentence", look="again"), "`cat`, words 2 and 6")
    assert (vectors, outputs) == (0, 0)
    vectors, outputs = distances_of(open_page("your_sentence", look="again", positions="on"), "`cat`, words 2 and 6")
    assert min(vectors, outputs) > 0.01
    app = open_page("your_sentence", look="again", causal="on")
    vectors, outputs = distances_of(app, "`cat`, words 2 and 6")
    assert vectors == 0
    assert outputs > 0.01
    assert "the later one may attend to more words" in page_text(app)


@pytest.mark.lowest
def test_the_capital_makes_another_word_until_case_is_folded():
    vectors, outputs = distances_of(open_page("your_sentence", look="again"), "`The` and `the`, words 1 and 4")
    x = sentence(("The", "the")).x
    assert vectors == pytest.approx(np.abs(x[0] - x[1]).max(), rel=1e-3)
    assert outputs > 0.01
    folded = open_page("your_sentence", look="again", fold="on")
    assert distances_of(folded, "`the`, words 1 and 4")[0] == 0
    folded = open_page("your_sentence", look="computed", fold="on")
    assert labels(folded) == ["the", "cat", "saw", "the", "other", "cat"]
    assert "No word comes twice" in page_text(open_page("your_sentence", look="again", text="one two"))


@pytest.mark.lowest
def test_random_weights_mean_nothing_and_another_seed_shows_it():
    tokens = tokenize("The cat saw the other cat")
    most = []
    for seed in (0, 1):
        weights = sentence(tokens, seed=seed).attention().weights[2]
        most.append(f"`{tokens[weights.argmax()]}` ({weights.max():.2f})")
    text = page_text(open_page("your_sentence", word="2"))
    assert "**These weights are random:**" in text
    assert f"Here `saw` attends most to {most[0]}; with seed 1, to {most[1]}." in text
    assert "with seed 0, to" in page_text(open_page("your_sentence", seed="99"))
    assert "with seed" not in page_text(open_page("your_sentence", source="cat"))


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("link", "asks", "head"),
    [({}, 5, 0), ({"word": "1"}, 1, 0), ({"word": "40"}, 5, 0), ({"heads": "2", "head": "2"}, 5, 1),
     ({"heads": "2", "head": "4"}, 5, 1), ({"head": "3"}, 5, 0)],
)  # fmt: skip
def test_the_picture_has_the_weights_of_its_head_and_a_word_that_there_is(link, asks, head):
    app = open_page("your_sentence", causal="on", **link)
    sent = sentence_data(app)
    this = sentence(tokenize("The cat saw the other cat"), 4, int(link.get("heads", "1")))
    weights = this.multi_head(mask=this.mask("causal")).heads.weights[head]
    np.testing.assert_allclose(sent["weights"], weights, rtol=1e-12)
    assert sent["word"] == asks
    assert [piece["text"] for piece in sent["pieces"]] == list(this.tokens)
    assert visit_of(app).notices == ()


@pytest.mark.lowest
def test_a_word_beyond_a_shorter_sentence_is_its_last():
    assert sentence_data(open_page("your_sentence", word="5", text="one two"))["word"] == 1


@pytest.mark.lowest
def test_the_table_has_the_statistics_of_random_weights():
    app, tokens = open_page("your_sentence", look="drawn"), tokenize("The cat saw the other cat")
    for draw in ("normal", "uniform"):
        trace = sentence(tokens, draw=draw).attention()
        found = row_statistics(trace.scaled, trace.weights)
        row = next(line for line in page_text(app).splitlines() if line.startswith(f"| {draw}"))
        for value in (found.mean_score, found.deviation, found.entropy, found.most_entropy):
            assert significant(value, 4) in row
        assert f"{found.favourites} of 6" in row
    wide = sentence(tokens, 64, draw="uniform").attention()
    row = next(line for line in page_text(app).splitlines() if line.startswith("| uniform, 64 wide"))
    assert significant(row_statistics(wide.scaled, wide.weights).entropy, 4) in row


HALF_A_UNIT = 0.5e-4  # half a unit of the last decimal that notebook 004 prints


@pytest.mark.lowest
def test_the_notebook_s_rows_rank_the_words_alike():
    app, trace = open_page("your_sentence", look="drawn", source="cat"), example("cat").attention()
    found = row_statistics(trace.scaled, trace.weights)
    row = next(line for line in page_text(app).splitlines() if line.startswith("| uniform, 0 to 1"))
    for value in (found.mean_score, found.deviation, found.entropy):
        assert significant(value, 4) in row
    assert row.endswith("| 1 of 5 |")


@pytest.mark.lowest
def test_the_notebook_s_queries_keys_and_values_stand_on_the_page():
    app = open_page("your_sentence", look="computed", source="cat", digits="4")
    assert labels(app) == ["The", "cat", "chased", "the", "mouse"]
    for name, path in {"q": "queries", "k": "keys", "v": "values_first4"}.items():
        printed = notebook_values(f"4/printed/{path}")
        np.testing.assert_allclose(values_by_id(app)[name][: len(printed)], printed, rtol=0, atol=HALF_A_UNIT)
    np.testing.assert_allclose(
        values_by_id(app)["weights"], notebook_values("4/attention_from_recovered_weights/attention"), rtol=0, atol=1e-6
    )
    assert "are recovered from these" in captions(app)
    assert not app.text_input


PAGE = "your_sentence"


def page_text_of_real_sentence(app):
    return "\n".join(each.value for each in [*app.markdown, *app.info])


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("text", TEXTS)
def test_without_the_model_every_shipped_sentence_stands_there(text):
    app = open_page(PAGE, source="model", shipped=text)
    assert not app.exception
    kept = shipped_reading(text)
    head = lesson.head_that_shows_most(kept.maps / 255)
    np.testing.assert_allclose(matrices(app)["weights"]["values"], kept.maps[head] / 255, atol=5e-3)
    assert asking.COMMAND in [code.value for code in app.code]


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("text", TEXTS)
def test_the_shown_head_has_a_role_and_the_greatest_weight(text):
    """Check that no head has a greater weight for an earlier token than the shown head, which has a measured role."""
    maps = shipped_reading(text).maps / 255
    strongest = {
        head: max(maps[head][i, j] for i in range(2, len(maps[head])) for j in range(1, i)) for head in lesson.HEADS
    }
    shown = lesson.head_that_shows_most(maps)
    assert strongest[shown] == max(strongest.values()) > 0.4
    assert any(role.head == shown for role in tour.roles_of_tour())


@pytest.mark.usefixtures("no_model")
def test_it_says_what_the_word_attends_to():
    app = open_page(PAGE)
    weights = np.array(matrices(app)["weights"]["values"])
    asks, most = np.unravel_index(lesson.weights_on_earlier(weights).argmax(), weights.shape)
    tokens = shipped_reading("cat").pieces
    assert (
        f"`{tokens[asks]}` attends most to `{tokens[most]}`, with **{weights[asks, most]:.2f}**"
        in page_text_of_real_sentence(app)
    )


@pytest.mark.usefixtures("no_model")
def test_a_sentence_of_ones_own_is_read(toy):
    app = after_the_answer(open_page(PAGE, source="model", own="the the"))
    assert not app.exception
    assert len(matrices(app)["weights"]["values"]) == 1 + len(toy.vocabulary.encode("the the"))


@pytest.mark.usefixtures("no_model")
def test_a_link_from_before_the_real_model_opens_random_weights():
    app = open_page(PAGE, text="eins zwei", seed="5")
    assert visit_of(app).parameters.source == "typed"
    assert len(matrices(app)["weights"]["values"]) == 2
    assert open_page(PAGE, **link_of(app)).exception == app.exception
    assert visit_of(open_page(PAGE)).parameters.source == "model"


@pytest.mark.usefixtures("no_model")
def test_what_was_set_elsewhere_on_the_page_does_not_change_the_source_of_a_link():
    link = link_of(open_page(PAGE, source="model", seed="5"))
    assert link["source"] == "model"
    assert visit_of(open_page(PAGE, **link)).parameters.source == "model"


@pytest.mark.usefixtures("no_model")
def test_it_opens_with_at_most_150_numbers():
    boards = [line for lines in equations(open_page(PAGE)).values() for line in lines]
    assert sum(np.size(item["values"]) for line in boards for item in line["items"] if "values" in item) <= 150

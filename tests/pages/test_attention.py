"""Test the page "Attention, step by step": its reasons, its masks, and what long texts cost.

Formula, matrices and code must agree.

Also the formulas of its steps.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.experiments.training import scores_of_length, weights_around_next_word, weights_beside_filler
from attention_core.mistakes import WITH_SWITCH
from boards import KNOWN, bare_symbol, boards, shown_by, table_symbol
from house_rules import check_rule
from pages.attention import lesson
from pages.attention.lesson import STEPS, Case, case_of
from pages.shared.controls import Parameters
from pages.shared.equation.model import matrices_of
from pages.shared.frame.dialogs import name_of
from pages.shared.notation.symbols import LETTERS
from simulating import drawn_equations, equations, lines_of_code, matrices, open_page, page_text

STORY = example("story")
MASKS = ("causal", "padding")
CAT, DRANK, MILK, BECAUSE, IT = range(5)
WEIGHTS = STORY.attention().weights


def numbers_in(text):
    """Return the numbers that are printed in bold in a text."""
    return [float(found) for found in re.findall(r"\*\*(\d[\d.]*)\*\*", text)]


# --- what the page says ---


@pytest.mark.lowest
def test_the_page_says_first_what_the_steps_are_for():
    assert "“it” takes the value of “cat” times **0.73**" in page_text(open_page("attention"))
    assert WEIGHTS[IT, CAT] == (WEIGHTS * (1 - np.eye(5))).max()


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("mask", "says"),
    [("causal", "After “cat” comes “drank”"), ("padding", "Suppose “it” is such a filler"), ("none", "")],
)
def test_a_mask_says_why_where_it_is_written(mask, says):
    app = open_page("attention", step="4", mask=mask)
    assert says in page_text(app)
    assert ("The mask" in page_text(app)) == bool(says)


@pytest.mark.lowest
def test_the_reason_for_a_mask_is_given_once():
    assert page_text(open_page("attention", step="5", mask="causal", look="future")).count("guess each next word") == 1


@pytest.mark.lowest
def test_where_nothing_is_written_word_by_word_the_story_is_offered():
    app = open_page("attention", step="5", look="future", example="context")
    (button,) = (button for button in app.button if button.key == "offer.story")
    assert "guess each next word" in page_text(button.click().run())


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("look", "title"),
    [
        ("shares", "Which token attends to which"),
        ("future", "Why hide later words?"),
        ("padding", "Why hide fillers?"),
        ("cost", "What does length cost?"),
    ],
)
def test_a_view_that_a_link_names_is_shown_at_the_first_step(look, title):
    assert f"## {title}" in page_text(open_page("attention", look=look))


@pytest.mark.lowest
@pytest.mark.parametrize("look", ["shares", "future", "padding", "cost"])
@pytest.mark.parametrize("name", ["context", "wide", "heads_512"])
def test_every_view_is_drawn_on_every_kind_of_example(name, look):
    assert not open_page("attention", step="5", look=look, example=name).exception


@pytest.mark.lowest
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize(
    ("mask", "taken", "other"), [("none", "S'", "M"), ("causal", "M", "S'"), ("padding", "M", "S'")]
)
def test_formula_board_card_and_code_take_the_same_scores(mask, taken, other, layout):
    app = open_page("attention", step="5", mask=mask, layout=layout, cell="weights.1.0")
    board = equations(app)["attention.equation.step"][0]["items"]
    assert {item["symbol"] for item in board if "symbol" in item} == {taken, "A"}
    told = page_text(app)
    assert f"e^{{{taken}_" in told
    assert f"e^{{{other}_" not in told  # the text holds the formula and the arithmetic of the cell
    name = {"S'": "scaled", "M": "masked"}
    code = lines_of_code(app)
    assert f"np.exp({name[taken]} -" in code
    assert name[other] not in code


@pytest.mark.lowest
def test_the_formula_of_a_step_has_what_the_example_has():
    story, columns, context = (case_of(example(name), "none", None) for name in ("story", "columns", "context"))
    projections, scores = STEPS[2].formula, STEPS[3].formula
    assert "b^Q" not in projections(story)
    assert "b^Q" in projections(columns)
    assert "C W^K" in projections(context)
    assert projections(context).startswith("Q = X W^Q")
    assert "sqrt" in scores(Case())
    assert "sqrt" not in scores(case_of(example("book"), "none", example("book").scale))
    assert "infty" in scores(Case(masked=True))


@pytest.mark.lowest
def test_unscaled_scores_are_labelled_in_the_equation():
    for link, sign in (({}, "÷ √d_k"), ({"scale": "none"}, "not scaled"), ({"example": "book"}, "not scaled")):
        lines = equations(open_page("attention", step="4", **link))["attention.equation.step"]
        assert sign in [item.get("text") for item in lines[1]["items"]]


@pytest.mark.lowest
def test_a_row_of_one_token_is_not_called_like_a_head():
    rows = matrices(open_page("attention", step="6", token="4"))
    assert rows["weights"]["symbol"] == "a_5"
    assert matrices(open_page("attention", step="9"))["weights.0"]["symbol"] == "A_1"


@pytest.mark.lowest
def test_no_explanation_of_a_step_mentions_a_notebook():
    for step in STEPS:
        assert "notebook" not in step.explanation(Parameters(), masked=True)


def numbers_in_of_attention_reasons(text):
    """Return the numbers that are printed in bold in a text."""
    return [float(found) for found in re.findall(r"\*\*(\d[\d.]*)\*\*", text)]


# --- the next word ---


def test_the_weight_is_divided_at_the_next_word():
    parts = weights_around_next_word(WEIGHTS)
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    np.testing.assert_allclose(parts[:, 1], [WEIGHTS[i, i + 1] for i in range(4)])
    assert parts[0, 0] == WEIGHTS[CAT, CAT]
    assert parts[3, 2] == 0


def test_masked_nothing_is_put_on_the_next_word_or_later():
    for name in EXAMPLES:
        this = example(name)
        if this.context is None:
            masked = this.attention(mask=this.mask("causal")).weights
            np.testing.assert_array_equal(weights_around_next_word(masked)[:, 1:], 0)


def test_queries_of_another_text_have_no_next_word():
    with pytest.raises(ValueError, match=r"weights must be square .*; got \(2, 4\): give"):
        weights_around_next_word(example("context").attention().weights)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_token_would_read_off_is_so(name):
    this = example(name)
    weights = this.attention().weights
    why = lesson.why_causal(this, weights, 4)
    if this.context is not None:
        assert "no reason" in why
        return
    following = np.diagonal(weights, offset=1)
    i = int(following.argmax())
    assert f"After “{this.tokens[i]}” comes “{this.tokens[i + 1]}”" in why
    assert numbers_in_of_attention_reasons(why) == [
        pytest.approx(following.max(), abs=1e-4),
        pytest.approx(weights[i, : i + 1].sum(), abs=1e-4),  # the sum of the weights that a mask leaves
    ]
    assert f"all {len(following)} guesses at once" in why


@pytest.mark.parametrize("name", EXAMPLES)
def test_one_pass_gives_what_a_pass_for_each_word_would(name):
    this = example(name)
    if this.context is None:
        at_once = this.attention(mask=this.mask("causal")).output
        for n in range(1, len(this.tokens) + 1):
            begun = replace(this, x=this.x[:n], tokens=this.tokens[:n], sentence="")
            np.testing.assert_allclose(begun.attention().output[-1], at_once[n - 1], rtol=1e-9, atol=1e-12)


def test_on_the_story_drank_would_read_milk_as_much_as_cat():
    assert WEIGHTS[DRANK, MILK] == WEIGHTS[DRANK, CAT]  # a scene says this where the mask hides the weights


def test_with_a_padding_token_the_weights_still_add_up_to_1():
    parts = weights_beside_filler(WEIGHTS)
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    np.testing.assert_array_equal(parts[:, 1], WEIGHTS[:, IT])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_reason_for_padding_names_the_greatest_weight_of_the_last_token(name):
    this = example(name)
    weights = this.attention().weights
    given = weights[:, -1] if this.context is not None else weights[:-1, -1]
    assert numbers_in_of_attention_reasons(lesson.why_padding(this, weights, 4)) == [
        pytest.approx(given.max(), abs=1e-4)
    ]
    assert (this.attention(mask=this.mask("padding")).weights[:, -1] == 0).all()


# --- what length costs ---


def test_twice_the_length_takes_four_times_the_scores():
    assert scores_of_length(5, 5) == WEIGHTS.size == 25
    assert scores_of_length(5, 5, times=2) == 4 * 25
    assert scores_of_length(2, 4, times=2) == 4 * 8
    with pytest.raises(ValueError, match="times must be a whole number"):
        scores_of_length(5, 5, times=0)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_curve_goes_through_the_scores_of_the_example(name):
    this = example(name)
    tokens, scores, named = lesson.growth_of_scores(this)
    n = len(this.tokens)
    assert scores[tokens.index(n)] == this.attention().scores.size
    assert scores[tokens.index(2 * n)] == 4 * this.attention().scores.size
    assert [length for length, name in zip(tokens, named, strict=True) if name] == [n, 2 * n, 4 * n]


# --- how far a number reaches ---


def test_one_number_of_x_reaches_a_row_and_a_column_of_the_scores_and_every_row_of_z():
    for token, feature in np.ndindex(STORY.x.shape):
        x = STORY.x.copy()
        x[token, feature] += 1
        before, after = STORY.attention(), replace(STORY, x=x, context=None).attention()
        elsewhere = np.ones_like(before.scores, dtype=bool)
        elsewhere[token], elsewhere[:, token] = False, False
        np.testing.assert_array_equal(after.scores[elsewhere], before.scores[elsewhere])
        if (after.output != before.output).any(axis=1).all():
            break
    else:
        pytest.fail("no number of X changes every row of Z")
    assert "every row of Z" in STEPS[7].explanation(Parameters(), masked=False)


MASKS_FORMULAS = ("none", "causal", "padding")
WORDS = re.compile(r"\\(?:text|texttt|operatorname|mathbb|begin|end)\{[^{}]*\}|\\[A-Za-z]+")
MATRIX = re.compile(r"([A-Z]+)(?:(')|\^\{?([QKVOR])(?![A-Za-z])\}?)?|b\^([QKVO])")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$([^$]+?)\$", re.DOTALL)
ROWS = {symbol.lower() for symbol in KNOWN if re.fullmatch("[A-Z]", symbol)} - {"c", "h"}
ONLY_KNOWN = "A formula has only symbols of the table in notation/symbols.py. These are not in it:"
ADD_IT = "write the formula in symbols of the table, or add an entry to SYMBOLS (a matrix) or to LETTERS."
SINGLE = {"e", *ROWS, *(letter for letter, _ in LETTERS.values() if len(letter) == 1)}


def matrices_in(latex):
    """Return the names of the matrices in a formula, without the numbers of heads and positions."""
    plain = re.sub(r"d_\{\\text\{model\}\}|d_[kv]|n_k|PE\(\d+\)", " ", latex)
    words = re.findall(r"\\(?:text|operatorname)\{([A-Z]\w*|head)\}", plain)
    return {match[0].replace("{", "").replace("}", "") for match in MATRIX.finditer(WORDS.sub(" ", plain))} | {*words}


def letters_in(latex):
    """Return the lower-case letters in a formula that name vectors or indices."""
    plain = re.sub(r"d_\{\\text\{model\}\}|d_[kv]|n_k|pos\b|PE\(\d+\)", " ", latex)
    return {*re.findall("[a-z]", MATRIX.sub(" ", WORDS.sub(" ", plain)))}


@pytest.mark.many
def test_formulas_are_written_in_symbols_of_the_table(each_page):
    found = dict[str, set[str]]()
    for link, shown in boards(each_page).items():
        for match in FORMULA.finditer(shown.text):
            latex = match[1] or match[2]
            unknown = matrices_in(latex) - KNOWN - SINGLE - {"NaN"} | letters_in(latex) - SINGLE
            found[f"{dict(link)}: ${latex}$"] = unknown
    check_rule(found, ONLY_KNOWN, ADD_IT)


def test_formulas_of_mistakes_are_as_well():
    formulas = {f"{mistake.name}: ${mistake.formula}$": mistake.formula for mistake in WITH_SWITCH}
    unknown = {name: matrices_in(latex) - KNOWN | letters_in(latex) - SINGLE for name, latex in formulas.items()}
    check_rule(unknown, ONLY_KNOWN, ADD_IT)


STEPS_SHOWN = [
    (step, mask, name) for step in range(1, 11) for mask in MASKS_FORMULAS for name in ("story", "columns", "french")
]


@pytest.mark.parametrize(("step", "mask", "name"), STEPS_SHOWN)
def test_the_formula_of_a_step_speaks_of_what_stands_on_its_board(step, mask, name):
    shown = shown_by(open_page("attention", example=name, step=str(step), mask=mask))
    formula = next(match[1] for match in FORMULA.finditer(shown.text) if match[1])
    drawn = matrices_of(shown.lines)
    board = {bare_symbol(matrix.symbol) for matrix in drawn} | {table_symbol(name_of(matrix)) for matrix in drawn}
    defined = matrices_in("".join(re.findall(r"(\S+) =", formula)))
    assert matrices_in(formula) <= board | defined, (matrices_in(formula), board)


@pytest.mark.parametrize("mask", MASKS_FORMULAS)
@pytest.mark.parametrize("scale", ["source", "none"])
@pytest.mark.parametrize("step", [4, 5, 9])
def test_formula_board_and_code_of_a_step_mask_alike(step, scale, mask):
    app = open_page("attention", step=str(step), mask=mask, scale=scale)
    code = lines_of_code(app)
    formula = next(text.value for text in app.markdown if "$$" in text.value).split("$$")[1]
    masked = mask != "none"
    assert ("masked" in code) == ("M" in matrices_in(formula)) == masked
    if step == 5:
        board = {name_of(matrix) for matrix in matrices_of(drawn_equations(app)["step5"])}
        assert board >= {"masked" if masked else "scaled", "weights"}
        assert ("scaled" in code) == ("scaled" in board) == ("S'" in matrices_in(formula)) == (not masked)

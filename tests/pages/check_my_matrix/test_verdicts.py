"""Test the verdicts of "Check my matrix": what is true, the first wrong place, the mistake, and what to try."""

import re
from typing import Any

import numpy as np
import pytest

from attention_core import softmax
from attention_core.diagnosis.pasted import Setting, problem_of
from attention_core.examples import example
from attention_core.mistakes.rare import every_mistake
from attention_core.reading.matrix_text import write_matrix
from pages.check_my_matrix import numbers
from pages.check_my_matrix.code import mending_lines
from pagesutil import KINDS
from simulating import HAND, check_page, heading, matrices, open_page, page_text, text_behind_press
from simulating import captions as captions_of

MISTAKE = {mistake.name: mistake for mistake in every_mistake()}
STORY = example("story")


def verdict(app):
    """Return the paragraphs of the verdict (what the page says about the answer) that are visible without a press."""
    first = next(i for i, text in enumerate(app.main.markdown) if text.value.startswith("## ") and "\n\n" in text.value)
    return app.main.markdown[first].value.split("\n\n")


def window(width):
    """Return the weights of the example "story" if each query attends to its own key and `width` - 1 keys before it."""
    seen = np.tri(5, dtype=bool) & ~np.tri(5, k=-width, dtype=bool)
    return softmax(np.where(seen, STORY.attention().scaled, -np.inf))


def test_the_order_of_a_verdict():
    wrong = np.array(HAND.output)
    wrong[1:] = MISTAKE["softmax_over_columns"].apply(HAND).output[1:]
    head, true, place, *_ = verdict(check_page(wrong))
    assert head == "## No known mistake gives these numbers"
    assert true == "The first row of your output is correct."
    assert place.startswith("The first wrong number is in row 2, column 1 of your output. It is $")
    app = check_page(MISTAKE["softmax_over_columns"].apply(HAND).output)
    head, true, place, mistake = verdict(app)
    assert (head, true) == ("## One known mistake gives these numbers", "Your output has the correct shape, 3×2.")
    assert mistake.startswith("**The softmax runs down the columns.** Each column of your weights adds up to 1. ")
    text = page_text(app)
    assert text.index(mistake) < text.index("How to correct it") < text.index("`- weights = softmax(scaled, axis=-2)`")


def test_of_many_mistakes_the_commonest_stands_open_and_the_rest_behind_a_press():
    app = check_page(MISTAKE["not_scaled"].apply(STORY.multi_head()).output, example="story", asked="mixed")
    open_ones = [part for part in verdict(app) if part.startswith("Perhaps: **")]
    assert len(open_ones) == 1
    assert "give the same numbers: see “More about this verdict”." in page_text(app)
    n = int(heading(app).split()[1])
    assert f"All of these {n} mistakes give your numbers:" in text_behind_press(app)
    assert text_behind_press(app).count("\n- ") == n
    assert "cut to a whole number" in text_behind_press(app)
    assert sum("How to correct" in text.value for text in app.markdown) == 1


def test_what_would_tell_mistakes_apart_is_said():
    app = check_page(MISTAKE["keys_times_queries"].apply(HAND).output)
    assert "Paste your queries as well. Then I can exclude at least one of these mistakes." in page_text(app)


def test_what_was_tried_and_what_was_not_is_said_where_nothing_explains_it():
    app = check_page("0.1 7\n3.3 2\n1 9.9")
    assert "I cannot tell which mistake this is. I tried " in page_text(app)
    assert "pairs of the more common ones" in page_text(app)
    for word in (
        "another mask",
        "another scale",
        "one of several heads",
        "share keys between heads",
        "rotary",
        "ALiBi",
    ):
        assert word in text_behind_press(app)
    digits = np.random.default_rng(2).integers(-2, 3, size=(5, 16, 16))
    own = dict(zip(("own_x", "own_w_q", "own_w_k", "own_w_v"), (write_matrix(m, 0) for m in digits[:4]), strict=True))
    app = check_page(write_matrix(digits[4], 0), source="weights", heads="8", asked="mixed", **own)
    assert "On matrices as large as these, I did not try " in page_text(app)
    assert "pairs of mistakes" in page_text(app)


def test_a_matrix_of_another_step_is_said_to_be_right():
    assert heading(check_page(HAND.scaled, asked="scores")) == "## These are your scaled scores, and they are correct"
    app = check_page(HAND.scaled, asked="weights")
    assert "**The softmax is missing.**" in page_text(app)
    assert "Your numbers are the correct scaled scores. The task asks for the attention weights." in page_text(app)


def test_rows_in_reverse_are_called_that_and_other_orders_are_not():
    app = check_page(STORY.attention().output[::-1], example="story")
    assert heading(app) == "## Your rows are in reverse order"
    assert "Every row is correct, but the order is reversed: your first row is the correct row 5." in page_text(app)
    two_swapped = problem_of(STORY, "output").correct_result[[1, 0, 2, 3, 4]]
    assert heading(check_page(two_swapped, example="story")) == "## Your rows are correct, but in another order"


def test_a_scale_is_called_too_small_or_too_large():
    for factor, size in ((0.37, "small"), (2.7, "large")):
        app = check_page(softmax(factor * STORY.attention().scaled), example="story", asked="weights")
        assert heading(app) == f"## Perhaps your scaled scores are too {size}"
        assert f"Your numbers fit if each scaled score is ${factor}$ times the correct one." in page_text(app)
        assert f"They also fit if all your queries or all your keys are multiplied by ${factor}$." in page_text(app)
        assert "All else" not in page_text(app)
        assert rf"It should be $\sqrt{{d_k}} = 2$, and your numbers fit ${2 / factor:.4g}$." in page_text(app)
    app = check_page(
        softmax(0.37 * STORY.attention().scores / 8), example="story", asked="weights", scale="own", factor="1/8"
    )
    assert "Look in your code for the number that multiplies the scores. It should be $0.125$, and your" in page_text(
        app
    )


def test_one_row_in_every_place_is_said_to_be_that_row():
    app = check_page(np.tile(STORY.attention().output[2], (5, 1)), example="story")
    assert heading(app) == "## All your rows are equal"
    assert "All your rows are equal to the correct row 3. But each token has its own numbers." in page_text(app)


def test_nan_in_a_result_is_explained_by_its_possible_causes():
    unknown = np.array(HAND.output)
    unknown[1] = np.nan
    app = check_page(unknown)
    assert heading(app) == "## One row is NaN"
    assert heading(check_page(np.where(np.arange(3)[:, None] > 0, np.nan, HAND.output))) == "## Some rows are NaN"
    first = np.array(HAND.output)
    first[0] = np.nan
    assert "Row 1 is NaN. Perhaps your mask hides every key there" in page_text(check_page(first))
    assert "NaN (not a number) comes, for example, from 0/0, ∞/∞, ∞ − ∞ or 0 · ∞." in page_text(app)
    assert (
        "A softmax that does not subtract the maximum of the row also gives NaN if a score is too large"
        in page_text(app)
    )
    assert "In this task, no correct score is too large: the largest scaled score is $4$." in page_text(app)
    assert "NaN" not in page_text(check_page("0.1 7\n3.3 2\n1 9.9"))


def test_lines_to_remove_are_told_apart_from_lines_to_add():
    both = page_text(check_page(MISTAKE["softmax_over_columns"].apply(HAND).output))
    assert "`+ weights = softmax(scaled, axis=-1)`" in both
    assert "remove each line that begins with −, and add each line that begins with +." in both
    alone = page_text(check_page(MISTAKE["softmax_twice"].apply(HAND).output))
    assert "remove each line that begins with −. Your own names" in alone


def test_minus_infinity_that_was_pasted_is_shown_as_such():
    app = open_page("check_my_matrix", source="scores", own_scores="1 2 -inf\n.5 .5 -inf", answer="1 0 0\n1 0 0")
    shown = np.array(matrices(app)["scores_given"]["values"], dtype=float)
    np.testing.assert_array_equal(shown, [[1, 2, -np.inf], [0.5, 0.5, -np.inf]])


def test_a_row_with_every_key_hidden_is_named():
    app = open_page("check_my_matrix", source="scores", own_scores="1 2\n-inf -inf", answer="0.2689 0.7311\nnan nan")
    assert "**A row has every key hidden: 0 / 0.**" in page_text(app)
    assert "It is NaN (not a number), but it should be $0.$" in page_text(app)
    assert "Right" not in heading(app)


def test_a_window_is_described_in_words():
    app = check_page(window(3), example="story", asked="weights", mask="causal")
    assert heading(app) == "## Perhaps you used another mask"
    assert "Your numbers fit if each token attends only to itself and the 2 tokens before it." in page_text(app)
    right = STORY.attention(mask=np.tri(5, dtype=bool)).weights[3, 0]
    example_of_it = f"the weight in row 4, column 1 should be ${right:.4g}$, but with this mask it is $0$."
    assert example_of_it.replace("$0$", "0") in page_text(app)
    assert "in place of" not in page_text(app)


def test_a_mask_with_fewer_queries_than_keys_may_begin_or_end_with_the_keys():
    own = {"own_q": "1 2", "own_k": "1 0\n0 1\n1 1\n2 1\n0 2", "own_v": write_matrix(np.arange(10.0).reshape(5, 2))}
    link = {"source": "queries", "asked": "weights", "mask": "causal", **own}
    assert heading(check_page("1 0 0 0 0", **link)) == "## Right, if the mask begins with the first key"
    all_keys = softmax(np.array([[1, 2, 3, 4, 4]]) / np.sqrt(2))
    assert heading(check_page(all_keys, **link)) == "## Right, if the mask ends with the last key"


def test_a_right_result_says_what_it_cannot_show():
    right = problem_of(STORY, "mixed").correct_result
    app = check_page(right, example="story", asked="mixed")
    assert heading(app) == "## Right"
    assert "These numbers cannot show every mistake. In this example, " in page_text(app)
    assert "the root of the number of heads" in page_text(app)


def test_a_right_result_beside_a_wrong_step():
    scores = np.array(HAND.scores)
    scores[1, 2] = 5
    app = check_page(HAND.output, steps="on", given_scores=write_matrix(scores))
    assert heading(app) == "## Right, but your scores are not"
    assert "row 2, column 3 of your scores. It is $5$, but it should be $6.$" in page_text(app)


@pytest.mark.parametrize("stage", ["q", "weights"])
def test_steps_of_another_shape_raise_nothing_and_are_said(stage):
    app = check_page(HAND.output, steps="on", **{f"given_{stage}": write_matrix(example("hand").x, 1)})
    assert not app.exception
    assert "have another shape" in page_text(app)


def test_one_wrong_number_is_named_only_once():
    answer = np.round(HAND.output, 4)
    answer[1, 0] = -answer[1, 0]
    app = check_page(answer)
    assert heading(app) == "## One number is wrong"
    assert "Every other number is correct. Check its sign, its digits and its decimal point." in page_text(app)
    assert "The first wrong number" not in page_text(app)


def test_a_wrong_score_may_be_a_wrong_scaled_score():
    scaled = np.array(HAND.scaled)
    scaled[0, 1] += 1
    *_, candidates, last = verdict(check_page(softmax(scaled) @ HAND.v))
    right = HAND.scores[0, 1]
    assert candidates.splitlines() == [
        "- Row 1, column 3 of the queries: $0$ in place of $1$",
        f"- Row 1, column 2 of the scores: $0$ in place of ${right:g}$",
        f"- Row 1, column 2 of the scaled scores: $0$ in place of ${right / np.sqrt(4):g}$",
    ]
    assert last == "Paste your earlier steps as well. Then I can find out which number it is."


def test_every_right_row_is_named_and_many_are_counted():
    answer = np.round(HAND.output, 4)
    answer[1] = np.nan
    assert "Rows 1 and 3 of your output are correct." in verdict(check_page(answer))
    right = np.ones((64, 2), dtype=bool)
    right[3] = False
    told = numbers._correct_rows_text(KINDS["check_my_matrix"](), right, "output")
    assert told == "63 of 64 rows of your output are correct."


def test_the_right_number_has_as_many_decimals_as_the_pasted_matrix():
    keys = np.array(STORY.attention().k)
    keys[1] = keys[0]
    wrong = softmax(STORY.attention().q @ keys.T / 2) @ STORY.attention().v
    app = check_page(np.round(wrong, 4), example="story")
    assert "It is $0.6$, but it should be $0.2634.$" in page_text(app)
    assert heading(app) == "## A copied row in your keys gives these numbers"


def test_by_hand_begins_with_a_number_that_is_wrong_or_missing():
    app = check_page(np.round(example("hand").multi_head().concat, 4), asked="mixed")
    right = example("hand").multi_head().output
    assert f"row 1, column 3 of the output should be ${right[0, 2]:.4f}$. Begin with this number" in page_text(app)


def test_the_rate_of_dropout_is_computed_from_the_factor():
    random = np.random.default_rng(0)
    trace = STORY.attention()
    dropped = np.where(random.random(trace.weights.shape) < 0.2, 0, trace.weights / 0.8)
    app = check_page(np.round(dropped @ trace.v, 4), example="story")
    assert heading(app) == "## Perhaps dropout is switched on"
    assert "multiplied by $1.25 = 1 / (1 - p)$ with $p = 0.2$." in page_text(app)
    named = re.search(r"for example the weight in row (\d), column (\d),", page_text(app))
    assert named is not None
    assert dropped[int(named[1]) - 1, int(named[2]) - 1] == 0


def test_the_weights_that_dropout_set_to_0_are_named_in_pasted_weights():
    weights = np.array(STORY.attention().weights) / 0.9
    weights[3, 1] = 0
    app = check_page(np.round(weights, 4), example="story", asked="weights")
    assert "some attention weights are 0, for example the weight in row 4, column 2, and all other" in page_text(app)


def test_every_matrix_that_may_have_its_rows_in_another_order_is_listed_with_a_row_to_compare():
    told = page_text(check_page(STORY.attention().output[::-1], example="story"))
    assert "in one of these matrices: your queries, scores, scaled scores, attention weights or output." in told
    assert "Perhaps the rows of your input are in this order." in told
    assert "First compare row 1 of your queries: it should be $0$, $0$, $0$, $2$." in told
    assert "How to correct" not in told


def test_every_matrix_that_may_have_a_copied_row_is_listed():
    right = example("hand").multi_head()
    output = np.array(right.output)
    output[1] = output[0]
    app = check_page(np.round(output, 4), asked="mixed")
    assert heading(app) == "## Perhaps one row is a copy of another row"
    assert (
        "row 2 is a copy of row 1 in one of these matrices: your queries, heads side by side or output."
        in page_text(app)
    )
    assert "all else" not in page_text(app)


def test_a_mistake_of_the_mask_is_shown_by_a_weight():
    told = page_text(check_page(STORY.attention().output, example="story", mask="causal"))
    weight = STORY.attention().weights[0, 1]
    assert (
        "row 1, column 2 of the attention weights should be $0$ because this key is hidden, but this mistake makes it "
        f"${weight:.4g}$."
    ) in told
    assert (
        "`mask` is True where a query may use a key. Here it is `np.tri(len(q), len(k), dtype=bool)`."
        in captions_of(check_page(STORY.attention().output, example="story", mask="causal"))
    )


def test_a_mask_that_the_task_does_not_have_is_mended_by_a_line_without_it():
    problem = problem_of(STORY, "weights")
    lines = mending_lines(MISTAKE["mask_last_key_hidden"], problem).splitlines()
    assert lines == ["- scaled = np.where((np.arange(len(x)) < len(x) - 1), scaled, -np.inf)"]


def test_infinities_among_the_weights_are_named():
    seen = np.tri(5, dtype=bool)
    wrong = np.where(seen, STORY.attention().weights, -np.inf)
    app = check_page(write_matrix(wrong, 4), example="story", asked="weights", mask="causal")
    assert "**−∞ is put among the weights.** Put −∞ into the scores, before the softmax." in page_text(app)


def test_a_score_that_should_be_lower_by_its_distance_is_called_that():
    problem = problem_of(STORY, "weights", Setting(mask="causal", positions="alibi"))
    trace: Any = MISTAKE["alibi_added"].apply(problem.trace)
    link = {"example": "story", "asked": "weights", "mask": "causal", "positions": "alibi"}
    told = page_text(check_page(write_matrix(trace.weights, 4), **link))
    assert "(the scaled score minus the slope times the distance of the two tokens, because this key is not" in told


def test_a_wrong_divisor_is_named_with_the_correct_one():
    trace = example("french").attention()
    told = page_text(check_page(write_matrix(softmax(trace.scores / 4) @ trace.v, 3), example="french"))
    assert r"Here, this mistake divides the scores by $4$. The correct divisor is $\sqrt{d_k} = 2$." in told


def test_a_mistake_that_contradicts_a_correct_step_says_so():
    wrong = MISTAKE["queries_with_key_weights"].apply(STORY.attention()).output
    told = page_text(check_page(wrong, example="story", steps="on", given_q=write_matrix(STORY.attention().q)))
    assert "**The scores are K Kᵀ, not Q Kᵀ.**" in told
    assert "W^K$ is used for the queries" not in told
    alone = MISTAKE["query_bias_forgotten"]
    assert alone.name == "query_bias_forgotten"
    values = MISTAKE["input_as_values"].apply(example("square").attention()).output
    steps = {"steps": "on", "given_v": write_matrix(example("square").attention().v)}
    told = page_text(check_page(values, example="square", **steps))
    assert "But the values that you pasted are correct, and this mistake changes them." in told


def test_words_that_may_be_new_are_explained():
    app = check_page(MISTAKE["not_scaled"].apply(HAND).output)
    assert "Words: $d_k$ is the width of a query and of a key (here 4)" in captions_of(app)


def test_all_places_of_a_wrong_number_are_listed():
    answer = np.round(STORY.attention().output, 4)
    weights = np.array(STORY.attention().weights)
    weights[4, 1] += 0.1
    answer[4] = np.round(weights @ STORY.attention().v, 4)[4]
    told = page_text(check_page(answer, example="story"))
    assert "Perhaps a number in an earlier step is wrong instead." in told
    assert "- Row 5, column 2 of the attention weights: " in told


def test_every_title_of_a_mistake_is_a_sentence():
    verbs = re.compile(
        r"\b(is|are|has|have|uses?|runs?|comes?|stands?|gets?|hides?|shows?|adds?|puts?|sets?|attends?|covers?|begins?|"
        r"pairs?|goes|go|ends|gives)\b"
    )
    assert not [mistake.title for mistake in MISTAKE.values() if not verbs.search(mistake.title)]


def test_a_number_that_no_average_of_the_values_can_be_is_named():
    app = check_page("0.1 7\n3.3 2\n1 9.9")
    largest, smallest = HAND.v.max(axis=0), HAND.v.min(axis=0)
    assert f"The number in row 3, column 2 of your output is $9.9$. But the greatest number in column 2 of the values is ${largest[1]:g}$." in page_text(app)  # fmt: skip  # noqa: E501
    assert "An average cannot be greater than the greatest value. So your weights in row 3 do not add up to 1" in page_text(app)  # fmt: skip  # noqa: E501
    assert smallest[0] > -8
    below = page_text(check_page("0.1 7\n3.3 2\n-8 1"))
    assert f"The number in row 3, column 1 of your output is $-8$. But the smallest number in column 1 of the values is ${smallest[0]:g}$." in below  # fmt: skip  # noqa: E501
    inside = np.array([[smallest[0], largest[1]], [largest[0], smallest[1]], [smallest[0], smallest[1]]])
    assert "An average cannot be" not in page_text(check_page(inside))
    assert "An average cannot be" not in page_text(check_page("0.1 7 1\n3.3 2 1\n1 9.9 1"))


def test_a_transposed_causal_mask_is_named_as_an_upper_triangle():
    seen = np.triu(np.ones((5, 5), dtype=bool))
    weights = softmax(np.where(seen, STORY.attention().scaled, -np.inf))
    app = check_page(weights, example="story", asked="weights", mask="causal")
    assert "**The mask is transposed.**" in page_text(app)
    assert "Perhaps you wrote `np.triu` in place of `np.tril`." in "".join(captions_of(app))
    np.testing.assert_array_equal(np.tri(5, 5, dtype=bool).T, seen)
    missing = check_page(STORY.attention().weights, example="story", asked="weights", mask="causal")
    assert "np.triu" not in "".join(captions_of(missing))

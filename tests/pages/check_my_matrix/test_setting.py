"""Test the setting of a problem on "Check my matrix": its mask, its scale, a single head, and unreadable texts."""

from typing import Any

import numpy as np
import pytest

from attention_core.diagnosis.pasted import Setting, example_of_weights, problem_of, problem_of_queries
from attention_core.diagnosis.stages import possible_mistakes
from attention_core.examples import example
from attention_core.mistakes.engine.pipelines import LINES_THAT_ROTATE
from attention_core.reading.matrix_text import read_matrix, write_matrix
from pages.shared.notation.prose import typeset
from simulating import check_page, heading, link_of, open_page, page_text
from strategies import random_numbers

STORY = example("story")
Q = np.array([[1.0, 0, 2, 1], [0, 1, 1, 3]])
K = np.array([[1.0, 2, 0, 1], [0, 1, 1, 0], [2, 0, 1, 1]])
V = np.array([[1.0, 0], [0, 2], [3, 1]])
OWN = {"source": "queries", "own_q": write_matrix(Q, 0), "own_k": write_matrix(K, 0), "own_v": write_matrix(V, 0)}

SET = {
    "hidden keys": ({"mask": "padding", "hidden": "2, 4"}, Setting(mask="padding", hidden_keys=(2, 4))),
    "a window": ({"mask": "window", "window": "3"}, Setting(mask="window", window=3)),
    "no scale": ({"scale": "none"}, Setting(scale=1.0)),
    "a factor": ({"scale": "own", "factor": "1/8"}, Setting(scale=0.125)),
    "a head": ({"head": "2"}, Setting(head=2)),
    "an own mask": (
        {"mask": "own", "own_mask": "\n".join(["True False True True True"] * 5)},
        Setting(mask="own", own_mask=np.tile([True, False, True, True, True], (5, 1))),
    ),
    "ones that hide": (
        {"mask": "own", "ones_hide": "on", "own_mask": "\n".join(["0 1 0 0 0"] * 5)},
        Setting(mask="own", own_mask=np.tile([True, False, True, True, True], (5, 1))),
    ),
    "rotated neighbours": ({"positions": "rotary_pairs"}, Setting(positions="rotary_pairs")),
    "rotated halves": ({"positions": "rotary_halves", "base": "100"}, Setting(positions="rotary_halves", base=100.0)),
    "a slope": (
        {"positions": "alibi", "mask": "causal", "slope": "1/2"},
        Setting(mask="causal", positions="alibi", slope=0.5),
    ),
}


@pytest.mark.many
@pytest.mark.parametrize("name", SET)
def test_the_right_result_of_each_setting_is_right_and_the_usual_one_is_not(name):
    link, setting = SET[name]
    right, usual = problem_of(STORY, "output", setting).correct_result, STORY.attention().output
    app = check_page(right, example="story", **link)
    assert heading(app).startswith("## Right")
    assert not heading(check_page(usual, example="story", **link)).startswith("## Right")
    assert {key: link_of(app)[key] for key in link} == link, "the link has lost the setting"


def test_a_cache_has_its_mask_at_the_end():
    right = problem_of_queries(Q, K, V, "output", "causal_at_end").correct_result
    assert heading(check_page(right, mask="causal_at_end", **OWN)) == "## Right"
    begins = problem_of_queries(Q, K, V, "output", "causal").correct_result
    assert not heading(check_page(begins, mask="causal_at_end", **OWN)).startswith("## Right")


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ({"mask": "padding", "hidden": "2, 4"}, "The mask hides the keys 2 and 4, before the softmax"),
        ({"mask": "padding", "hidden": "4"}, "The mask hides the key 4,"),
        ({"mask": "window", "window": "3"}, "all keys except the last 3, counted up to the token itself"),
        ({"scale": "own", "factor": "1/8"}, r"softmax}\!\left(0.125 \cdot Q K^\top\right)"),
        ({"scale": "none"}, r"softmax}\!\left(Q K^\top\right)"),
        ({"head": "2"}, "of head 2 alone"),
        ({"positions": "rotary_pairs"}, "columns 1 and 2, and columns 3 and 4, are the first two pairs"),
        ({"positions": "rotary_halves", "base": "100"}, r"rotated by the angle $pos / 100^{2i/"),
        ({"positions": "rotary_pairs"}, r"\frac{{Q'} {K'}^\top}{\sqrt{d_k}}"),
        ({"positions": "alibi", "slope": "1/2"}, r"- m \, \lvert i - j \rvert\right)"),
        ({"positions": "alibi", "slope": "1/2"}, "the slope $m$ is $0.5$."),
        ({"positions": "alibi", "asked": "mixed"}, "the slopes $m$ of the heads are $0.0625$ and $0.00390625$."),
        ({"positions": "alibi", "head": "2"}, "the slope $m$ is $0.00390625$."),
    ],
)
def test_the_task_says_its_setting(link, text):
    assert text in page_text(open_page("check_my_matrix", example="story", **link))


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ({"mask": "padding"}, "The hidden keys must be whole numbers counted from 1, but the field is empty"),
        ({"mask": "padding", "hidden": "2 x"}, "but you wrote `x`"),
        ({"mask": "padding", "hidden": "7"}, "Hidden keys must be from 1 to 5, but you named 7"),
        ({"mask": "own"}, "The mask is still missing"),
        (
            {"mask": "own", "own_mask": "1 0\n1 1"},
            "a column for each key, but it is 2×2",
        ),
        ({"mask": "own", "own_mask": "0.5 0\n1 1"}, "A mask must have ones and zeros"),
        ({"scale": "own"}, "The factor of the scores must be a number, but the field is empty"),
        ({"scale": "own", "factor": "a"}, "but you wrote `a`"),
        ({"scale": "own", "factor": "0"}, "The scale must be from a billionth to a billion"),
        ({"positions": "rotary_pairs", "base": "1"}, "The base must be above 1"),
        (
            {"positions": "rotary_pairs", "base": ""},
            "The base of the rotation must be a number, but the field is empty",
        ),
        ({"positions": "alibi", "slope": "steep"}, "The slope must be a number, but you wrote `steep`"),
        ({"head": "7"}, "The head must be from 1 to 2, but it is 7"),
    ],
)
def test_what_cannot_be_read_of_a_setting_is_said_and_the_result_is_kept(link, text):
    app = open_page("check_my_matrix", example="story", answer="1 2", **link)
    assert not app.exception
    assert any(text in info.value for info in app.info), [info.value for info in app.info]
    assert link_of(app)["answer"] == "1 2"


SHARED = {
    "source": "weights", "heads": "4", "kv_heads": "2", "asked": "mixed",
    "own_x": write_matrix(random_numbers(3, 4), 3),
    "own_w_q": write_matrix(random_numbers(4, 8, seed=1), 3), "own_w_k": write_matrix(random_numbers(4, 4, seed=2), 3),
    "own_w_v": write_matrix(random_numbers(4, 4, seed=3), 3),
}  # fmt: skip


def problem_of_shared(asked, setting):
    """Return a problem with four heads of queries, which share two heads of keys and values."""
    own = {name: read_matrix(SHARED[f"own_{name}"]).values for name in ("x", "w_q", "w_k", "w_v")}
    return problem_of(example_of_weights(**own, n_heads=4, n_kv_heads=2), asked, setting)


def test_heads_may_share_keys():
    right = problem_of_shared("mixed", Setting(n_kv_heads=2)).correct_result
    app = check_page(right, **SHARED)
    assert heading(app) == "## Right"
    assert "every 2 in turn share their columns of $W^K$ and $W^V$" in page_text(app)


def test_one_head_that_shares_its_keys_must_be_chosen():
    right = problem_of_shared("weights", Setting(n_kv_heads=2, head=3, positions="rotary_halves")).correct_result
    setting = SHARED | {"asked": "weights", "positions": "rotary_halves"}
    assert heading(check_page(right, **setting, head="3")) == "## Right"
    app = open_page("check_my_matrix", **setting)
    assert any("One head must be chosen if heads share keys" in info.value for info in app.info)


def test_keys_tiled_in_the_place_of_repeated_ones_are_named():
    setting = Setting(n_kv_heads=2)
    right = problem_of_shared("mixed", setting)
    (tiled,) = [mistake for mistake in possible_mistakes(right.trace) if mistake.name == "shared_tiled_kv"]
    assert typeset(tiled.title) in page_text(check_page(tiled.apply(right.trace).output, **SHARED))


@pytest.mark.parametrize("kind", ["rotary_pairs", "rotary_halves"])
def test_a_correction_says_how_pairs_are_rotated(kind):
    problem = problem_of(STORY, "weights", Setting(positions=kind))
    name = f"rotation_left_out_of_{kind.removeprefix('rotary_')}"
    (left_out,) = [mistake for mistake in possible_mistakes(problem.trace) if mistake.name == name]
    wrong: Any = left_out.apply(problem.trace)
    app = check_page(wrong.weights, example="story", asked="weights", positions=kind)
    notes = "\n".join(caption.value for caption in app.caption)
    written = [line.strip() for line in LINES_THAT_ROTATE[kind].splitlines()[1:]]
    assert "`turned(m, angles)` is a function with the lines " in notes
    assert all(f"`{line}`" in notes for line in written)

"""The setting of a problem on the page: its mask, its scale, one head by itself, and what cannot be read of them."""

import numpy as np
import pytest

from attention_core.diagnosis.pasted import Setting, problem_of, problem_of_queries
from attention_core.examples import example
from attention_core.reading.matrix_text import write_matrix
from checking import checked, heading
from simulating import link_of, opened, said

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
}


@pytest.mark.parametrize("name", SET)
def test_the_right_result_of_each_setting_is_right_and_the_usual_one_is_not(name):
    link, setting = SET[name]
    right, usual = problem_of(STORY, "output", setting).right, STORY.attention().output
    app = checked(right, example="story", **link)
    assert heading(app).startswith("## Right")
    assert not heading(checked(usual, example="story", **link)).startswith("## Right")
    assert {key: link_of(app)[key] for key in link} == link, "the link has lost the setting"


def test_a_cache_has_its_mask_at_the_end():
    right = problem_of_queries(Q, K, V, "output", "causal_at_end").right
    assert heading(checked(right, mask="causal_at_end", **OWN)) == "## Right"
    begins = problem_of_queries(Q, K, V, "output", "causal").right
    assert not heading(checked(begins, mask="causal_at_end", **OWN)).startswith("## Right")


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ({"mask": "padding", "hidden": "2, 4"}, "The mask hides the keys 2 and 4, before the softmax"),
        ({"mask": "padding", "hidden": "4"}, "The mask hides the key 4,"),
        ({"mask": "window", "window": "3"}, "all keys but the last 3 up to the token itself"),
        ({"scale": "own", "factor": "1/8"}, r"softmax}\!\left(0.125 \cdot Q K^\top\right)"),
        ({"scale": "none"}, r"softmax}\!\left(Q K^\top\right)"),
        ({"head": "2"}, "of head 2 alone"),
    ],
)
def test_the_task_says_its_setting(link, text):
    assert text in said(opened("check_my_matrix", example="story", **link))


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ({"mask": "padding"}, "The hidden keys must be whole numbers counted from 1; got none"),
        ({"mask": "padding", "hidden": "2 x"}, "got “x”"),
        ({"mask": "padding", "hidden": "7"}, "hidden keys must be from 1 to 5; got 7"),
        ({"mask": "own"}, "The mask is still to be pasted"),
        ({"mask": "own", "own_mask": "1 0\n1 1"}, "5×5; got 2×2"),
        ({"mask": "own", "own_mask": "0.5 0\n1 1"}, "A mask must have ones and zeros"),
        ({"scale": "own"}, "The factor of the scores must be a number; got none"),
        ({"scale": "own", "factor": "a"}, "got “a”"),
        ({"scale": "own", "factor": "0"}, "scale must be a finite number other than 0"),
        ({"head": "7"}, "head must be from 1 to 2; got 7"),
    ],
)
def test_what_cannot_be_read_of_a_setting_is_said_and_the_result_is_kept(link, text):
    app = opened("check_my_matrix", example="story", answer="1 2", **link)
    assert not app.exception
    assert any(text in info.value for info in app.info), [info.value for info in app.info]
    assert link_of(app)["answer"] == "1 2"

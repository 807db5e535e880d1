"""Test the code of mistakes on their pages.

The code says if a mistake is not visible, and it makes the mistakes of heads before it changes the heads.
"""

import pytest

from pages.shared.controls import controls_of
from pages.shared.takehome.script import notebook, script
from pages.shared.takehome.worksheet import tasks, worksheet
from pagesutil import DECLARED
from simulating import open_page
from taken_home import screen_at

pytestmark = pytest.mark.lowest


@pytest.mark.parametrize(
    ("page", "link", "says"),
    [
        ("attention", {"mistake": "mask_inverted"}, "Nothing to see yet. It takes a mask."),
        (
            "queries_keys_values",
            {"mistake": "weights_times_input"},
            "It cannot even be computed here. `q, k, v = w_q @ x",
        ),
    ],
)
def test_what_does_not_show_is_said_in_the_code(page, link, says):
    screen = screen_at(page, **link)
    *_, block = screen.code.blocks
    assert block.title.startswith("The mistake: ")
    assert block.aside
    assert says in screen.code.text(columns=False)
    assert says in script(screen)
    assert notebook(screen)


def test_heads_go_wrong_before_they_are_rewired():
    screen = screen_at("multi_head", rewire="swap", mistake="heads_averaged")
    titles = [block.title for block in screen.code.blocks]
    assert titles.index("The mistake: The heads are averaged") < titles.index("Your changes")
    assert not screen_at("multi_head", mistake="heads_averaged").code.blocks[0].title.startswith("The mistake")


def test_in_code_shows_the_mistake_and_its_source():
    app = open_page("softmax_axes", mistake="softmax_twice")
    app.session_state["softmax_axes.in_code"] = True
    app = app.run()
    ours, core = (code.value for code in app.code if "def " in code.value)
    assert "weights_mistake = softmax(weights_right)   # ✗\noutput_mistake = weights_mistake @ v_right" in ours
    assert "# The softmax is applied twice: this takes the place of the steps of the same name.\n" in core
    assert "\nweights = softmax(weights)" in core
    assert any("attention_core.mistakes, softmax_twice" in text.value for text in app.markdown)


def test_a_worksheet_asks_for_what_is_right():
    for page, link in [("scaling", {}), ("softmax_axes", {"source": "array"}), ("softmax_axes", {"example": "wide"})]:
        mistake = next(iter(controls_of(DECLARED[page].parameters)["mistake"].options))
        with_one, without = screen_at(page, **link, mistake=mistake), screen_at(page, **link)
        assert "mistake" in with_one.equations
        assert worksheet(with_one, [0]) == worksheet(without, [0])
        assert len(list(tasks(with_one, {}))) == len(list(tasks(without, {})))

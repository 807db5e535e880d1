"""A press moves nothing that the visitor looks at: what is above the pressed control stays, and so does the control."""

import pytest

from browsing import settle
from pagesutil import DECLARED

# The path and the step of training have tests of their own, and these other pages have no panel as they open.
ELSEWHERE = {"path", "training_step", "home", "room", "lecturers", "spot_the_bug", "check_my_matrix"}
PAGES_WITH_PANELS = [name for name in DECLARED if name not in ELSEWHERE]

# The controls of panels that a press changes, in their order. The page keeps them by their number.
CONTROLS = """
() => {
  const panels = [...document.querySelectorAll('[data-testid="stMain"] [data-testid="stBidiComponentIsolated"]')]
  const buttons = panels.flatMap((each) => [...(each.shadowRoot?.querySelectorAll(".panel button") ?? [])])
  const idle = ':is([aria-checked="true"][role="radio"], [aria-disabled="true"], .why)'
  window.pressable = buttons.filter((each) => !each.matches(idle) && each.checkVisibility())
  return pressable.map((each) => each.textContent || each.ariaLabel)
}
"""
# Note where a control is, and every element that ends above it. Then press it.
NOTE = """
(n) => {
  const control = pressable[n]
  control.scrollIntoView({ block: "center" })
  const boxOf = (element) => element.getBoundingClientRect()
  const main = document.querySelector('[data-testid="stMain"]')
  const above = [...main.querySelectorAll('[data-testid="stElementContainer"]')].filter(
    (each) => boxOf(each).height && boxOf(each).bottom <= boxOf(control).top,
  )
  window.noted = [control, ...above].map((each) => [each, boxOf(each)])
  control.click()
}
"""
# Return by how many pixels the control has moved, and the first element above it that has moved or gone.
MOVED = """
() => {
  const shift = ([element, before]) => {
    const after = element.getBoundingClientRect()
    return element.isConnected ? Math.max(Math.abs(after.top - before.top), Math.abs(after.left - before.left)) : 999
  }
  const [control, ...above] = noted.map(shift).map(Math.round)
  const first = above.findIndex((by) => by > 1)
  return [control, first < 0 ? "" : `${noted[first + 1][0].textContent.trim().slice(0, 40)}: ${above[first]}`]
}
"""
# Presses that make an equation above them higher or lower, because it gets or loses rows. The control stays.
GROWS = {
    "softmax_axes": {"Its scores, not divided", "Twelve numbers to change"},
    "next_word": {"Draw a word", "Start again"},
    "cross_attention": {"Let X attend to itself"},
}


def moves_of_page(page, name) -> list[str]:
    """Press each control of the panels once. Return which control has moved, and what has moved above it."""
    found = list[str]()
    for number, label in enumerate(page.evaluate(CONTROLS)):
        if number >= len(page.evaluate(CONTROLS)):
            break
        page.evaluate(NOTE, number)
        control, above = settle(page, quiet=80).evaluate(MOVED)
        if control > 1:
            found.append(f"{label} moves itself by {control}")
        if above and not any(label.endswith(each) for each in GROWS.get(name, ())):
            found.append(f"{label} moves {above}")
    return found


@pytest.mark.many
@pytest.mark.parametrize("name", PAGES_WITH_PANELS)
def test_a_press_moves_nothing_above_it(name, visit):
    assert moves_of_page(visit(f"/{name}"), name) == []


EQUATION = """
() => {
  const equation = document.querySelector('[data-testid="stMain"] [class*="-equation-step"]')
  return equation.getBoundingClientRect().top
}
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_the_next_step_stands_where_the_last_one_stood(width, visit):
    page = visit("/attention", width=width, height=900)
    page.evaluate("window.kept = document.querySelector('[class*=\"-equation-step\"]')")
    tops = [page.evaluate(EQUATION)]
    for _ in range(9):
        page.get_by_role("button", name="Next step").click()
        tops.append(settle(page).evaluate(EQUATION))
    assert max(tops) - min(tops) <= 1
    assert page.evaluate("kept.isConnected"), "the equation was taken away and drawn anew"

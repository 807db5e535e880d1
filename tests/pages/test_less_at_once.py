"""Test that a page opens with little at once: one readable equation, and first the mistakes that are visible."""

import pytest

from attention_core.examples import example
from attention_core.mistakes import mistakes_of, visible_mistakes
from house_rules import check_rule
from pages.shared.equation.model import matrices_of
from pagesutil import USUAL
from simulating import drawn_equations, link_of, open_page

MOST = 150  # the most numbers that a page may show as it opens
MOST_OF_A_MAP = 300  # the limit of pages whose subject is a large map of attention
MAPS = ("induction_head", "real_heads", "real_model", "your_sentence")
STILL: dict[str, int] = {}  # pages that still open with more numbers; this dictionary should stay empty

SWITCHED = (
    *("softmax_axes", "queries_keys_values", "scaling", "attention"),
    *("multi_head", "positional_encoding", "cross_attention"),
)


def numbers_at_opening(page):
    """Return how many numbers a page shows when it opens."""
    shown = matrices_of(line for lines in drawn_equations(open_page(page)).values() for line in lines)
    return sum(matrix.values.size if matrix.only_row is None else matrix.values.shape[1] for matrix in shown)


@pytest.mark.parametrize("page", USUAL)
def test_a_page_opens_with_few_numbers(page):
    most, found = STILL.get(page, MOST_OF_A_MAP if page in MAPS else MOST), numbers_at_opening(page)
    check_rule(
        [f"{page}: {found}, and at most {most} are allowed"] if found > most else [],
        "A page opens with one equation of at most 150 numbers, or with a map of at most 300.",
        "put the rest into a view that is not the first, or into a folded part.",
    )


@pytest.mark.parametrize("page", SWITCHED)
def test_all_mistakes_of_a_page_are_offered(page):
    offered = [pills for pills in open_page(page).pills if "mistake" in (pills.key or "")]
    assert sum(len(pills.options) for pills in offered) == len(mistakes_of(page)) > 0


def test_the_mistakes_stand_in_one_line_until_one_is_on():
    def folded(**link):
        app = open_page("queries_keys_values", **link)
        # In older versions of Streamlit, its tests call a folded part with an icon a status.
        return [each for each in [*app.expander, *app.status] if each.label.startswith("What goes wrong")]

    (line,) = folded()
    assert line.label == "What goes wrong: 11 usual mistakes"
    assert not line.proto.expanded
    (line,) = folded(mistake="keys_as_values")
    assert line.proto.expanded


def test_mistakes_that_cannot_be_seen_here_are_one_press_away_and_say_why():
    trace = example("story").attention()
    seen = {mistake.name for mistake in visible_mistakes(trace, mistakes_of("queries_keys_values"))}
    assert {"keys_times_queries", "one_value_for_every_key"} <= seen
    # these mistakes need biases or other shapes
    assert not {"biases_forgotten", "features_weighted", "weights_transposed"} & seen
    app = open_page("queries_keys_values")
    first, others = [pills for pills in app.pills if "mistake" in (pills.key or "")]
    assert len(first.options) == len(seen)
    app = others.select("weights_transposed").run()
    assert link_of(app) == {"mistake": "weights_transposed"}
    assert any("cannot even be computed here" in warning.value for warning in app.warning)
    first, others = [pills for pills in app.pills if "mistake" in (pills.key or "")]
    assert first.value == "weights_transposed"
    assert len(first.options) == len(seen) + 1

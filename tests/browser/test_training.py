"""A model trained live: the page shows the progress, stops when asked, and offers every step at the end."""

from playwright.sync_api import expect

from attention_core.induction.training import STEPS
from browser.test_accessibility import faults

UNTIL_TRAINED = 60_000  # milliseconds, on a busy machine


def start_training(visit, seed):
    """Open the page, start a training that nobody has watched yet, and return the tab."""
    page = visit(f"/induction_head?seed={seed}")
    expect(steps(page)).to_have_count(2)
    page.get_by_role("button", name="Train it now").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    return page


def steps(page):
    """Return the options for the number of training steps."""
    return page.get_by_role("radiogroup", name="After how many steps").get_by_role("radio")


def test_a_training_is_watched_to_its_end(visit):
    page = start_training(visit, 5)
    # The charts are the curves of the training, two heads, and the curves of earlier models.
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(4)
    expect(page.get_by_role("progressbar")).to_have_count(0, timeout=UNTIL_TRAINED)
    expect(steps(page)).to_have_count(len(STEPS))
    expect(page.get_by_role("button", name="Train it now")).to_be_enabled()


def test_a_stopped_training_keeps_its_last_model(visit):
    page = start_training(visit, 4)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.wait_for_url("**/induction_head?seed=4&after=*")
    expect(page.get_by_role("button", name="Train it now")).to_be_enabled()


def test_the_rest_of_the_page_answers_while_it_trains(visit):
    page = start_training(visit, 3)
    page.get_by_role("radio", name="What the second head needs").click()
    expect(page.get_by_role("heading", name="What does the second head need?")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()


def test_axe_finds_nothing_while_it_trains(visit):
    page = start_training(visit, 2)
    assert faults(page) == []

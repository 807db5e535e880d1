"""Controls show the value that is set, although the server sends it only if a control may show another value."""

from playwright.sync_api import expect

from attention_core.examples import example
from browsing import settle


def choice(page, group, name):
    """Return the option `name` in a group of options."""
    return page.get_by_role("radiogroup", name=group).get_by_role("radio", name=name, exact=True)


def test_the_shared_settings_are_shown_on_every_page(visit):
    page = visit("/scaling")
    for concept, opens_with in (("Cross-attention", "french"), ("Positional encoding", "story"), ("Scaling", "story")):
        page.get_by_test_id("stSidebar").get_by_role("link", name=concept).click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        settle(page)
        expect(choice(page, "Tokens are", "Rows")).to_be_checked()
        expect(page.get_by_role("switch", name="Presenter view")).not_to_be_checked()
        expect(page.get_by_role("combobox", name="Example")).to_have_value(example(opens_with).title)


def test_what_was_chosen_is_still_shown_after_another_view(visit):
    page = visit("/scaling?look=draws&distribution=uniform&d_k=256")
    for view in ("Two wrong beliefs", "Thousands of random scores"):
        choice(page, "What to look at", view).click()
        settle(page)
    expect(choice(page, "Features drawn", "Uniform, 0 to 1")).to_be_checked()
    expect(page.get_by_role("slider", name="Width of a key")).to_have_attribute("aria-valuetext", "256")


def test_what_was_chosen_is_still_shown_with_tokens_the_other_way(visit):
    page = visit("/softmax_axes?axis=columns&temperature=2&look=temperature")
    choice(page, "Tokens are", "Columns").click()
    settle(page)
    expect(choice(page, "What adds up to 1", "Each row")).to_be_checked()  # the axis has this name now
    expect(page.get_by_role("slider", name="Temperature")).to_have_value("2")
    choice(page, "What to look at", "Why powers?").click()
    choice(page, "Base", "2").click()
    settle(page)
    expect(choice(page, "What adds up to 1", "Each row")).to_be_checked()


def test_options_of_another_example_show_what_is_set(visit):
    page = visit("/cross_attention?example=hand&queries=2")
    expect(choice(page, "How many ask?", "2")).to_be_checked()
    page.get_by_role("combobox", name="Example").click()
    page.get_by_role("option", name="A decoder asks").click()
    settle(page)
    expect(page.get_by_text("Two inputs: this is cross-attention.")).to_be_visible()
    for group in ("How many ask?", "How many answer?"):
        expect(page.get_by_role("radiogroup", name=group).locator('[aria-checked="true"]')).to_have_count(1)

"""The menu: each page has an icon, which a screen reader does not read with the page's name, and no name is cut off."""

from playwright.sync_api import expect

from pages.shared.site.page import catalogue

ICON = "link => getComputedStyle(link, '::before').content"
CUT = "link => [link, ...link.querySelectorAll('*')].some(box => box.clientWidth && box.scrollWidth > box.clientWidth)"


def test_a_page_is_called_by_its_concept_alone_beside_its_icon(visit):
    menu = visit("/scaling").get_by_test_id("stSidebarNavItems")
    names = ["Attention Lab", *(entry.concept for entry in catalogue()[1:])]
    links = [menu.get_by_role("link", name=name, exact=True) for name in names]
    for link, entry in zip(links, catalogue(), strict=True):
        expect(link).to_have_count(1)
        assert link.evaluate(ICON) == f'"{entry.icon}" / ""'
        assert not link.evaluate(CUT), entry.concept


def test_a_group_is_named_above_its_first_page(visit):
    menu = visit("/scaling").get_by_test_id("stSidebarNavItems")
    above = "item => getComputedStyle(item, '::before').content.replaceAll('\"', '')"
    named = {item.inner_text(): item.evaluate(above) for item in menu.get_by_role("listitem").all()}
    shown = {name: group for name, group in named.items() if group != "none"}
    firsts = {entry.group: entry.concept for entry in reversed(catalogue()) if entry.group}
    assert shown == {concept: group for group, concept in firsts.items()}

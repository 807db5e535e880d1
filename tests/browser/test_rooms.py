"""A class in a browser: a lecturer and two phones, from the first question until the room is deleted."""

import io
import re
from itertools import chain

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from attention_core.tasks.seeded import task
from browser.equation import cell, paste
from browser.test_accessibility import faults_in_both_themes
from browser.test_contract import FITS_ITS_WIDTH
from browsing import new_tab, record_problems, resize, settle, shown_exceptions
from pages.shared.notation.prose import typeset
from pages.shared.rooms.limits import FREE_SETTING
from pages.shared.scene_files.scene import scenes_of
from rooms import rooms_in
from serving import serve

WIDTHS = "bars => bars.map(bar => Math.round(bar.getBoundingClientRect().width))"
FOLLOWS = 5_000  # milliseconds; a page asks every 1.5 seconds, and this machine may be busy
TASK = task("softmax_axes", 17, 1)
MISTAKE = next(mistake for mistake in TASK.mistakes if mistake.name == "softmax_over_columns")


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """Give the tests a server of the app, which stores its rooms in a folder of its own, and lets them open many."""
    with rooms_in(tmp_path_factory.mktemp("rooms")), pytest.MonkeyPatch.context() as patch:
        patch.setenv(FREE_SETTING, "100")
        with serve() as server:
            yield server


@pytest.fixture
def tab(browser, app):
    """Give the test a function that opens a tab for a new visitor. At the end, check that no tab has shown an error."""
    opened, problems = [], []

    def open_tab(address, **look):
        page = new_tab(browser, app.url, **look)
        problems.append(record_problems(page))
        opened.append(page)
        page.goto(address)
        return settle(page)

    yield open_tab
    wrong = [*(each for page in opened for each in shown_exceptions(page)), *chain(*problems)]
    for page in opened:
        page.context.close()
    assert wrong == []


def button(page, name):
    return page.get_by_role("button", name=name)


def open_on_phone(tab, code, **look):
    """Open the room with this code on a phone, and return the tab. `look` holds arguments of `change_look`."""
    return tab(f"/room?code={code}", touch=True, width=390, height=844, **look)


def code_of(page):
    """Return the code of the room in the page's address."""
    return re.findall(r"code=([A-Z]{5})", page.url)[0]


def send_matrix(page, matrix):
    """Fill a matrix into the page of a room, send it, and check that it has arrived."""
    first = cell(page, "weights_task", 0, 0)
    paste(first, "\n".join("\t".join(f"{number:.2f}" for number in row) for row in matrix))
    settle(page)
    button(page, "Send").click()
    expect(page.get_by_text("Your answer arrived")).to_be_visible()


def open_room_from_task(tab):
    """Open a room from a task, and return the lecturer's tab.

    Check that the address does not show the lecturer's key.
    """
    lecturer = tab("/softmax_axes?task=17&difficulty=1")
    button(lecturer, "Ask the class").click()
    expect(lecturer.get_by_text("answered")).to_be_visible()
    settle(lecturer)
    assert re.search(r"\?code=[A-Z]{5}$", lecturer.url), "the address shows the key"
    return lecturer


def link_of_the_lecturer(lecturer):
    """Return the lecturer's own link, as the page shows it."""
    button(lecturer, "Your own link").click()
    link = lecturer.get_by_text(re.compile(r"key=[0-9a-f]{32}")).inner_text()
    lecturer.keyboard.press("Escape")
    return link


def test_a_class_answers_a_task_twice_and_the_lecturer_sees_its_mistakes(tab):
    lecturer = open_room_from_task(tab)
    code = code_of(lecturer)
    first, second = open_on_phone(tab, code), tab("/room", touch=True, width=390, height=844, dark=True)
    second.get_by_label("Code of the room").fill(code.lower())
    button(second, "Join").click()
    expect(button(second, "Send")).to_be_visible()
    send_matrix(first, np.round(TASK.wrong_answer(MISTAKE), 2))
    send_matrix(second, TASK.correct_answer)
    expect(lecturer.get_by_text("2 joined")).to_be_visible(timeout=FOLLOWS)
    expect(lecturer.get_by_text("2 answered")).to_be_visible(timeout=FOLLOWS)
    for page in (first, second):
        assert MISTAKE.title not in page.inner_text("body")
        assert button(page, "Show the results").count() == 0
        assert page.evaluate(FITS_ITS_WIDTH)
    assert faults_in_both_themes(first) == []
    assert faults_in_both_themes(lecturer) == []

    button(lecturer, "Show the results").click()
    expect(first.get_by_text(MISTAKE.title)).to_be_visible(timeout=FOLLOWS)
    expect(second.get_by_text("All right.")).to_be_visible(timeout=FOLLOWS)
    bars = lecturer.locator(".st-key-room_bars")
    expect(bars).to_contain_text("Right · 1")
    expect(bars).to_contain_text(f"{typeset(MISTAKE.title)} · 1")
    expect(bars.get_by_role("link", name="Switch it on")).to_be_visible()
    assert len(set(settle(lecturer).locator(".st-key-room_bars [role=progressbar]").evaluate_all(WIDTHS))) == 1
    expect(lecturer.get_by_text("The commonest wrong answer")).to_be_visible()
    assert faults_in_both_themes(settle(lecturer)) == []
    assert faults_in_both_themes(settle(first)) == []

    button(lecturer, "Ask again").click()
    expect(button(first, "Send")).to_be_visible(timeout=FOLLOWS)
    send_matrix(first, TASK.correct_answer)
    expect(lecturer.get_by_text("1 answered")).to_be_visible(timeout=FOLLOWS)
    button(lecturer, "Show the results").click()
    expect(bars).to_contain_text("Right · first 1")
    expect(bars).to_contain_text("then 1")
    bars.get_by_role("link", name="Switch it on").click()
    lecturer.wait_for_url(re.compile("softmax_axes.*mistake=softmax_over_columns"))


def test_an_answer_outlives_a_reload_and_a_deleted_room_says_so(tab):
    lecturer = open_room_from_task(tab)
    student = open_on_phone(tab, code_of(lecturer))
    send_matrix(student, TASK.correct_answer)
    student.reload()
    expect(student.get_by_text("Your answer arrived")).to_be_visible()
    button(lecturer, "Delete the room").click()
    button(lecturer, "Delete it now").click()
    expect(student.get_by_text("No open room has the code")).to_be_visible(timeout=FOLLOWS)
    expect(lecturer.get_by_role("heading", name="Which room do you want to join?")).to_be_visible()


def test_the_lecturer_downloads_the_answers(tab):
    lecturer = open_room_from_task(tab)
    send_matrix(open_on_phone(tab, code_of(lecturer)), TASK.correct_answer)
    with lecturer.expect_download() as download:
        button(lecturer, "Answers as CSV").click()
    rows = download.value.path().read_text().splitlines()
    assert rows[0] == "round,question,answer,outcome"
    assert rows[1].startswith("1,")
    assert rows[1].endswith(",Right")


def test_after_a_reload_the_lecturer_leads_the_room_but_not_in_a_new_tab(tab):
    lecturer = open_room_from_task(tab)
    lecturer.reload()
    expect(button(lecturer, "Show the results")).to_be_visible()
    expect(lecturer.get_by_text("0 joined")).to_be_visible()
    new = lecturer.context.new_page()
    new.goto(lecturer.url)
    expect(button(new, "Send")).to_be_visible()
    assert button(new, "Show the results").count() == 0


def test_a_page_that_was_opened_anew_asks_in_the_same_room(tab):
    lecturer = open_room_from_task(tab)
    code = code_of(lecturer)
    for address in ("/softmax_axes?scene=3", "/softmax_axes?task=17&difficulty=1"):
        lecturer.goto(address)
        button(settle(lecturer), "Ask the class").click()
        expect(lecturer.get_by_text("answered")).to_be_visible()
        assert code_of(settle(lecturer)) == code


def test_the_lecturers_own_link_leads_in_another_browser_and_its_key_leaves_the_address(tab):
    lecturer = open_room_from_task(tab)
    other = tab(link_of_the_lecturer(lecturer))
    expect(button(other, "Show the results")).to_be_visible()
    other.wait_for_url(re.compile(r"\?code=[A-Z]{5}$"))


def test_a_deleted_room_is_not_led_after_a_reload(tab):
    lecturer = open_room_from_task(tab)
    button(lecturer, "Delete the room").click()
    button(lecturer, "Delete it now").click()
    expect(lecturer.get_by_role("heading", name="Which room do you want to join?")).to_be_visible()
    # The browser draws the page first, and then removes the code from the address.
    lecturer.wait_for_url(re.compile(r"/room$"))
    lecturer.reload()
    expect(settle(lecturer).get_by_role("heading", name="Which room do you want to join?")).to_be_visible()
    assert lecturer.get_by_text("The room that you lead").count() == 0


def test_the_presenter_view_keeps_its_room_after_a_reload(tab):
    lecturer = tab("/softmax_axes?scene=3&view=present")
    lecturer.keyboard.press("o")
    expect(lecturer.locator("#lab-code")).to_contain_text("/room?code=")
    lecturer.keyboard.press("x")
    expect(lecturer.get_by_text("0 answered")).to_be_visible()
    settle(lecturer).reload()
    expect(lecturer.get_by_text("0 answered")).to_be_visible()
    settle(lecturer).keyboard.press("s")
    expect(lecturer.locator(".st-key-class")).to_contain_text("A: each row · 0")


def test_a_student_with_a_made_up_key_leads_nothing(tab):
    code = code_of(open_room_from_task(tab))
    student = tab(f"/room?code={code}&key={'0' * 32}")
    expect(student.get_by_text("Only the lecturer's own link can do this")).to_be_visible()
    assert button(student, "Show the results").count() == 0


def test_one_key_asks_the_class_and_one_shows_what_it_answered(tab):
    lecturer = tab("/softmax_axes?scene=3&view=present")
    lecturer.keyboard.press("o")
    over = lecturer.locator("#lab-code")
    expect(over).to_contain_text("/room?code=")
    code = re.findall(r"code=([A-Z]{5})", over.inner_text())[0]
    lecturer.keyboard.press("x")
    expect(lecturer.get_by_text("0 answered")).to_be_visible()
    first, second = open_on_phone(tab, code), open_on_phone(tab, code, dark=True)
    button(first, "each row").click()
    button(second, "each column").click()
    expect(second.get_by_text("Your answer arrived: B: each column")).to_be_visible()
    expect(lecturer.get_by_text("2 answered")).to_be_visible(timeout=FOLLOWS)
    assert faults_in_both_themes(settle(second)) == []
    lecturer.keyboard.press("s")
    expect(first.get_by_text("Right.")).to_be_visible(timeout=FOLLOWS)
    expect(second.get_by_text("Not right.")).to_be_visible(timeout=FOLLOWS)
    expect(lecturer.locator(".st-key-class")).to_contain_text("A: each row · 1")


def test_the_next_key_is_heard_soon_after_one_that_asks_or_shows(tab):
    lecturer = tab("/softmax_axes?scene=3&view=present")
    lecturer.keyboard.press("o")
    expect(lecturer.locator("#lab-code")).to_contain_text("/room?code=")
    lecturer.keyboard.press("x")
    for key in ("o", "s", "o", "s"):
        settle(lecturer).keyboard.press(key)
    expect(lecturer.locator(".st-key-class")).to_contain_text("A: each row · first 0", timeout=FOLLOWS)


def test_a_key_without_a_question_or_a_room_says_what_to_do(tab):
    number = next(n for n, scene in enumerate(scenes_of("softmax_axes"), start=1) if not scene.options)
    lecturer = tab(f"/softmax_axes?scene={number}&view=present")
    lecturer.keyboard.press("o")
    expect(lecturer.get_by_text("Only a scene with answers can be asked")).to_be_visible()
    lecturer.keyboard.press("s")
    expect(lecturer.get_by_text("You have no open question")).to_be_visible()


HALLS = [(1024, 768), (1280, 720), (1366, 768), (1920, 1080)]
FROM_THE_LAST_ROW = 0.6  # the QR code has at least this share of the window’s height


def read_codes(picture):
    return [code.text for code in zxingcpp.read_barcodes(np.asarray(Image.open(io.BytesIO(picture)).convert("L")))]


def test_the_qr_code_fits_every_window_and_any_key_closes_it(visit):
    page = visit("/attention?scene=3&view=present&route=20", width=1280, height=720)
    over = page.get_by_role("status", name="The code for phones")
    for width, height in HALLS:
        resize(page, width, height)
        page.keyboard.press("q")
        expect(over).to_be_visible()
        code = over.get_by_alt_text("QR code")
        assert code.bounding_box()["height"] > FROM_THE_LAST_ROW * height
        for part in (code, *over.locator("p").all()):
            expect(part).to_be_in_viewport(ratio=1)
        (link,) = read_codes(page.screenshot())
        assert link.endswith("/attention?scene=3&route=20&view=guess")
        expect(over.locator("p").first).to_have_text(link)
        page.keyboard.press("q")
        expect(over).to_have_count(0)
    assert "view=present" in settle(page).url
    expect(cell(page, "scores", 1, 0)).to_be_hidden()  # Q has closed the code and done nothing else
    page.keyboard.press("q")
    expect(over).to_be_visible()
    page.keyboard.press("PageDown")
    expect(over).to_have_count(0)
    expect(cell(page, "scores", 1, 0)).to_be_visible()
    page.keyboard.press("q")
    expect(over).to_be_visible()
    page.keyboard.press("Escape")  # this closes the code and does not leave the scene
    expect(over).to_have_count(0)
    expect(page.get_by_test_id("stHeader")).to_be_hidden()


# A link, the selector of what shows its answer, and the buttons with which it asks.
SCENES = [
    ("/?scene=1&route=20&view=guess", ".words .share", ["A the cat", "B the milk", "C one cannot know"]),
    ("/attention?scene=3&route=45&view=guess", "figure[data-id='scores'] td.cell", ["A 0", "B 4", "C 6"]),
    ("/scaling?scene=2&route=45&view=guess", ".role-mark path", ["Show the results"]),
]


@pytest.mark.parametrize(("link", "result", "answers"), SCENES)
def test_a_phone_shows_results_once_its_owner_has_guessed(link, result, answers, visit):
    page = visit(link, width=390, height=844)
    offered = page.locator(".st-key-guesses button")
    results = page.locator(result).locator("visible=true")
    for button, answer in zip(offered.all(), answers, strict=False):
        expect(button).to_contain_text(answer)
        expect(button).to_be_in_viewport(ratio=1)
    expect(results).to_have_count(0)
    expect(page.locator(".st-key-says")).to_have_count(0)
    expect(page.get_by_test_id("stCode").or_(page.locator("pre.lines")).locator("visible=true")).to_have_count(0)
    title, menu = page.locator(".st-key-scene p").first.bounding_box(), page.get_by_test_id("stExpandSidebarButton")
    assert menu.bounding_box()["y"] + menu.bounding_box()["height"] <= title["y"]
    offered.first.click()
    expect(page.locator(".st-key-says")).to_be_visible()
    expect(results.first).to_be_visible()
    expect(offered).to_have_count(0)
    if len(answers) > 1:
        expect(page.locator(".st-key-says p").first).to_have_text(f"You chose {answers[0].replace(' ', ': ', 1)}.")
    page.locator(".st-key-scene").get_by_role("button", name="Next").click()
    expect(offered.first).to_be_visible()  # the next scene asks as well

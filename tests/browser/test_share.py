"""The Share dialog in a browser: the QR code on the screen is read, and a state is downloaded and opened again."""

import io

import numpy as np
import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from browser.equation import cell
from browsing import download_state, settle, share, upload_state

STATE = "/attention?example=book&x=1,0,1,0;0,2,0,2;1,5,1,1&cell=weights.0.1&step=5"


@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 390)])
def test_the_qr_code_holds_the_link(dark, width, visit):
    page = visit(STATE, dark=dark, width=width)
    dialog = share(page)
    picture = dialog.get_by_role("img", name="QR code").screenshot()
    (code,) = zxingcpp.read_barcodes(np.asarray(Image.open(io.BytesIO(picture)).convert("L")))
    assert code.text == dialog.locator("code").first.inner_text()
    assert code.text.endswith(STATE)


def test_a_state_is_downloaded_and_opened_on_another_page(visit, tmp_path):
    page = visit(STATE)
    assert download_state(page, tmp_path / "state.json") == "attention_book.json"
    elsewhere = visit("/scaling?example=cat")
    upload_state(elsewhere, tmp_path / "state.json")
    expect(elsewhere.get_by_role("heading", level=1)).to_contain_text("step by step")
    expect(elsewhere.get_by_role("dialog")).to_have_count(0)
    assert "step=5" in settle(elsewhere).url
    expect(elsewhere.get_by_role("radio", name="5 Softmax")).to_be_checked()
    expect(elsewhere.get_by_text("Changed from the example.")).to_be_visible()


def test_a_state_is_opened_on_its_own_page(visit, tmp_path):
    (tmp_path / "plain.json").write_text(
        '{"format": "attention lab state", "version": 1, "page": "attention", "state": {}}'
    )
    page = visit(STATE)
    upload_state(page, tmp_path / "plain.json")
    expect(page.get_by_role("radio", name="1 Input")).to_be_checked()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("Changed from the example.")).to_have_count(0)


def test_a_file_without_a_state_is_refused_with_its_reason_and_changes_nothing(visit, tmp_path):
    (tmp_path / "grades.json").write_text('{"version": 1}')
    page = visit(STATE)
    dialog = share(page)
    dialog.locator('input[type="file"]').set_input_files(tmp_path / "grades.json")
    expect(dialog.get_by_role("alert")).to_contain_text(
        "format must be “attention lab state”, but it is missing. Choose a file"
    )
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(cell(page, "weights", 0, 1)).to_have_class("cell self selected")


def test_a_state_too_long_for_a_link_says_so_and_offers_the_file(visit):
    row = ",".join(["1.2345678901234567e-05"] * 4)
    edits = {name: ";".join([row] * rows) for name, rows in {"x": 3, "w_q": 4, "w_k": 4, "w_v": 4, "w_o": 4}.items()}
    edits |= dict.fromkeys(("b_q", "b_k", "b_v"), row)
    page = visit("/attention?example=columns&" + "&".join(f"{name}={text}" for name, text in edits.items()))
    dialog = share(page)
    expect(dialog.get_by_text("A link can have 2,000 characters, but this state needs")).to_be_visible()
    expect(dialog.get_by_role("img", name="QR code")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Download this state")).to_be_visible()

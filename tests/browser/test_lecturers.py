"""The page “For lecturers” says how to embed a scene, and its code works in a page of another site."""

import functools
import html
import http.server
import threading

import pytest
from playwright.sync_api import expect


@pytest.fixture
def slides(tmp_path):
    """Give the test a folder, and the address of another site that serves the files in it."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield tmp_path, f"http://127.0.0.1:{site.server_address[1]}"
    site.shutdown()
    site.server_close()


def test_the_page_opens_with_how_to_prepare_and_folds_the_rest(visit):
    page = visit("/")
    page.get_by_role("link", name="For lecturers").last.click()
    expect(page.get_by_role("heading", name="Prepare in five minutes")).to_be_visible()
    expect(page.get_by_text("Students need a browser")).to_be_hidden()
    page.get_by_text("What students need").click()
    expect(page.get_by_text("Students need a browser")).to_be_visible()


def test_a_scene_in_a_slide_is_shown_alone_and_uncovered_by_a_key(visit, slides):
    folder, site = slides
    page = visit("/lecturers")
    page.get_by_text("A scene in your slides").click()
    frame = page.get_by_test_id("stCode").inner_text()
    assert "embed=true" in html.unescape(frame)
    (folder / "slide.html").write_text(f"<!doctype html><title>Slide</title><h1>My slide</h1>{frame}", "utf-8")
    (folder / "favicon.ico").write_bytes(b"")
    page.goto(f"{site}/slide.html")
    scene = page.frame_locator("iframe")
    weight = scene.locator("figure[data-id='weights'] td.cell").first
    expect(scene.locator(".st-key-scene p").first).to_contain_text("Which words does each word attend to?")
    expect(scene.get_by_test_id("stSidebar")).to_be_hidden()
    expect(weight).to_be_hidden()
    scene.locator(".st-key-scene p").first.click()
    page.keyboard.press("PageDown")
    expect(weight).to_be_visible()

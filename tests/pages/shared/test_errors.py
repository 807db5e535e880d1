"""Test what a visitor sees if the app fails, and that a running server contacts no other host."""

import os
import socket
import subprocess
import time
import tomllib

import pytest
import streamlit as st
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from crowd import open_page, run
from pages.shared.frame import errors
from serving import ROOT, free_port, is_healthy, serve, server_command, stop_process


def test_an_error_says_a_sentence_and_a_way_on(monkeypatch):
    said = []
    monkeypatch.setattr(st, "error", lambda text, **_: said.append(text))
    assert errors.show(ValueError("/secret/path.py")) is True
    assert errors.TEXTS.fill("went_wrong") in said[0]
    assert "secret" not in "".join(said)


def test_no_part_of_a_traceback_is_sent():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["client"]["showErrorDetails"] == "none"


@pytest.fixture
def listener():
    """Give the test a socket that would receive every connection that the server makes to another host."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(3)
        yield listening


@pytest.mark.long
def test_a_server_asks_no_other_host(listener):
    proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
    url = f"http://127.0.0.1:{free_port()}"
    bare = [part for part in server_command(ROOT / "app.py", url) if "server.address" not in part]
    process = subprocess.Popen(bare, cwd=ROOT, env={**os.environ, "http_proxy": proxy, "https_proxy": proxy})
    try:
        while not is_healthy(url):
            time.sleep(0.1)
        stream = url.replace("http", "ws") + "/_stcore/stream"
        with pytest.raises(InvalidStatus), connect(stream, origin=Origin("http://elsewhere.example")):
            pytest.fail("a page of another host was let in")
        with pytest.raises(TimeoutError):
            listener.accept()
    finally:
        stop_process(process)


@pytest.mark.long
def test_an_error_that_a_server_writes_down_is_told(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"), serve(tmp_path / "broken.py") as server:
        run(open_page(server, "home"))

"""What visitors share cannot be changed by one of them, and holds no more than it must."""

import json
import subprocess
import sys
from typing import Any

import pytest

from attention_core.reading.matrix_text import MOST_CHARACTERS, MatrixText
from pages.shared.lessons.check_my_matrix import reading
from pages.shared.lessons.check_my_matrix.reading import Unreadable
from serving import ROOT


@pytest.fixture(scope="module")
def caches():
    """What the caches hold once every one of them was used, told by a process of its own."""
    command = [sys.executable, "-W", "ignore", "tests/caches.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_cache_was_looked_at(caches):
    assert caches["unused"] == []  # a new one needs a link in tests/caches.py
    assert caches["arrays"] > 500


def test_no_cache_hands_out_an_array_that_can_be_written_to(caches):
    assert caches["writable"] == []


def test_no_cache_holds_an_error(caches):
    assert caches["errors"] == []


@pytest.mark.parametrize("text", ["[[1 two]]", "[[1 2] [3]]", "1 … 2"])
def test_what_cannot_be_read_is_cached_as_a_value(text):
    assert isinstance(reading._read(text), Unreadable)
    assert reading._read(text) is reading._read(text)


def test_a_text_that_is_too_long_is_not_cached():
    long = "1 2\n" * (MOST_CHARACTERS // 4 + 1)
    cache: Any = reading._read
    cache.cache_clear()
    assert isinstance(reading._found(long), Unreadable)
    assert cache.cache_info().currsize == 0
    assert isinstance(reading._found("1 2"), MatrixText)
    assert cache.cache_info().currsize == 1
    assert cache.cache_info().maxsize * MOST_CHARACTERS <= 4_000_000

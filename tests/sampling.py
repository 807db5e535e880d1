"""The sample of cases that run of a test with the marker `many`: another one for each commit.

A test with this marker multiplies pages, views, mistakes, examples or layouts. One of every ten cases in a row is
drawn, so the sample is spread over all pages. One commit always has the same sample, so its result can be repeated.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from checkout import git, has_commits
from serving import ROOT

EACH = 10
VARIABLE = "ATTENTION_LAB_SAMPLE"
NO_COMMIT = "no commit"  # the seed without git or without a repository
Case = TypeVar("Case")


def seed_of_sample(folder: Path = ROOT) -> str:
    """Return the seed of the sample: that of the variable ATTENTION_LAB_SAMPLE, or else the short id of the commit."""
    given = os.environ.get(VARIABLE)
    return given or (git(folder, "rev-parse", "HEAD")[:8] if has_commits(folder) else NO_COMMIT)


def sample_of(cases: Sequence[Case], test: str, seed: str) -> list[Case]:
    """Return one of every ten cases in a row, as the seed draws them. Each test has draws of its own."""
    draw = Random(f"{seed} {test}")
    return [draw.choice(cases[first : first + EACH]) for first in range(0, len(cases), EACH)]

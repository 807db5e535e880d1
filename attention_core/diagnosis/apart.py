"""What tells mistakes apart that give the same result: the first step before it in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.own_steps import made_with


def told_apart_by(work: EditedRun, findings: Sequence[Finding], steps: Sequence[str]) -> str:
    """Return the first of some steps in which one of the findings differs from the first one, or "" if none does."""
    for step in steps:
        first, *others = (made_with(work, finding, step) for finding in findings)
        if first is not None and any(
            other is None or other.shape != first.shape or not np.allclose(first, other, atol=1e-3, equal_nan=True)
            for other in others
        ):
            return step
    return ""

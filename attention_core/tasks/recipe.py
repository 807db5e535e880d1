"""Recipe: the parts of a drawn task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attention_core.arithmetic import Trace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recipe:
    """A drawn task: the right trace, the matrices that are given, and the one that is asked for."""

    trace: Any  # a trace of the core, or `OwnSteps`
    given: tuple[str, ...]
    done_until: str  # the last stage that is done already
    asked: str
    worked: Trace | None = None  # where the calculation of a cell is not read from the trace itself
    base: float | None = None
    mistakes: tuple[str, ...] = ()  # the names of the mistakes of the way back that can happen here

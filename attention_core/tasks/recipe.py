"""Recipe: the parts that a task is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attention_core.arithmetic import ExplainedTrace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recipe:
    """The parts of a random task: the right trace, the given matrices, and the matrix that is asked for."""

    trace: Any  # a trace of the core, or `OwnSteps`
    given: tuple[str, ...]
    done_until: str  # the last stage that is given already
    asked: str
    worked: ExplainedTrace | None = None  # the calculation of each cell, if it is not that of the trace itself
    base: float | None = None
    mistakes: tuple[str, ...] = ()  # the names of the mistakes of the backward pass that are possible here

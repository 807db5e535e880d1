"""The class `Recipe`: the random numbers from which a task is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attention_core.arithmetic import ExplainedTrace


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recipe:
    """The parts of a random task: the correct computation, the given matrices, and the matrix that is asked for."""

    trace: Any  # the correct computation: a trace of the core, or `OwnSteps`
    given: tuple[str, ...]  # the names of the given matrices
    done_until: str  # the name of the last matrix of the computation that is given; "" if there is none
    asked: str  # the name of the matrix that the task asks for
    worked: ExplainedTrace | None = None  # the calculation of each cell, if the trace does not give it
    base: float | None = None  # the base of the powers or of the encoding, if the task has to say it
    mistakes: tuple[str, ...] = ()  # the names of the possible mistakes, if the trace is an `OwnSteps`

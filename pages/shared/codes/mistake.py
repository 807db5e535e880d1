"""The code of a mistake that is switched on: the right computation beside it, and what follows from the mistake.

A slip's own lines are written for tokens as rows and stand in the catalogue. Each takes the place of the step that
computes the same name, and what depends on it is computed again; `_right` and `_slip` tell both sides apart, as the
page does. With tokens as columns what they start from is transposed, and what they give is transposed back.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from attention_core.examples import Example
from attention_core.slips import CATALOGUE, Slip
from pages.shared.codes.pieces import same, tailored
from pages.shared.codes.pipelines import (
    ALLOWED,
    SOFTMAX,
    SOFTMAX_OF_LITTLE,
    Pipeline,
    pipeline_of,
    right_trace,
)
from pages.shared.equation.explain import RIGHT, SLIP
from pages.shared.notation.prose import typeset
from pages.shared.takehome.code import Block, Code, drawn_of, given_of
from pages.shared.takehome.literals import WIDTH

WRONG = "   # ✗"
TURNED = "# It is written for tokens as rows, so what it starts from is transposed.\n"
NUMBERS = ("base",)  # of what the steps compute: these are not transposed
_UNMASKED = re.compile(r"np\.where\(allowed, (\w+), [^()]*\)")
_NAME = re.compile(r"#.*|(?<![\w.])[a-z]\w*")


def with_mistake(
    code: Code,
    parameters: Any,
    example: Example,
    *,
    mask: str = "none",
    n_heads: int | None = None,
    first: bool = False,
) -> Code:
    """Return the code with the mistake that is switched on, if one is; `first` where what it starts from is changed."""
    slip = next((slip for slip in CATALOGUE if slip.name == parameters.slip), None)
    if slip is None:
        return code
    block = _block(slip, parameters, example, mask, n_heads)
    if not block.aside:
        code = _started(code, example, pipeline_of(slip).inputs)
    blocks = (block, *code.blocks) if first else (*code.blocks, block)
    return replace(code, blocks=blocks, core=(*code.core, slip))


def mistaken(slip: Slip[Any], example: Example, mask: str, columns: bool) -> str:
    """Return the lines of a mistake: what is right, and what the slip makes of it."""
    pipeline = pipeline_of(slip)
    texts = {"start": pipeline.start, "steps": "\n".join(pipeline.steps), "slip": slip.code}
    start, steps, own = (_tailored(text, example, mask) for text in texts.values())
    told = _Told(tuple(_statements(steps)), pipeline.inputs if columns else ())
    body = [told.as_computed(start).rstrip("\n"), *told.right(), "", *told.wrong(_statements(own))]
    body += told.unchanged(pipeline)
    text = "\n".join(body)
    softmax = SOFTMAX if mask == "none" else SOFTMAX_OF_LITTLE
    text = softmax * ("softmax(" in text) + text
    return f"{TURNED}{text}\n{_turned_back(text)}" if columns else text


def _block(slip: Slip[Any], parameters: Any, example: Example, mask: str, n_heads: int | None) -> Block:
    title = f"The mistake: {slip.title}"
    reason = _hidden(slip, example, mask, n_heads)
    if reason:
        return Block(title=title, says=typeset(reason), rows=f"# {reason}", aside=True)
    rows, columns = (mistaken(slip, example, mask, side) for side in (False, True))
    says, formula = typeset(slip.why), parameters.formula(slip.formula)
    return Block(title=title, key="slip", says=says, formula=formula, rows=rows, columns=columns)


def _hidden(slip: Slip[Any], example: Example, mask: str, n_heads: int | None) -> str:
    """Say why a mistake does not show, or nothing where it does."""
    trace = right_trace(slip, example, mask, n_heads)
    try:
        slip.apply(trace)
    except ValueError as error:
        return f"It cannot even be computed here. {error}"
    return "" if slip.shows(trace) else f"Nothing to see yet. {slip.needs}"


def _started(code: Code, example: Example, inputs: tuple[str, ...]) -> Code:
    """Let code start from an example's matrices where it does not yet."""
    if "x" in (*code.given, *code.drawn_names):
        return code
    given = {name: values for name, values in given_of(example).items() if name in inputs}
    return replace(code, given={**code.given, **given}, **drawn_of(example))


def _tailored(text: str, example: Example, mask: str) -> str:
    """Leave out what an example does not have: biases, a context, a mask."""
    text = tailored(same(text.replace("ALLOWED", ALLOWED[mask])), example)["rows"]
    if mask != "none":
        return text
    text = re.sub(r"^masked = np\.where.*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\bmasked\b", "scaled", _UNMASKED.sub(r"\1", text))


# --- the lines ---


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    targets: tuple[str, ...]  # the names that it gives to values, none for a function

    def reads(self, names: Iterable[str]) -> bool:
        """Say whether it is computed from one of these."""
        return not {*_NAME.findall(self.text.partition(" = ")[2])}.isdisjoint(names)


def _statements(text: str) -> Iterator[_Statement]:
    lines = text.split("\n")
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        names = [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
        yield _Statement("\n".join(lines[node.lineno - 1 : node.end_lineno]), tuple(names))


@dataclass(slots=True)
class _Told:
    """The steps with their names as they are told: which side they are on, and what is transposed."""

    steps: tuple[_Statement, ...]
    transposed: tuple[str, ...]
    slipped: set[str] = field(default_factory=set)

    @property
    def computed(self) -> set[str]:
        return {name for step in self.steps for name in step.targets}

    def as_computed(self, text: str) -> str:
        """Return a text that reads what has been computed so far."""
        return _NAME.sub(lambda match: self._called(match[0]), text).replace(".T.T", "")

    def right(self) -> Iterator[str]:
        for step in self.steps:
            yield self._assigned(step, RIGHT)

    def wrong(self, own: Iterable[_Statement]) -> Iterator[str]:
        """Return the slip's own lines, each in the place of a step, and the steps that depend on them."""
        waiting = list(own)
        for step in self.steps:
            while waiting and any({*step.targets} & {*statement.targets} for statement in waiting):
                statement = waiting.pop(0)
                yield self._assigned(statement, SLIP) + WRONG * bool(statement.targets)
                self.slipped |= {*statement.targets}
            if not {*step.targets} <= self.slipped and step.reads(self.slipped):
                yield self._assigned(step, SLIP)
                self.slipped |= {*step.targets}
        if waiting:
            raise ValueError(f"a slip’s code must compute a matrix of its steps; got {waiting[0].text}: name one.")

    def unchanged(self, pipeline: Pipeline) -> Iterator[str]:
        """Return names for what is shown on the side of the mistake, and is as it should be."""
        for name in pipeline.ends:
            if name not in self.slipped:
                yield f"{name}{SLIP} = {name}{RIGHT}   # as it should be"

    def _assigned(self, statement: _Statement, suffix: str) -> str:
        if not statement.targets:
            return self.as_computed(statement.text) + "\n"
        targets = ", ".join(f"{name}{suffix}" for name in statement.targets)
        return f"{targets} = {self.as_computed(statement.text.partition(' = ')[2])}"

    def _called(self, name: str) -> str:
        if name in self.transposed:
            return f"{name}.T"
        return name + (SLIP if name in self.slipped else RIGHT) * (name in self.computed)


def _turned_back(text: str) -> str:
    found = re.findall(rf"^(?:\w+(?:{RIGHT}|{SLIP})(?:, )?)+(?= = )", text, flags=re.MULTILINE)
    names = [name for names in found for name in names.split(", ") if name.rpartition("_")[0] not in NUMBERS]
    every = textwrap.fill(", ".join(names), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"(\n{every},\n) = (m.swapaxes(-1, -2) for m in (\n{every},\n))   # and back"

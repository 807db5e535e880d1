"""The lines of a mistake: the right computation, and below it the lines that the mistake makes different.

A matrix has the ending `_right` or `_slip`, as on the page. The lines are written for tokens as rows. Where tokens are
columns, they transpose what they start from, and transpose the results back.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attention_core.examples import Example
from attention_core.slips import Slip
from attention_core.slips.engine.code_lines import lines_of, names_given, names_read
from attention_core.slips.engine.edits import edited
from attention_core.slips.engine.pipelines import Pipeline
from pages.shared.codes.source import Change, Source
from pages.shared.codes.tailoring import for_example, without_mask
from pages.shared.equation.selected_cell import RIGHT_SUFFIX, SLIP_SUFFIX
from pages.shared.takehome.literals import WIDTH

WRONG = "   # ✗"
TURNED = "# It is written for tokens as rows, so what it starts from is transposed.\n"
# The mask, with tokens as rows.
ALLOWED: Mapping[str, str] = {
    "causal": "allowed = np.tri(len(x), len(context), dtype=bool)   # no token sees what comes after it\n",
    "padding": "allowed = np.arange(len(context)) < len(context) - 1   # the last token is a filler\n",
    "none": "",
}
SOFTMAX = """\
def softmax(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
"""
SOFTMAX_OF_LITTLE = """\
def softmax(scores, axis=-1):                       # shares of nothing, where a mask leaves nothing, are 0
    greatest = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - np.where(greatest > -np.inf, greatest, 0))
    totals = powers.sum(axis=axis, keepdims=True)
    return powers / (totals + (totals == 0))
"""


def two_sides(slip: Slip[Any], example: Example, mask: str, columns: bool) -> str:
    """Return the right computation of an example, and below it the lines that a mistake makes different.

    Raises: ValueError if the mistake's code needs a bias or a mask that is not there.
    """
    pipeline = slip.pipeline
    texts = (ALLOWED[mask] + pipeline.start, "\n".join(step.code for step in pipeline.steps), slip.code)
    start, steps, mistake = (_tailored(code, example, mask) for code in texts)
    turned = pipeline.matrices if columns else ()
    lines = [_named(start, {}, {}, turned).rstrip("\n"), *_right(steps, turned), ""]
    lines += _wrong(steps, mistake, pipeline.shown, turned)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    if any(name.id == "softmax" for name in names_read(ast.parse(text))):
        text = (SOFTMAX if mask == "none" else SOFTMAX_OF_LITTLE) + "\n" + text
    return f"{TURNED}{text}\n{_turned_back(text, pipeline)}" if columns else text


def _tailored(code: str, example: Example, mask: str) -> str:
    code = for_example(code, example)
    return without_mask(code) if mask == "none" else code


def _right(steps: str, turned: Iterable[str]) -> Iterator[str]:
    names = {name: name + RIGHT_SUFFIX for line in lines_of(steps) for name in line.gives}
    for line in lines_of(steps):
        yield _named(line.text, names, names, turned)


def _wrong(steps: str, mistake: str, ends: Iterable[str], turned: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the mistake, the steps after them, and copies of the shown matrices that stay right."""
    every = [name for line in lines_of(steps) for name in line.gives]
    given, read = {name: name + SLIP_SUFFIX for name in every}, {name: name + RIGHT_SUFFIX for name in every}
    for line, is_own in edited(lines_of(steps), lines_of(mistake)):
        is_wrong = is_own and not given.keys().isdisjoint(line.gives)
        text = _named(line.text, given, read, turned) + WRONG * is_wrong
        yield f"\n{text}\n" if line.is_function else text
        read |= {name: given[name] for name in line.gives if name in given}
    for name in ends:
        if read[name] != given[name]:
            yield f"{given[name]} = {read[name]}   # as it should be"


def _named(code: str, given: Mapping[str, str], read: Mapping[str, str], turned: Iterable[str]) -> str:
    """Rename names where they are assigned and where they are read, and transpose some where they are read."""
    source = Source(code)
    changes = [source.renamed(node, given[node.id]) for node in names_given(source.tree) if node.id in given]
    places = [*names_read(source.tree)]
    changes += [source.renamed(node, read[node.id]) for node in places if node.id in read]
    changes += [_transposed(source, node) for node in places if node.id in turned]
    return source.changed(changes)


def _transposed(source: Source, name: ast.Name) -> Change:
    """Return the change that transposes a matrix where it is read: `x` becomes `x.T`, and `x.T` becomes `x`."""
    end = source.end(name)
    again = re.match(r"\.T\b", source.text(end, end + 3))
    return Change(end, end + 2) if again else Change(end, end, ".T")


def _turned_back(text: str, pipeline: Pipeline) -> str:
    """Return the line that transposes every matrix of both sides."""
    sides = {
        name + side: step for step in pipeline.steps for name in step.names for side in (RIGHT_SUFFIX, SLIP_SUFFIX)
    }
    numbers = {name for name, step in sides.items() if not step.is_matrix}
    given = dict.fromkeys(node.id for node in names_given(ast.parse(text)))
    names = [name for name in given if name.endswith((RIGHT_SUFFIX, SLIP_SUFFIX)) and name not in numbers]
    every = textwrap.fill(", ".join(names), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"(\n{every},\n) = (m.swapaxes(-1, -2) for m in (\n{every},\n))   # and back"

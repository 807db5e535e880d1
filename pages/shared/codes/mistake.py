"""The code of a mistake, beside the right code."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from attention_core.examples import Example
from attention_core.experiments.heads import run_rewired
from attention_core.mistakes import HEAD_MISTAKES, POSITION_MISTAKES, WITH_SWITCH, Mistake
from attention_core.mistakes.engine.code_lines import lines_of, names_given, names_read
from attention_core.mistakes.engine.edits import changed_lines
from attention_core.mistakes.engine.named_traces import Trace
from attention_core.mistakes.engine.pipelines import Pipeline
from attention_core.rotation import encode
from pages.shared.codes.pieces import Change, Source, for_example, without_mask
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX, RIGHT_SUFFIX
from pages.shared.notation.prose import typeset
from pages.shared.takehome.code import WIDTH, Block, Code, given_of, start_of

WRONG = "   # ✗"
TURNED = "# It is written for tokens as rows, so what it starts from is transposed.\n"
# The mask, with tokens as rows.
ALLOWED: Mapping[str, str] = {
    "causal": "allowed = np.tri(len(x), len(context), dtype=bool)   # no token attends to a later one\n",
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


def two_sides(mistake: Mistake[Any], example: Example, mask: str, columns: bool) -> str:
    """Return the code of the correct computation of an example and, below it, of the same computation with a mistake.

    The second part has only the lines that the mistake changes. `mask` is the kind of the mask, and `columns` says
    whether tokens are columns.

    Raises: ValueError if the mistake's code needs a bias or a mask that the example does not have.
    """
    pipeline = mistake.pipeline
    texts = (ALLOWED[mask] + pipeline.start, "\n".join(step.code for step in pipeline.steps), mistake.code)
    start, steps, wrong_line = (_tailor_code(code, example, mask) for code in texts)
    turned = pipeline.matrices if columns else ()
    lines = [_rename_names(start, {}, {}, turned).rstrip("\n"), *_correct_lines(steps, turned), ""]
    lines += _wrong_lines(steps, wrong_line, pipeline.shown, turned)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    if any(name.id == "softmax" for name in names_read(ast.parse(text))):
        text = (SOFTMAX if mask == "none" else SOFTMAX_OF_LITTLE) + "\n" + text
    return f"{TURNED}{text}\n{_transposing_line(text, pipeline)}" if columns else text


def _tailor_code(code: str, example: Example, mask: str) -> str:
    code = for_example(code, example)
    return without_mask(code) if mask == "none" else code


def _correct_lines(steps: str, turned: Iterable[str]) -> Iterator[str]:
    names = {name: name + RIGHT_SUFFIX for line in lines_of(steps) for name in line.gives}
    for line in lines_of(steps):
        yield _rename_names(line.text, names, names, turned)


def _wrong_lines(steps: str, mistake: str, shown_names: Iterable[str], turned: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the computation with a mistake: the mistake's own lines, and the steps that use their results.

    Then yield a line for each matrix of the page that stays correct. The line copies the correct matrix. `shown_names`
    has the names of the matrices on the page, `steps` is the code of all steps, and `mistake` is the code of the
    mistake. The matrices with the names `turned` are transposed where the code reads them.
    """
    every = [name for line in lines_of(steps) for name in line.gives]
    given, read = {name: name + MISTAKE_SUFFIX for name in every}, {name: name + RIGHT_SUFFIX for name in every}
    for line, is_own in changed_lines(lines_of(steps), lines_of(mistake)):
        is_wrong = is_own and not given.keys().isdisjoint(line.gives)
        text = _rename_names(line.text, given, read, turned) + WRONG * is_wrong
        yield f"\n{text}\n" if line.is_function else text
        read |= {name: given[name] for name in line.gives if name in given}
    for name in shown_names:
        if read[name] != given[name]:
            yield f"{given[name]} = {read[name]}   # as it should be"


def _rename_names(
    code: str, assigned_names: Mapping[str, str], read_names: Mapping[str, str], turned: Iterable[str]
) -> str:
    """Return the code with other names for its variables."""
    source = Source(code)
    changes = [
        source.renaming(node, assigned_names[node.id]) for node in names_given(source.tree) if node.id in assigned_names
    ]
    places = [*names_read(source.tree)]
    changes += [source.renaming(node, read_names[node.id]) for node in places if node.id in read_names]
    changes += [_transpose_change(source, node) for node in places if node.id in turned]
    return source.with_changes(changes)


def _transpose_change(source: Source, name: ast.Name) -> Change:
    end = source.end(name)
    again = re.match(r"\.T\b", source.text(end, end + 3))
    return Change(end, end + 2) if again else Change(end, end, ".T")


def _transposing_line(text: str, pipeline: Pipeline) -> str:
    """Return the code that transposes all results in `text`, both the correct and the wrong matrices."""
    sides = {
        name + side: step for step in pipeline.steps for name in step.names for side in (RIGHT_SUFFIX, MISTAKE_SUFFIX)
    }
    numbers = {name for name, step in sides.items() if not step.is_matrix}
    given = dict.fromkeys(node.id for node in names_given(ast.parse(text)))
    names = [name for name in given if name.endswith((RIGHT_SUFFIX, MISTAKE_SUFFIX)) and name not in numbers]
    every = textwrap.fill(", ".join(names), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"(\n{every},\n) = (m.swapaxes(-1, -2) for m in (\n{every},\n))   # and back"


def with_mistake(
    code: Code,
    parameters: Any,
    example: Example,
    *,
    mask: str = "none",
    n_heads: int | None = None,
    first: bool = False,
) -> Code:
    """Return the code of a page, with one more block if the visitor has switched on a mistake."""
    mistake = next((mistake for mistake in WITH_SWITCH if mistake.name == parameters.mistake), None)
    if mistake is None:
        return code
    block = _block(mistake, parameters, example, mask, n_heads)
    if not block.aside:
        code = _with_missing_matrices(code, example, mistake.pipeline.matrices)
    blocks = (block, *code.blocks) if first else (*code.blocks, block)
    return replace(code, blocks=blocks, core=(*code.core, mistake))


def right_trace(mistake: Mistake[Any], example: Example, mask: str = "none", n_heads: int | None = None) -> Trace:
    """Return the correct trace of the example for the pipeline in which `mistake` is made."""
    if mistake in HEAD_MISTAKES:
        return run_rewired(example, n_heads or example.n_heads)
    if mistake in POSITION_MISTAKES:
        return encode(example.x, range(len(example.x)))
    return example.attention(mask=example.mask(mask))


def _block(mistake: Mistake[Any], parameters: Any, example: Example, mask: str, n_heads: int | None) -> Block:
    title = f"The mistake: {mistake.title}"
    reason = _why_hidden(mistake, example, mask, n_heads)
    if reason:
        return Block(title=title, says=typeset(reason), rows=f"# {reason}", aside=True)
    rows, columns = (two_sides(mistake, example, mask, side) for side in (False, True))
    says, formula = typeset(mistake.why), parameters.formula(mistake.formula)
    return Block(title=title, key="mistake", says=says, formula=formula, rows=rows, columns=columns)


def _why_hidden(mistake: Mistake[Any], example: Example, mask: str, n_heads: int | None) -> str:
    """Return a sentence that says why a mistake changes no number in this example, or "" if it changes a number."""
    trace = right_trace(mistake, example, mask, n_heads)
    try:
        mistake.apply(trace)
    except ValueError as error:
        return f"It cannot even be computed here. {error}"
    return "" if mistake.shows(trace) else f"Nothing to see yet. {mistake.needs}"


def _with_missing_matrices(code: Code, example: Example, matrices: tuple[str, ...]) -> Code:
    if "x" in (*code.given, *code.drawn_names):
        return code
    given = {name: values for name, values in given_of(example).items() if name in matrices}
    return replace(code, given={**code.given, **given}, **start_of(example))

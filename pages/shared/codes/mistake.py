"""The block of code for the mistake that is switched on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_core.examples import Example
from attention_core.experiments.rewiring import rewired
from attention_core.position_trace import encode
from attention_core.slips import HEAD_SLIPS, POSITION_SLIPS, WITH_SWITCH, Slip
from attention_core.slips.engine.named_traces import Trace
from pages.shared.codes.two_sides import two_sides
from pages.shared.notation.prose import typeset
from pages.shared.takehome.code import Block, Code, given_of, start_of


def with_mistake(
    code: Code,
    parameters: Any,
    example: Example,
    *,
    mask: str = "none",
    n_heads: int | None = None,
    first: bool = False,
) -> Code:
    """Add the mistake that is switched on, if any.

    Its block stands `first` if the page's code overwrites matrices that the mistake starts from.
    """
    slip = next((slip for slip in WITH_SWITCH if slip.name == parameters.slip), None)
    if slip is None:
        return code
    block = _block(slip, parameters, example, mask, n_heads)
    if not block.aside:
        code = _started(code, example, slip.pipeline.matrices)
    blocks = (block, *code.blocks) if first else (*code.blocks, block)
    return replace(code, blocks=blocks, core=(*code.core, slip))


def right_trace(slip: Slip[Any], example: Example, mask: str = "none", n_heads: int | None = None) -> Trace:
    """Return the right trace to which a page applies a mistake."""
    if slip in HEAD_SLIPS:
        return rewired(example, n_heads or example.n_heads)
    if slip in POSITION_SLIPS:
        return encode(example.x, range(len(example.x)))
    return example.attention(mask=example.mask(mask))


def _block(slip: Slip[Any], parameters: Any, example: Example, mask: str, n_heads: int | None) -> Block:
    title = f"The mistake: {slip.title}"
    reason = _hidden(slip, example, mask, n_heads)
    if reason:
        return Block(title=title, says=typeset(reason), rows=f"# {reason}", aside=True)
    rows, columns = (two_sides(slip, example, mask, side) for side in (False, True))
    says, formula = typeset(slip.why), parameters.formula(slip.formula)
    return Block(title=title, key="slip", says=says, formula=formula, rows=rows, columns=columns)


def _hidden(slip: Slip[Any], example: Example, mask: str, n_heads: int | None) -> str:
    """Return the reason if a mistake does not show, or an empty text."""
    trace = right_trace(slip, example, mask, n_heads)
    try:
        slip.apply(trace)
    except ValueError as error:
        return f"It cannot even be computed here. {error}"
    return "" if slip.shows(trace) else f"Nothing to see yet. {slip.needs}"


def _started(code: Code, example: Example, matrices: tuple[str, ...]) -> Code:
    """Add the matrices of the example to what the code starts from, if they are missing."""
    if "x" in (*code.given, *code.drawn_names):
        return code
    given = {name: values for name, values in given_of(example).items() if name in matrices}
    return replace(code, given={**code.given, **given}, **start_of(example))

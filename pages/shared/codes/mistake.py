"""The block of code for the mistake that is switched on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attention_core.examples import Example
from attention_core.experiments.rewiring import run_rewired
from attention_core.mistakes import HEAD_MISTAKES, POSITION_MISTAKES, WITH_SWITCH, Mistake
from attention_core.mistakes.engine.named_traces import Trace
from attention_core.position_trace import encode
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
    """Return the code of a page, with one more block if the visitor has switched on a mistake.

    The block is the last one, or the first one if `first`. It must be first if the page's code overwrites matrices that
    the block reads. `mask` is the kind of the mask. `n_heads` is the number of heads, or None for the number that the
    example has.
    """
    mistake = next((mistake for mistake in WITH_SWITCH if mistake.name == parameters.mistake), None)
    if mistake is None:
        return code
    block = _block(mistake, parameters, example, mask, n_heads)
    if not block.aside:
        code = _with_missing_matrices(code, example, mistake.pipeline.matrices)
    blocks = (block, *code.blocks) if first else (*code.blocks, block)
    return replace(code, blocks=blocks, core=(*code.core, mistake))


def right_trace(mistake: Mistake[Any], example: Example, mask: str = "none", n_heads: int | None = None) -> Trace:
    """Return the correct trace of the example for the pipeline in which `mistake` is made.

    `mask` is the kind of the mask. `n_heads` is the number of heads, or None for the number that the example has.
    """
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
    """Return a sentence that says why a mistake changes no number in this example, or "" if it changes a number.

    `mask` is the kind of the mask. `n_heads` is the number of heads, or None for the number that the example has.
    """
    trace = right_trace(mistake, example, mask, n_heads)
    try:
        mistake.apply(trace)
    except ValueError as error:
        return f"It cannot even be computed here. {error}"
    return "" if mistake.shows(trace) else f"Nothing to see yet. {mistake.needs}"


def _with_missing_matrices(code: Code, example: Example, matrices: tuple[str, ...]) -> Code:
    """Return the code, and add those `matrices` of the example that the code does not define.

    If the code has the input `x`, it has the other matrices too. Then return it unchanged.
    """
    if "x" in (*code.given, *code.drawn_names):
        return code
    given = {name: values for name, values in given_of(example).items() if name in matrices}
    return replace(code, given={**code.given, **given}, **start_of(example))

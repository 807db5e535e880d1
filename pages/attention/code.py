"""The code of the page “Attention, step by step”: its ten steps, up to the step that is shown."""

from __future__ import annotations

import re
from typing import Any

from attention_core import attend, contributions, multi_head_attention, self_attention
from pages.attention.lesson import STEPS, TEXTS, case_of
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import MASKS, Both, tailor, without_mask
from pages.shared.takehome.code import Block, Code, given_of, start_of

FIRST_WITH_SCORES, FIRST_WITH_HEADS = 4, 9
BEFORE_HEADS = (1, 2, 3)
SUM = 7
ALL: Both = (
    "output = weights @ v   # the same as one product, and of every token",
    "output = v @ weights   # the same as one product, and of every token",
)
ROOT: Both = (
    """\
scaled_root = scores * (1 / np.sqrt(d_k))
powers_root = np.exp(scaled_root - scaled_root.max(axis=-1, keepdims=True))
weights_root = powers_root / powers_root.sum(axis=-1, keepdims=True)
output_root = weights_root @ v""",
    """\
scaled_root = scores * (1 / np.sqrt(d_k))
powers_root = np.exp(scaled_root - scaled_root.max(axis=-2, keepdims=True))
weights_root = powers_root / powers_root.sum(axis=-2, keepdims=True)
output_root = v @ weights_root""",
)


def code(parameters, example) -> Code:
    """Return the code of all steps from the first to the step that the page shows."""
    last = int(parameters.step)
    numbers = range(1, last + 1) if last < FIRST_WITH_HEADS else (*BEFORE_HEADS, *range(FIRST_WITH_HEADS, last + 1))
    blocks = [_block(number, parameters, example) for number in numbers]
    if scale_of(parameters, example) == 1.0 and last in (4, 5, 7, 8):
        blocks.append(_beside_the_root(parameters, example))
    given: dict[str, Any] = given_of(example, *(["w_o"] if last < 10 else []))
    given |= {"token": parameters.token % len(example.tokens)} if 6 <= last < FIRST_WITH_HEADS else {}
    given |= {"n_heads": example.n_heads} if last >= FIRST_WITH_HEADS else {}
    core = (self_attention, attend) if last < FIRST_WITH_HEADS else (multi_head_attention, attend)
    made = Code(
        name=f"step_{last}",
        given=given,
        **start_of(example),
        blocks=tuple(blocks),
        core=(*core, contributions) if last in (6, 7) else core,
    )
    return with_mistake(made, parameters, example, mask=parameters.mask)


def scale_of(parameters, example) -> float | None:
    """Return the factor that the scores are multiplied by."""
    return {"source": example.scale, "root": None, "none": 1.0}[parameters.scale]


def shown_lines(parameters, example) -> str:
    """Return the lines of code that compute the matrices of the step that the page shows."""
    block = _block(int(parameters.step), parameters, example)
    text = block.columns if parameters.columns else block.rows
    return text.strip("\n")


def _block(number: int, parameters, example) -> Block:
    step, scale = STEPS[number - 1], scale_of(parameters, example)
    case = case_of(example, parameters.mask, scale)
    both = _with_mask(number, (step.code, step.columns_code), parameters.mask)
    rows, columns = (_with_scale(text, scale) for text in both)
    if number == int(parameters.step) == SUM:
        rows, columns = f"{rows}\n\n{ALL[0]}", f"{columns}\n\n{ALL[1]}"
    return Block(
        title=parameters.say(TEXTS, "code_of_step", number=number, name=TEXTS.fill(step.name)),
        key=f"step{number}" * (number == int(parameters.step)),
        says=step.explanation(parameters, masked=case.masked),
        formula=parameters.formula(step.formula(case)),
        **tailor((rows, columns), example),
    )


def _with_mask(number: int, both: Both, kind: str) -> Both:
    """Return the code of a step for the mask of the kind `kind`. `both` has the code for each layout (rows, columns).

    If `kind` is "none", the mask is removed from the code. Otherwise the lines that make the mask are added to the
    first step with scores. `number` is the number of the step.
    """
    rows, columns = (text.removeprefix("import numpy as np\n\n") for text in both)
    if kind == "none":
        rows, columns = (without_mask(text, "mask").rstrip("\n") for text in (rows, columns))
    elif number in (FIRST_WITH_SCORES, FIRST_WITH_HEADS):
        rows, columns = (mask + text for mask, text in zip(MASKS[kind], (rows, columns), strict=True))
    return rows, columns


def _with_scale(text: str, scale: float | None) -> str:
    """Return the code with the chosen scale as a number, or with 1/√d_k if the scale is None."""
    text = text.replace("   # the context is x in self-attention", "")
    if scale is not None:
        return re.sub(r"\* scale\b.*|\* head_scale\b.*", f"* {scale:g}   # not 1 / np.sqrt(d_k)", text)
    text = re.sub(r"\* scale\b.*", "* (1 / np.sqrt(d_k))", text)
    return re.sub(r"\* head_scale\b.*", "* (1 / np.sqrt(q_heads.shape[AXIS]))", text).replace(
        "AXIS", "-2" if "k_heads.swapaxes(-1, -2) @ q_heads" in text else "-1"
    )


def _beside_the_root(parameters, example) -> Block:
    rows, columns = ROOT
    if parameters.mask != "none":
        line = "scaled_root = scores * (1 / np.sqrt(d_k))\n"
        masked = line + "masked_root = np.where(mask, scaled_root, -np.inf)\n"
        rows, columns = (
            masked + text.removeprefix(line).replace("scaled_root", "masked_root") for text in (rows, columns)
        )
    say = parameters.say
    return Block(
        title=say(TEXTS, "code_of_root"),
        key="root",
        says=say(TEXTS, "reason_of_root"),
        **tailor((rows, columns), example),
    )

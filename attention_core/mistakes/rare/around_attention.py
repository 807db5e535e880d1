"""Mistakes in which attention also does a step that belongs around it: a residual connection, a norm, an activation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attention_core.mistakes.engine.mistake import Concept, Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake
from attention_core.mistakes.rare.functions import FROM_CHANGED, title_of
from attention_core.mistakes.rare.table_of_functions import FUNCTIONS

BLOCK = (
    "The residual connection and the norm belong to the block around attention. The task asks only for the output "
    "of attention."
)
NORM = "({m} - {m}.mean(axis=-1, keepdims=True)) / np.sqrt({m}.var(axis=-1, keepdims=True) + 1e-5)"
_NORMED = f"changed = lambda m: {NORM.format(m='m')}\n{FROM_CHANGED}\n"
_AFTER = "added = output + x\noutput = "

AROUND: tuple[tuple[str, str, str], ...] = (
    ("added_and_normed", "The input is added, then layer norm", _AFTER + NORM.format(m="added")),
    ("added_and_normed_without_a_small_number", "The input is added, then layer norm without ε",
        f"{_AFTER}(added - added.mean(axis=-1, keepdims=True)) / added.std(axis=-1, keepdims=True)"),
    ("added_and_rms_normed", "The input is added, then RMS norm",
        f"{_AFTER}added / np.sqrt((added ** 2).mean(axis=-1, keepdims=True) + 1e-5)"),
    ("normed_and_added", "The output gets a layer norm, and then the input is added",
        f"output = {NORM.format(m='output')} + x"),
    ("normed_itself_and_added", "The input is normalised and added",  f"output = output + {NORM.format(m='x')}"),
    ("added_and_relu", "The input is added, then ReLU", f"{_AFTER}np.maximum(added, 0)"),
    ("subtracted", "The input is subtracted from the output", "output = output - x"),
    ("taken_from", "The output is subtracted from the input", "output = x - output"),
    ("multiplied", "The output is multiplied by the input", "output = output * x"),
    ("added_twice", "The input is added twice", "output = output + 2 * x"),
    ("averaged", "The output is the mean of input and output", "output = (output + x) / 2"),
    ("added_and_divided_by_root_two", "The input is added, divided by √2", "output = (output + x) / np.sqrt(2)"),
    ("added_normed_down", "The input is added, then the columns normalised",
        f"{_AFTER}(added - added.mean(axis=-2, keepdims=True)) / np.sqrt(added.var(axis=-2, keepdims=True) + 1e-5)"),
    ("added_and_normed_by_one_less", "The input is added, then layer norm with n − 1",
        f"{_AFTER}(added - added.mean(axis=-1, keepdims=True)) / "
        "np.sqrt(added.var(axis=-1, keepdims=True) * added.shape[-1] / (added.shape[-1] - 1))"),
    ("added_and_scaled", "The input is added, multiplied by √d_model", "output = output + x * np.sqrt(x.shape[-1])"),
    ("added_and_softmax", "The input is added, then softmax", f"{_AFTER}softmax(added)"),
)  # fmt: skip
CONCEPTS: dict[str, Concept] = {"": "attention", "_of_heads": "multi_head"}
ALONG_ROWS = "softmax layer_norm rms_norm unit_rows by_sum by_maximum from_nought_to_one centred mirrored summed_along"


def _around_with_input() -> Iterator[Mistake[Any]]:
    """Yield mistakes that combine the output with the input, such as their sum, with one head and with several."""
    for ending, concept in CONCEPTS.items():
        for name, title, code in AROUND:
            yield diagnosis_mistake("output", f"input_{name}{ending}", title, code, BLOCK, concept=concept)
        yield diagnosis_mistake(
            "q", f"pre_norm_block{ending}", "The input gets a layer norm before, and is added after",
            f"{_NORMED}output = output + x", BLOCK, concept=concept,
        )  # fmt: skip


def _functions_on_all_heads() -> Iterator[Mistake[Any]]:
    """Yield mistakes that apply a function to the concatenated heads, or to the output of all heads."""
    for function in (each for each in FUNCTIONS if "output" in each.on.split()):
        for stage, matrix in {"concat": "the heads side by side", "output": "the output of all heads"}.items():
            if stage == "concat" and function.name not in ALONG_ROWS.split():
                continue  # the function has the same effect in each head, and another mistake has this effect
            code = f"{stage} = {function.code.format(m=stage)}"
            yield diagnosis_mistake(
                stage, f"{function.name}_on_{stage}_of_heads", title_of(function.title, matrix), code, function.why,
                concept="multi_head",
            )  # fmt: skip


def wrong_around_attention() -> RareMistakes:
    """Return the mistakes that add a step of the block around attention, such as a norm."""
    code = "output = (concat + x) @ w_o + b_o"
    title = "The input is added to the heads, before W^O"
    return (
        *_around_with_input(), *_functions_on_all_heads(),
        diagnosis_mistake(
            "output", "heads_added_to_the_output", "The heads are added after W^O", "output = output + concat", BLOCK,
            concept="multi_head",
        ),
        diagnosis_mistake("output", "input_added_to_the_heads", title, code, BLOCK, concept="multi_head"),
    )  # fmt: skip

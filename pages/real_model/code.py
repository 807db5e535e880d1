"""The code of the page “Mistakes and causes”: means, standard errors, counts and a rank correlation."""

from __future__ import annotations

from attention_core.language_model.answer import losses
from attention_core.language_model.causes import (
    agreements,
    head_measurements,
    measure_repetition,
    measure_swap,
    rank_correlation,
)
from attention_core.language_model.mistakes import parts_with
from attention_core.language_model.model import grouped_attention, run_block
from pages.real_model.lesson import TEXTS
from pages.shared.codes.pieces import Both, both_of, same
from pages.shared.takehome.code import Block, Code

DIFFERENCE: Both = (
    "added = losses[:, 1] - losses[:, 0]              # sentence by sentence\neach = np.column_stack([losses, added])",
    "added = losses[1] - losses[0]                    # sentence by sentence\neach = np.vstack([losses, added])",
)
AVERAGES: Both = (
    "errors = each.std(axis=0, ddof=1) / np.sqrt(len(each))\naverages = np.column_stack([each.mean(axis=0), errors])",
    "errors = each.std(axis=1, ddof=1) / np.sqrt(each.shape[1])\naverages = np.vstack([each.mean(axis=1), errors])",
)
COUNTS: Both = (
    "counts = (each < 0).sum(axis=0)[:, None]",
    "counts = (each < 0).sum(axis=1)[None]",
)
ORDERS = same(
    "def ranks(m):\n    return m.ravel().argsort().argsort()\n\n"
    "agreement = np.corrcoef(ranks(pointed), ranks(added))[0, 1]   # of two orders: 1 is the same, 0 none in common",
)


def code(parameters, example) -> Code:
    """Return the code for the view of the page “Mistakes and causes” that `parameters.look` names."""
    views = {"mistakes": _of_mistake, "causes": _of_experiment, "heads": _of_heads}
    return views[parameters.look](parameters, example)


def _of_mistake(parameters, example) -> Code:
    return Code(
        name=parameters.mistake,
        given={"losses": example.values},
        core=(parts_with, run_block, grouped_attention, losses),
        blocks=(
            Block(
                title=TEXTS.fill("code_of_difference"),
                says=parameters.say(TEXTS, "reason_of_difference"),
                **both_of(DIFFERENCE),
            ),
            _averages("losses"),
        ),
        only_numpy=TEXTS.fill("only_numpy"),
    )


def _of_experiment(parameters, example) -> Code:
    counts = (Block(title=TEXTS.fill("code_of_counts"), **both_of(COUNTS)),) * example.counted
    each = same(f"each = {example.name}")
    return Code(
        name=parameters.experiment,
        given={example.name: example.values},
        core=(
            {"capitals": measure_swap, "induction": measure_repetition, "number": agreements}[parameters.experiment],
        ),
        blocks=(
            Block(title=TEXTS.fill("code_of_measured"), key="measured", **both_of(each)),
            *counts,
            _averages("experiment"),
        ),
        only_numpy=TEXTS.fill("only_numpy"),
    )


def _averages(key: str) -> Block:
    says = TEXTS.fill("reason_of_averages")
    return Block(title=TEXTS.fill("code_of_averages"), says=says, key=key, **both_of(AVERAGES))


def _of_heads(parameters, example) -> Code:
    return Code(
        name="heads",
        given={"pointed": head_measurements("pointed"), "added": head_measurements("added")},
        core=(rank_correlation, losses),
        blocks=(Block(title=TEXTS.fill("code_of_ranks"), key="heads", **both_of(ORDERS)),),
        only_numpy=TEXTS.fill("only_numpy"),
    )

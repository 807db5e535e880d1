"""Measure the three experiments on heads, and the shift of positions, on the texts of this project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.language_model.causes import (
    FACT,
    FACT_CONTROLS,
    GAP,
    INDUCTION,
    INDUCTION_CONTROLS,
    NUMBER,
    NUMBER_CONTROLS,
    PREVIOUS,
    PREVIOUS_CONTROL,
    SHIFT,
    agreements,
    countries_answered_correctly,
    lists_of_words,
    measure_repetition,
    measure_swaps,
    shift_effect,
    with_change,
)
from attention_core.language_model.head_changes import average_heads, cut_heads
from attention_core.language_model.measuring import losses
from attention_core.language_model.model import LanguageModel
from attention_core.language_model.pieces import tokens_of
from attention_core.language_model.texts import SENTENCES

Measurements = dict[str, Any]


def measured_causes(model: LanguageModel) -> Measurements:
    """Run four experiments on the model, and return their numbers by the name of the experiment.

    "capitals", "induction" and "number" change the outputs of heads. "shift" changes the positions of the tokens.
    """
    return {
        "capitals": _measure_capitals(model),
        "induction": _measure_induction(model),
        "number": _measure_number(model),
        "shift": _measure_shift(model),
    }


def _measure_capitals(model: LanguageModel) -> Measurements:
    countries = countries_answered_correctly(model)
    found = {str(head): measure_swaps(model, head, countries) for head in (FACT, *FACT_CONTROLS)}
    gaps = {name: [round(each.swapped, 3) for each in all_of_it] for name, all_of_it in found.items()}
    return {"countries": countries, "gaps": [round(each.gap, 3) for each in found[str(FACT)]], "swapped": gaps}


def _measure_induction(model: LanguageModel) -> Measurements:
    texts = [tokens_of(text, model.vocabulary) for text in SENTENCES]
    changes = {
        "none": None,
        "previous": average_heads([PREVIOUS]),
        "previous_control": average_heads([PREVIOUS_CONTROL]),
        "induction": cut_heads(INDUCTION),
        "induction_control": cut_heads(INDUCTION_CONTROLS),
    }
    found: Measurements = {}
    for name, change in changes.items():
        each = [measure_repetition(model, words, change) for words in lists_of_words()]
        plain = [_mean(losses(model, text, with_change(change))) for text in texts]
        found[name] = {
            "losses": [round(one.loss, 3) for one in each],
            "right": [round(one.right, 3) for one in each],
            "looks": [round(one.looks, 3) for one in each],
            "plain": round(float(np.mean(plain)), 3),
        }
    return found


def _measure_number(model: LanguageModel) -> Measurements:
    changes = {"none": None} | {str(head): cut_heads([head]) for head in (NUMBER, *NUMBER_CONTROLS)}
    found = {name: list(agreements(model, change)) for name, change in changes.items()}
    gaps = {name: [round(each.gap, 3) for each in all_of_it] for name, all_of_it in found.items()}
    return {"texts": [f"{each.text} {each.verb}" for each in found["none"]], "gaps": gaps}


def _measure_shift(model: LanguageModel) -> Measurements:
    texts = [tokens_of(text, model.vocabulary) for text in SENTENCES]
    moved = [shift_effect(model, text, range(SHIFT, SHIFT + len(text))) for text in texts]
    torn = [shift_effect(model, text, [at + GAP * (at >= len(text) // 2) for at in range(len(text))]) for text in texts]
    return {
        name: {"most": round(max(most for most, _ in each), 5), "same": _mean([same for _, same in each])}
        for name, each in (("moved", moved), ("torn", torn))
    }


def _mean(values: Array | Sequence[float]) -> float:
    return round(float(np.mean(values)), 3)

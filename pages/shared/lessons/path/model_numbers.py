"""The measured numbers of a real model for the last chapter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core.caching import cache_recent
from attention_core.language_model.damage import UNDAMAGED, damages, read_measurements
from attention_core.language_model.head import Head
from attention_core.language_model.shipped import shipped_reading
from attention_core.writing.costs import N_LAYERS, N_TOKENS, SMOLLM2

HEAD = Head(18, 6)
HELPER = Head(16, 0)  # the head that HEAD needs
TEXT = "list"  # of the shipped texts: river apple stone lamp river apple stone
MISTAKES: Mapping[str, str] = {  # in the order in which their lines run
    "not_scaled": "Not divided by √d_k",
    "mask_forgotten": "Mask forgotten",
    "softmax_over_columns": "Softmax down the columns",
    "w_o_forgotten": "W^O left out",
}
RIGHT: Mapping[str, str] = {  # what the line of code does that a mistake replaces
    "not_scaled": "divide the scores by √d_k",
    "mask_forgotten": "set the scores of later words (not allowed) to −∞",
    "softmax_over_columns": "each row adds up to 1",
    "w_o_forgotten": "multiply the outputs of all heads, side by side, by W^O",
}
WRONG: Mapping[str, str] = {  # what it does with the mistake
    "not_scaled": "the scores stay as large as they are",
    "mask_forgotten": "later words are not hidden",
    "softmax_over_columns": "each column adds up to 1",
    "w_o_forgotten": "W^O is left out",
}
WAYS: Mapping[str, str] = {
    "none": "Nothing is changed",
    "previous": "The output of the helper is replaced by its mean",
    "previous_control": "Control: the same with another head of layer 16",
    "induction": "Five induction heads are set to 0",
    "induction_control": "Control: five other heads are set to 0",
}


@cache_recent
def model_numbers() -> Mapping[str, Any]:
    """Return the measured numbers of the real model by name. The texts of the path use these names."""
    found = damages()
    right, no_mask = found[UNDAMAGED], found["mask_forgotten"]
    prefixes = np.asarray(no_mask.from_prefixes)
    induction = {way: experiment_means(way) for way in WAYS}
    none, helper, other, cut, control = induction.values()
    return MappingProxyType(
        {
            "loss_right": right.loss,
            "one_in": round(math.exp(right.loss)),
            "n_tokens": N_TOKENS,
            "loss_blind": math.log(N_TOKENS),
            "loss_not_scaled": found["not_scaled"].loss,
            "loss_columns": found["softmax_over_columns"].loss,
            "loss_w_o": found["w_o_forgotten"].loss,
            "loss_no_mask": no_mask.loss,
            "better_no_mask": n_improved_sentences("mask_forgotten"),
            "n_sentences": len(right.losses),
            "n_prefixes": len(prefixes),
            "loss_first_four": float(right.losses[: len(prefixes)].mean()),
            "loss_prefixes": float(prefixes.mean()),
            "head": shipped_reading(TEXT).attention(HEAD).weights,
            "helper": shipped_reading(TEXT).attention(HELPER).weights,
            "n_lists": len(read_measurements()["experiments"]["induction"]["none"]["looks"]),
            "looks_none": none["looks"], "looks_helper": helper["looks"], "looks_cut": cut["looks"],
            "right_none": none["right"], "right_helper": helper["right"], "right_cut": cut["right"],
            "looks_other": other["looks"], "right_other": other["right"], "right_control": control["right"],
            **sizes(),
            "loss_none": none["loss"], "loss_cut": cut["loss"], "loss_control": control["loss"],
        }
    )  # fmt: skip


def sizes() -> dict[str, float]:
    """Return the numbers of layers, heads and learned numbers in the real model, by name.

    Names that end in “_millions” count learned numbers. “whole_percent” is the share of attention in the whole model.
    """
    norm = SMOLLM2.d_model  # numbers of one normalisation: two in each block, and one at the end
    block = SMOLLM2.attention + SMOLLM2.feed_forward + 2 * norm
    whole = N_LAYERS * block + norm + N_TOKENS * SMOLLM2.d_model
    return {
        "n_layers": N_LAYERS,
        "n_heads": SMOLLM2.n_heads,
        "n_kv_heads": SMOLLM2.n_kv_heads,
        "heads_a_set": SMOLLM2.n_heads // SMOLLM2.n_kv_heads,
        "head_width": SMOLLM2.d_k,
        "row_width": SMOLLM2.d_model,
        "kv_columns": SMOLLM2.n_kv_heads * SMOLLM2.d_k,
        "attention_millions": SMOLLM2.attention / 1e6,
        "block_millions": block / 1e6,
        "whole_percent": round(100 * N_LAYERS * SMOLLM2.attention / whole),
        "table_millions": N_TOKENS * SMOLLM2.d_model / 1e6,
    }


def n_improved_sentences(mistake: str) -> int:
    """Return on how many sentences the model has a smaller loss with a mistake than without it."""
    return int((damages()[mistake].losses < damages()[UNDAMAGED].losses).sum())


def experiment_means(change: str) -> dict[str, float]:
    """Return the mean results of the experiment with induction heads, for a change of the model from `WAYS`.

    "looks" is the weight of the correct word, "right" the accuracy in whole percent, and "loss" the loss.
    """
    found = read_measurements()["experiments"]["induction"][change]
    return {
        "looks": float(np.mean(found["looks"])),
        "right": round(100 * float(np.mean(found["right"]))),
        "loss": float(np.mean(found["losses"])),
    }

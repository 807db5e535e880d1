"""The five notebooks, computed again by the core's public functions.

`REPRODUCED` holds every number by its path in data/seed_values.json, and `VALUES` holds the notebooks' own numbers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cosine

from attention_core import (
    MultiHeadProjections,
    attend,
    entropy,
    multi_head_attention,
    project,
    self_attention,
    sinusoidal,
    softmax,
    split_heads,
)
from attention_core.mistakes import (
    WITH_SWITCH,
    naive_softmax,
    outer_attention,
    sinusoidal_doubled_exponent,
    weigh_features,
)
from attention_core.positions import frequencies

DATA = Path(__file__).parent / "data"
SEEDS = json.loads((DATA / "seed_values.json").read_text(encoding="utf-8"))["seeds"]
MISTAKE: Any = {mistake.name: mistake.apply for mistake in WITH_SWITCH}


def leaves(node, path=""):
    """Return every value inside nested dictionaries, by its path, such as "0/step1_input/x"."""
    if not isinstance(node, dict):
        return {path[1:]: node}
    return {name: leaf for key, child in node.items() for name, leaf in leaves(child, f"{path}/{key}").items()}


VALUES = leaves(SEEDS)


def notebook_values(path):
    """Return the numbers that the notebooks have under this path, as an array."""
    return np.array(VALUES[path], dtype=float)


def book(seed):
    """Compute notebook 000 or 001, an example in ten steps, and return its numbers by their paths.

    `seed` is "0" or "1". The notebook divides the scores by 1 instead of √d_k, which is the mistake “not_scaled”.
    """
    x = notebook_values(f"{seed}/step1_input/x")
    right = self_attention(
        x, *(notebook_values(f"{seed}/step2_weights/w_{name}") for name in ("query", "key", "value"))
    )
    wrong = MISTAKE["not_scaled"](right)
    terms, twice = MISTAKE["terms_taken_for_outputs"](wrong).output, MISTAKE["softmax_twice"](wrong)
    whole = MISTAKE["softmax_over_whole_matrix"](wrong)
    steps = {
        "step3_qkv": {"Q": right.q, "K": right.k, "V": right.v},
        "step4_scores_k_d_1": {"scores": wrong.scaled},
        "step5_weights_unscaled": {"attention": wrong.weights, "row_sums": wrong.weights.sum(axis=1)},
        "step6_weighted_values_row0": {"attention1": terms[0], "attention2": terms[1], "attention3": terms[2]},
        "step7_output_row0": {"output": terms.sum(axis=0)},
        "right_output_unscaled": {"output": wrong.output},
        "right_scaled_sqrt3": {
            "scale": right.scale,
            "scores": right.scaled,
            "attention": right.weights,
            "output": right.output,
        },
        "wrong_step5_run_twice": {"attention": twice.weights, "output_row0": twice.output[0]},
        "trap_softmax_axis_none": {"attention": whole.weights, "output": whole.output},
        "right_d_k_3_note": {"d_k": right.k.shape[1], "sqrt_d_k": 1 / right.scale},
    }
    return leaves({seed: steps})


def side_note():
    """Compute a part of notebook 000, and return its numbers by their paths.

    The part applies the softmax to a whole array, down its columns, and along its rows.
    """
    scores = notebook_values("0/softmax_side_note/someArray")
    columns, rows = softmax(scores, axis=0), softmax(scores, axis=1)
    note = {
        "all": softmax(scores, axis=None), "axis0": columns, "axis1": rows,
        "sums_axis0": columns.sum(axis=0), "sums_axis1": rows.sum(axis=1), "total": softmax(scores, axis=None).sum(),
        "x_axis0": softmax(notebook_values("0/step1_input/x"), axis=0),
    }  # fmt: skip
    return leaves({"0": {"softmax_side_note": note}})


def encoding():
    """Compute a part of notebook 001, and return its numbers by their paths.

    The part is the positional encoding with the paper's exponent and with the doubled exponent.
    """
    tables = {"right": sinusoidal(11, 512), "wrong": sinusoidal_doubled_exponent(11, 512)}
    slowest = {"right": frequencies(512)[-1], "wrong": frequencies(512)[-1] ** 2}
    apart = np.abs(tables["right"] - tables["wrong"])
    found = {
        **{f"pos{p}_{name}": table[p] for name, table in tables.items() for p in (0, 1, 2, 10)},
        **{f"cosine_2_10_{name}": 1 - cosine(table[2], table[10]) for name, table in tables.items()},
        **{f"largest_wavelength_{name}": 2 * np.pi / frequency for name, frequency in slowest.items()},
        "max_abs_difference": {str(p): apart[p].max() for p in (0, 1, 2, 10)},
        "pos2_worst_index": apart[2].argmax(),
    }
    return leaves({"1": {"positional_encoding": found}})


def columns():
    """Compute notebook 002, and return its numbers by their paths.

    In this notebook, tokens are columns. Each of its matrices is therefore the transpose of a matrix of the core.
    """
    x = notebook_values("2/inputs/X").T
    w_q, w_k, w_v = (notebook_values(f"2/inputs/omega_{name}").T for name in "qkv")
    b_q, b_k, b_v = (notebook_values(f"2/inputs/beta_{name}")[:, 0] for name in "qkv")
    scaled = self_attention(x, w_q, w_k, w_v, b_q=b_q, b_k=b_k, b_v=b_v)
    right, outer = MISTAKE["not_scaled"](scaled), outer_attention(scaled.q, scaled.k, scaled.v)
    found = {
        "qkv_columns": {"Q": right.q.T, "K": right.k.T, "V": right.v.T},
        "right_unscaled": {
            "logits_KtQ": right.scores.T, "attention_columns_sum_to_1": right.weights.T, "X_prime": right.output.T,
            "max_abs_logit": np.abs(right.scores).max(),
        },
        "right_scaled": {"logits": scaled.scaled.T, "attention": scaled.weights.T, "X_prime": scaled.output.T},
        "wrong_notebook": {
            "attention_shape": outer.weights[0].shape, "attention": outer.weights, "x_prime": outer.output.T,
            "attention_sums": outer.weights.sum(axis=(1, 2, 3)),
        },
        "right_row_convention": {"W_q": w_q, "W_k": w_k, "W_v": w_v, "output": right.output},
        "unstable_softmax": {
            "notebook": naive_softmax([1000, 1001, 1002]), "right": softmax([1000, 1001, 1002]),
            "all_very_negative": naive_softmax([-1000, -1001]),
        },
    }  # fmt: skip
    return leaves({"2": found})


def context():
    """Compute question 1 of notebook 003, and return its numbers by their paths.

    A state of the decoder attends to the states of the encoder.
    """
    encoder, decoder = notebook_values("3/q1/h_i_e"), notebook_values("3/q1/h_i_d")
    first, second = (attend(state[None], encoder, encoder) for state in decoder)
    unscaled = attend(decoder[1:], encoder, encoder, scale=1.0)
    plain = notebook_values("3/q1_given_column_weights/weights").T
    found = {
        "q1": {"scores": second.scores[0], "scaled_scores": second.scaled[0], "attention_weights": second.weights[0]},
        "q1_wrong_context": {
            "context": weigh_features(second.weights[0], encoder),
            "column_sums_of_h_e": weigh_features(np.ones(4), encoder),
        },
        "q1_right_context": {"context": second.output[0]},
        "q1_given_column_weights": {"context": project(plain, encoder)[0]},
        "q1_unscaled": {"attention_weights": unscaled.weights[0], "context": unscaled.output[0]},
        "q1_decoder_state_0": {
            "scaled_scores": first.scaled[0],
            "attention_weights": first.weights[0],
            "context": first.output[0],
        },
    }
    return leaves({"3": found})


def translation():
    """Compute questions 2 and 3 of notebook 003, and return their numbers by their paths.

    They are self-attention of three tokens, with one head and with two heads.
    """
    x, w_q, w_k, w_v = (notebook_values(f"3/q2/{name}") for name in ("tokens", "W_Q", "W_K", "W_V"))
    right, one = self_attention(x, w_q, w_k, w_v), self_attention(x[1:2], w_q, w_k, w_v, context=x)
    whole = MISTAKE["softmax_over_whole_matrix"](right)
    heads = multi_head_attention(x, MultiHeadProjections(w_q=w_q, w_k=w_k, w_v=w_v, w_o=np.eye(4)), 2)
    each, narrow = heads.heads, MISTAKE["heads_scaled_by_full_width"](heads).heads
    found = {
        "q2": {"Q_is": one.q, "K": one.k, "V": one.v, "attention_weights": one.weights, "output": one.output},
        "q2_all_tokens_right": {
            "Q": right.q, "scores": right.scaled, "attention": right.weights, "output": right.output,
        },
        "q2_all_tokens_wrong_softmax_without_axis": {
            "attention": whole.weights, "row_sums": whole.weights.sum(axis=1), "output": whole.output,
        },
        "q3_right": {
            "W_i_shape": split_heads(w_q, 2)[0].shape, "head_shape": each.output[0].shape,
            "concat_shape": heads.concat.shape, "W_O_shape": heads.projections.w_o.shape, "concat": heads.concat,
            **{f"head{h + 1}": {
                "Q": each.q[h], "K": each.k[h], "V": each.v[h], "scores": each.scaled[h],
                "attention": each.weights[h], "head": each.output[h], "head_if_scaled_by_sqrt4": narrow.output[h],
            } for h in (0, 1)},
        },
    }  # fmt: skip
    return leaves({"3": found})


def cat():
    """Compute notebook 004, and return its numbers by their paths.

    The notebook prints queries and keys. The weight matrices were recovered from these numbers.
    """
    x = notebook_values("4/sentence_x/x_float32_as_float64")
    recovered = self_attention(x, *(notebook_values(f"4/recovered_W_{name}/least_squares") for name in "qkv"))
    v = np.vstack([notebook_values("4/printed/values_first4"), recovered.v[-1]])
    trace = attend(notebook_values("4/printed/queries"), notebook_values("4/printed/keys"), v)
    found = {
        "attention_from_printed_q_k": {
            "scores": trace.scores,
            "scaled_scores": trace.scaled,
            "attention": trace.weights,
            "row_entropy_nats": entropy(trace.weights),
            "ln5": entropy(softmax(np.zeros(5))),
            "max_difference_to_recovered_W": np.abs(trace.weights - recovered.weights).max(),
        },
        "attention_from_recovered_weights": {"scaled_scores": recovered.scaled, "attention": recovered.weights},
        "output": {"values_mouse_recovered": recovered.v[-1], "output": trace.output},
        "recovered_W_q": {"max_abs_residual": np.abs(recovered.q - notebook_values("4/printed/queries")).max()},
        "recovered_W_k": {"max_abs_residual": np.abs(recovered.k - notebook_values("4/printed/keys")).max()},
    }
    return leaves({"4": found})


REPRODUCED = {
    **book("0"), **book("1"), **side_note(), **encoding(), **columns(), **context(), **translation(), **cat(),
}  # fmt: skip

"""Mistakes in the weighted sum of the values, and additions and other changes to the output."""

import numpy as np

from .parts import one_head, softmax
from .projections import normalize_rows
from .record import record


def with_output(**replaced):
    """Return an implementation that computes all matrices correctly except the output.

    `replaced` has the keyword `output`: a function of the correct matrices and the problem that returns the wrong
    output.
    """
    make = replaced["output"]

    def run(p):
        """Return the correct matrices for the problem `p` by name, but with the wrong output."""
        right = one_head(p)
        return right | {"output": make(right, p)}

    return run


def record_output(name, says, function, **more):
    """Add a mistake in the output to `ALL`.

    `function` returns the wrong output, from the correct matrices and the problem (the inputs of attention). `says`
    describes the mistake, and `more` holds further arguments of `record`.
    """
    record(name, says, whole=with_output(output=function), **more)


def record_finish(name, says, function, **more):
    """Add to `ALL` a mistake that changes the correct output at the end.

    `function` takes the correct output, and returns the wrong output. `says` describes the mistake, and `more` holds
    further arguments of `record`.
    """
    record(name, says, finish=lambda o, p: function(o), **more)


record(
    "weights_transposed_in_mix",
    "The weights are transposed before they meet the values.",
    common=True,
    mix=lambda w, v: w.T @ v,
)
record("elementwise_mix", "Weights and values are multiplied number by number.", common=True, mix=lambda w, v: w * v)
record("values_by_weights", "The product is V A instead of A V.", common=True, mix=lambda w, v: v @ w)
record(
    "values_transposed_by_weights",
    "The product is Vᵀ A, which is transposed and uses the columns of A.",
    mix=lambda w, v: v.T @ w,
)
record(
    "sum_over_queries",
    "The weighted values are summed over the queries.",
    common=True,
    mix=lambda w, v: (w[:, :, None] * v[None]).sum(0),
)
record(
    "last_term_only",
    "The loop overwrites the output, so that only the last key counts.",
    common=True,
    mix=lambda w, v: w[:, -1:] * v[-1:],
)
record(
    "last_value_forgotten",
    "The loop over values stops one too early.",
    common=True,
    mix=lambda w, v: w[:, :-1] @ v[:-1],
)
record("best_value", "The output is the value of the best key.", common=True, mix=lambda w, v: v[w.argmax(-1)])
record(
    "mix_by_number_of_keys",
    "The weighted sum is divided by the number of keys.",
    common=True,
    mix=lambda w, v: w @ v / len(v),
)
record(
    "weighted_maximum",
    "The largest weighted value is taken instead of the sum.",
    mix=lambda w, v: (w[:, :, None] * v[None]).max(1),
)
record_output("scores_mix", "The scores mix the values.", lambda a, p: a["scores"] @ a["V"], common=True)
record_output(
    "scaled_mix",
    "The scaled scores mix the values, and the softmax is forgotten.",
    lambda a, p: a["scaled"] @ a["V"],
    common=True,
)
record_output("keys_mixed", "The weights mix the keys.", lambda a, p: a["weights"] @ a["K"], common=True)
record_output("queries_mixed", "The weights mix the queries.", lambda a, p: a["weights"] @ a["Q"], common=True)
record_output(
    "tokens_mixed",
    "The weights mix the tokens, which are not projected.",
    lambda a, p: a["weights"] @ (p.x if p.context is None else p.context),
    common=True,
)
record_output(
    "softmax_of_everything",
    "The softmax is of the scaled scores times the values.",
    lambda a, p: softmax(a["scaled"] @ a["V"]),
    common=True,
)
record_output("residual_added", "The tokens are added to the output.", lambda a, p: a["output"] + p.x, common=True)
record_output("values_added", "The values are added to the output.", lambda a, p: a["output"] + a["V"])
record_output("queries_added", "The queries are added to the output.", lambda a, p: a["output"] + a["Q"])
record_finish("norm_on_output", "A layer norm follows.", normalize_rows, common=True)
record_finish("relu_on_output", "A ReLU follows.", lambda o: np.maximum(o, 0), common=True)
record_finish("tanh_on_output", "A tanh follows.", np.tanh)
record_finish("softmax_on_output", "A second softmax follows the output.", softmax, common=True)
record_finish(
    "output_of_length_one",
    "Each row of the output is divided by its length.",
    lambda o: o / np.linalg.norm(o, axis=-1, keepdims=True),
)
record_finish("output_transposed", "The output is transposed.", lambda o: o.T, common=True)
record_finish("output_averaged", "The rows of the output are averaged.", lambda o: o.mean(0), common=True)
record_finish("output_summed", "The rows of the output are summed.", lambda o: o.sum(0))
record_finish("output_reversed", "The rows of the output are in the reverse order.", lambda o: o[::-1])
record(
    "value_bias_on_output",
    "The bias of the values is added to the output: the result is right.",
    needs="bias",
    project=lambda p: (p.x @ p.w_q + p.b_q, p.x @ p.w_k + p.b_k, p.x @ p.w_v),
    finish=lambda o, p: o + p.b_v,
)

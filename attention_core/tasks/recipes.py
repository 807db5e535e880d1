"""The recipes of the tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.formulas import Fixed, Formula, Grid, Index, Pattern, apply, letters, total
from attention_core.arithmetic.position_rules import position_step_rules
from attention_core.attention import SelfAttentionTrace, self_attention, with_weights
from attention_core.checks import Array
from attention_core.heads import MultiHeadProjections, MultiHeadTrace, merge_heads, multi_head_attention
from attention_core.masks import Mask, causal_mask
from attention_core.projection import project
from attention_core.rotation import encode
from attention_core.tasks.steps import LEARNED, ForwardBackward, WordSteps, forward_backward
from attention_core.tasks.task import Draw, Recipe


def softmax_gradient_task(draw: Draw) -> Recipe:
    """Draw random weights of one token and their gradient. The task asks for the gradient of the scaled scores."""
    forward = _attention_with_weights(np.ones((1, 3)), draw.shares(1, 3), values=np.eye(3), keys=np.eye(3))
    back = forward_backward(forward, draw.integers(-4, 5, 1, 3))  # also grad_weights, because v is the identity
    return _recipe_back(back, ("weights", "grad_weights"), "grad_scaled", "elementwise_softmax")


def key_gradient(draw: Draw) -> Recipe:
    """Draw random queries and a random gradient of the scaled scores. The task asks for the gradient of the keys."""
    q, arriving = draw.integers(-3, 4, 2, 4), draw.integers(-9, 9, 2, 1) @ np.array([[1.0, -1.0]])
    forward = _attention_with_weights(q, np.full((2, 2), 0.5), values=np.eye(2), keys=np.eye(2, 4))
    back = forward_backward(forward, arriving)  # half of it reaches `scaled`: each row sums to 0
    return _recipe_back(back, ("grad_scaled", "q"), "grad_k", "scale_left_out", "keys_transposed")


def learned_value_weights(draw: Draw) -> Recipe:
    """Draw random tokens, weights, W^V and gradients of the outputs. The task asks for W^V after one training step."""
    x, arriving = draw.integers(-2, 3, 3, 2), draw.integers(-4, 5, 3, 2)
    forward = self_attention(x, np.eye(2), np.eye(2), draw.integers(-4, 5, 2, 2))
    back = forward_backward(with_weights(forward, draw.shares(3, 3)), arriving)
    return _recipe_back(back, ("w_v", "x", "weights", "grad_output"), LEARNED, "tokens_not_summed")


def _attention_with_weights(q: Array, weights: Array, *, values: Array, keys: Array) -> SelfAttentionTrace:
    width = keys.shape[1] + values.shape[1]
    w_k, w_v = np.eye(width, keys.shape[1]), np.eye(width, values.shape[1], k=-keys.shape[1])
    forward = self_attention(q, np.eye(q.shape[1]), w_k, w_v, context=np.hstack([keys, values]))
    return with_weights(forward, weights)


def _recipe_back(back: ForwardBackward, given: tuple[str, ...], asked: str, *mistakes: str) -> Recipe:
    return Recipe(trace=back, given=given, done_until="", asked=asked, worked=back.worked, mistakes=mistakes)


TEMPERATURE, TOP_K = 2.0, 3


def logits(draw: Draw) -> Recipe:
    """Draw a random row for each of two tokens and three words. The task asks for the logits of the next word."""
    steps = WordSteps(summed=draw.integers(-2, 3, 2, 3), vocabulary=draw.integers(-2, 3, 3, 3), asked="logits")
    return _recipe_next(steps, "vocabulary_not_turned")


def probabilities_of_words(draw: Draw) -> Recipe:
    """Draw a random row for each of two tokens and three words. The task asks for the words' probabilities."""
    summed, vocabulary = draw.integers(-2, 3, 2, 2), draw.integers(-2, 3, 3, 2)
    steps = WordSteps(summed=summed, vocabulary=vocabulary, asked="chances", temperature=TEMPERATURE)
    return _recipe_next(steps, "temperature_multiplied", "temperature_forgotten")


def probabilities_of_likeliest_words(draw: Draw) -> Recipe:
    """Draw a random row for each of two tokens and four words.

    The task asks for the probabilities of the words if only the three likeliest are kept.
    """
    summed, vocabulary = draw.integers(-1, 2, 2, 3), draw.integers(-1, 2, 4, 3)
    steps = WordSteps(summed=summed, vocabulary=vocabulary, asked="kept", temperature=TEMPERATURE, top_k=TOP_K)
    return _recipe_next(steps, "temperature_forgotten", "not_shared_out", "nothing_left_out")


def _recipe_next(steps: WordSteps, *mistakes: str) -> Recipe:
    given = ("summed", "vocabulary")
    return Recipe(trace=steps, given=given, done_until="", asked=steps.asked, worked=steps.worked, mistakes=mistakes)


def softmax_task_rules(scores: Array, weights: Array, base: float) -> CellCalculations:
    """Return the calculation of each softmax weight: a power of `base`, divided by the sum of the powers in its row."""
    i, j, n = letters("i j n")
    row = Grid("scores", scores)

    def power(at: Index) -> Pattern:
        return apply("exp", row[i, at]) if base == math.e else Fixed(base) ** row[i, at]

    return CellCalculations({"weights": (weights, Formula((i, j), power(j) / total(n, scores.shape[1], power(n))))})


def _attention(
    q: Array, k: Array, v: Array, *, d_model: int = 0, mask: Mask | None = None, scale: float | None = None
) -> SelfAttentionTrace:
    x = np.hstack([q, np.zeros((len(q), max(0, d_model - q.shape[1])))])
    width = k.shape[1] + v.shape[1]
    w_k, w_v = np.eye(width, k.shape[1]), np.eye(width, v.shape[1], k=-k.shape[1])
    context = np.hstack([k, v])
    return self_attention(x, np.eye(x.shape[1], q.shape[1]), w_k, w_v, context=context, mask=mask, scale=scale)


def _attention_with_scores(
    scores: Array, v: Array, *, mask: Mask | None = None, base: float = math.e
) -> SelfAttentionTrace:
    return _attention(scores, np.eye(scores.shape[1]), v, mask=mask, scale=math.log(base))


# --- a function for each concept and difficulty ---


def _softmax(rows: int, columns: int, low: int, high: int, base: float) -> Callable[[Draw], Recipe]:
    """Return a function that draws a random task on softmax: scores from `low` to `high`, and powers of `base`."""

    def recipe(draw: Draw) -> Recipe:
        scores = draw.integers(low, high, rows, columns)
        trace = _attention_with_scores(scores, np.eye(columns), base=base)
        return Recipe(
            trace=trace, given=("scores",), done_until="scaled", asked="weights", base=base,
            worked=softmax_task_rules(scores, trace.weights, base),
        )  # fmt: skip

    return recipe


def _queries(draw: Draw) -> Recipe:
    x, w_q, w_k, w_v = draw.integers(0, 4, 3, 2), *(draw.integers(-3, 3, 2, 2) for _ in range(3))
    return Recipe(trace=self_attention(x, w_q, w_k, w_v), given=("x", "w_q"), done_until="", asked="q")


def _scores(draw: Draw) -> Recipe:
    q, k, v = draw.integers(-2, 3, 3, 3), draw.integers(-2, 3, 3, 3), draw.integers(0, 9, 3, 2)
    return Recipe(trace=_attention(q, k, v), given=("q", "k"), done_until="v", asked="scores")


def _average_of_values(draw: Draw) -> Recipe:
    q, k, v = (draw.integers(-4, 6, 3, 4) for _ in range(3))
    trace = with_weights(_attention(q, k, v), draw.shares(3, 3))
    return Recipe(trace=trace, given=("weights", "k", "v"), done_until="weights", asked="output")


def _scaling(asked: str, *widths: int) -> Callable[[Draw], Recipe]:
    """Return a function that draws random scores, and d_k from `widths`. The task asks for the matrix `asked`."""

    def recipe(draw: Draw) -> Recipe:
        d_k = draw.one_of(*widths)
        q, k, v = draw.integers(-2, 3, 3, d_k), draw.integers(-2, 3, 3, d_k), draw.integers(0, 9, 3, 2)
        return Recipe(trace=_attention(q, k, v, d_model=12), given=("scores",), done_until="scores", asked=asked)

    return recipe


def _two_outputs(draw: Draw) -> Recipe:
    """Draw random weights and values of two tokens. The task asks for the output."""
    q, v = draw.integers(-2, 2, 2, 2), draw.integers(0, 9, 2, 3)
    return Recipe(
        trace=with_weights(_attention(q, q, v), draw.shares(2, 2)),
        given=("weights", "v"),
        done_until="weights",
        asked="output",
    )


def _masking(asked: str, *given: str) -> Callable[[Draw], Recipe]:
    """Return a function that draws random scores with a causal mask. The task asks for the matrix `asked`.

    `given` has the names of the matrices that the task gives besides the scores.
    """

    def recipe(draw: Draw) -> Recipe:
        scores, v = draw.tenths(-2, 3, 3, 3), draw.integers(0, 6, 3, 3)
        return Recipe(
            trace=_attention_with_scores(scores, v, mask=causal_mask(3)),
            given=("scaled", *given),
            done_until="scaled",
            asked=asked,
        )

    return recipe


def _two_heads(draw: Draw, n: int, d_v: int) -> MultiHeadTrace:
    width = 2 * d_v
    w = MultiHeadProjections(
        w_q=np.zeros((width, 2)), w_k=np.zeros((width, 2)), w_v=np.eye(width), w_o=draw.integers(-2, 2, width, width)
    )
    return multi_head_attention(draw.integers(0, 9, n, width), w, 2)


def _with_head_outputs(trace: MultiHeadTrace, output: Array) -> MultiHeadTrace:
    heads, concat = replace(trace.heads, output=output), merge_heads(output)
    rows = np.asarray(trace.projections.w_o).reshape(len(output), output.shape[-1], -1)
    return replace(
        trace, heads=heads, concat=concat, shares=output @ rows, output=project(concat, trace.projections.w_o)
    )


def _concatenation(n: int, d_v: int) -> Callable[[Draw], Recipe]:
    def recipe(draw: Draw) -> Recipe:
        trace = _with_head_outputs(_two_heads(draw, n, d_v), draw.integers(-2, 5, 2, n, d_v))
        return Recipe(trace=trace, given=("heads.0", "heads.1", "w_o"), done_until="heads", asked="output")

    return recipe


def _heads_side_by_side(draw: Draw) -> Recipe:
    """Draw random weights of two heads, and random values. The task asks for the concatenated heads."""
    trace = _two_heads(draw, 3, 2)
    weights = np.stack([draw.shares(3, 3) for _ in range(2)])
    heads = replace(trace.heads, weights=weights)
    trace = _with_head_outputs(replace(trace, heads=heads), weights @ heads.v)

    i, j, n = letters("i j n")
    products = Grid("weights", weights)[j // 2, i, n] * Grid("v", trace.v)[n, j]
    worked = CellCalculations({"concat": (trace.concat, Formula((i, j), total(n, 3, products)))})
    return Recipe(
        trace=trace, given=("weights.0", "weights.1", "v"), done_until="weights", asked="concat", worked=worked
    )


def _encoding(n: int, d_model: int, last: int, *bases: int) -> Callable[[Draw], Recipe]:
    return lambda draw: _position_recipe(draw, draw.integers(0, 3, n, d_model), last, draw.one_of(*bases), "encoding")


def _sum_with_encoding(draw: Draw) -> Recipe:
    return _position_recipe(draw, draw.tenths(-2, 3, 3, 4), 9, 100, "positioned", "x")


def _position_recipe(draw: Draw, x: Array, last: int, base: int, asked: str, *given: str) -> Recipe:
    trace = encode(x, np.sort(draw.integers(0, last, len(x))), base)
    shown, worked = ("positions", *given), position_step_rules(trace)
    return Recipe(trace=trace, given=shown, done_until="", asked=asked, worked=worked, base=base)


def _cross_attention(asked: str, *given: str) -> Callable[[Draw], Recipe]:
    """Return a function that draws random scores of cross-attention. The task asks for the matrix `asked`.

    `given` has the names of the matrices that the task gives besides the scores.
    """

    def recipe(draw: Draw) -> Recipe:
        scores, v = draw.tenths(-4, 6, 2, 3), draw.integers(0, 6, 3, 3)
        q = np.hstack([scores, draw.integers(-2, 3, 2, 1)])
        return Recipe(trace=_attention(q, np.eye(3, 4), v), given=("scores", *given), done_until="scores", asked=asked)

    return recipe


def _average_of_context(draw: Draw) -> Recipe:
    q, k, v = draw.integers(-2, 3, 2, 4), draw.integers(-2, 3, 3, 4), draw.integers(0, 9, 3, 3)
    trace = with_weights(_attention(q, k, v), draw.shares(2, 3))
    return Recipe(trace=trace, given=("weights", "v"), done_until="weights", asked="output")


RECIPES: Mapping[str, tuple[Callable[[Draw], Recipe], ...]] = {
    "softmax_axes": (_softmax(2, 3, 0, 3, 2.0), _softmax(3, 3, -1, 2, math.e), _softmax(3, 4, -2, 3, math.e)),
    "queries_keys_values": (_queries, _scores, _average_of_values),
    "scaling": (_scaling("scaled", 4), _scaling("scaled", 5, 6, 7), _scaling("weights", 4)),
    "attention": (_two_outputs, _masking("weights"), _masking("output", "v")),
    "multi_head": (_concatenation(3, 1), _concatenation(2, 2), _heads_side_by_side),
    "positional_encoding": (_encoding(2, 4, 9, 100, 10_000), _encoding(2, 6, 19, 1000), _sum_with_encoding),
    "cross_attention": (_average_of_context, _cross_attention("weights"), _cross_attention("output", "v")),
    "training_step": (softmax_gradient_task, key_gradient, learned_value_weights),
    "next_word": (logits, probabilities_of_words, probabilities_of_likeliest_words),
}

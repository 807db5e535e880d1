"""Mistakes with softmax and scale that the diagnosis names: a step is left out, replaced, or has a wrong divisor."""

from __future__ import annotations

from typing import Any

from attention_core.mistakes.engine.mistake import Mistake

SHARING_MISTAKES: tuple[Mistake[Any], ...] = (
    Mistake(
        name="softmax_forgotten",
        concept="softmax_axes",
        stage="weights",
        title="The softmax is missing",
        code="weights = np.where(allowed, scaled, 0)",
        why="Scaled scores are not weights: they can be negative, and a row does not add up to 1.",
    ),
    Mistake(
        name="sums_without_keepdims",
        concept="softmax_axes",
        stage="weights",
        title="The sums are computed without keepdims",
        code="powers = np.exp(masked)\nweights = powers / powers.sum(axis=-1)",
        why="Without keepdims, the sums of the rows are a flat list, so NumPy divides column j by the sum of row j. "
        "This runs only if there are as many queries as keys.",
    ),
    Mistake(
        name="exponential_forgotten",
        concept="softmax_axes",
        stage="weights",
        title="The exponential is missing",
        code="left = np.where(allowed, scaled, 0)\nweights = left / left.sum(axis=-1, keepdims=True)",
        why="You divided the scores themselves by their sum. Negative scores make negative weights, and a sum near 0 "
        "makes them huge.",
    ),
    Mistake(
        name="never_normalised",
        concept="softmax_axes",
        stage="weights",
        title="The exponentials are not divided by their sum",
        code="weights = np.exp(masked)",
        why="The exponentials are positive, but a row adds up to 1 only after you divide it by its sum.",
    ),
    Mistake(
        name="never_normalised_from_the_maximum",
        concept="softmax_axes",
        stage="weights",
        title="The maximum is subtracted, but nothing is divided by the sum",
        code="weights = np.exp(masked - masked.max(axis=-1, keepdims=True))",
        why="The largest number of each row is 1 now. Instead, each row should add up to 1.",
    ),
    Mistake(
        name="sigmoid_for_softmax",
        concept="softmax_axes",
        stage="weights",
        title="A sigmoid is used in place of the softmax",
        code="weights = 1 / (1 + np.exp(-masked))",
        why="Each weight is between 0 and 1, but a row does not add up to 1.",
    ),
    Mistake(
        name="greatest_takes_all",
        concept="softmax_axes",
        stage="weights",
        title="All weight is on the largest score",
        code="weights = 1.0 * (masked == masked.max(axis=-1, keepdims=True))",
        why="All weight went to the highest score (argmax). With softmax, every key has some weight.",
    ),
    Mistake(
        name="base_two",
        concept="softmax_axes",
        stage="weights",
        title="The softmax uses powers of 2, not of e",
        code="weights = np.exp2(masked) / np.exp2(masked).sum(axis=-1, keepdims=True)",
        why="A softmax raises e to the power of each score. If you use 2 instead of e, the weights are more equal.",
    ),
    Mistake(
        name="logarithms_of_the_weights",
        concept="softmax_axes",
        stage="weights",
        title="The logarithms of the weights are used as weights",
        code="weights = np.log(weights)",
        why="The logarithms of the weights are negative. The values must be multiplied by the weights themselves.",
        rank="rare",
    ),
    Mistake(
        name="even_weights",
        concept="softmax_axes",
        stage="scaled",
        title="All weights are equal",
        code="scaled = 0 * scores",
        why="Each token attends to all tokens equally, so you did not use the scores.",
    ),
    Mistake(
        name="attention_transposed",
        concept="softmax_axes",
        stage="output",
        title="The attention weights are transposed",
        code="output = weights.T @ v",
        why="Row i of the weights says how much token i attends to each token. Row i of the transposed weights says "
        "how much each token attends to token i, and it does not add up to 1.",
    ),
    Mistake(
        name="half_of_a_power",
        concept="scaling",
        stage="scaled",
        title="The code has d_k ** 1 / 2 without brackets",
        code="scaled = scores / d_k ** 1 / 2",
        why="Python computes the power before the division, so this divides by d_k and then by 2. The square root is "
        "d_k ** 0.5.",
        rank="rare",
    ),
    Mistake(
        name="divided_by_root_d_v",
        concept="scaling",
        stage="scaled",
        title="The scores are divided by √d_v",
        code="scaled = scores / np.sqrt(v.shape[-1])",
        why="A score is a sum over the d_k features of a key, so divide it by √d_k. The width d_v of the values has "
        "no effect on a score.",
    ),
    Mistake(
        name="divided_by_d_model",
        concept="scaling",
        stage="scaled",
        title="The scores are divided by d_model",
        code="scaled = scores / x.shape[-1]",
        why="A score is a sum of d_k products, so divide it by the square root of d_k.",
    ),
    Mistake(
        name="divided_by_n",
        concept="scaling",
        stage="scaled",
        title="The scores are divided by n, the number of tokens",
        code="scaled = scores / len(k)",
        why="A longer sentence does not make a score larger. Divide by the square root of d_k instead.",
    ),
    Mistake(
        name="multiplied_by_d_k",
        concept="scaling",
        stage="scaled",
        title="The scores are multiplied by d_k",
        code="scaled = scores * d_k",
        why="This makes the scores larger. Divide them by the square root of d_k instead.",
        rank="rare",
    ),
    Mistake(
        name="divided_by_d_k_squared",
        concept="scaling",
        stage="scaled",
        title="The scores are divided by d_k squared",
        code="scaled = scores / d_k ** 2",
        why="You used the square of d_k instead of its square root, so the weights are nearly equal.",
        rank="rare",
    ),
    Mistake(
        name="divided_by_n_after_softmax",
        concept="scaling",
        stage="weights",
        title="The weights are divided by the number of tokens",
        code="weights = weights / len(k)",
        why="The weights of a row add up to 1 already. If you divide again, every output is too small.",
    ),
)

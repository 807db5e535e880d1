"""Slips of the softmax and of the scale that the diagnosis names: left out, replaced, or with another divisor."""

from __future__ import annotations

from typing import Any

from attention_core.slips.slip import Slip

SHARING_SLIPS: tuple[Slip[Any], ...] = (
    Slip(
        name="softmax_forgotten",
        concept="softmax_axes",
        stage="weights",
        title="Softmax forgotten",
        code="weights = np.where(allowed, scaled, 0)",
        why="Scaled scores are no shares: they may be negative, and a row does not sum to 1.",
    ),
    Slip(
        name="sums_without_keepdims",
        concept="softmax_axes",
        stage="weights",
        title="Sums without keepdims",
        code="powers = np.exp(masked)\nweights = powers / powers.sum(axis=-1)",
        why="The sums of the rows lie flat, so NumPy divides column j by the sum of row j. It runs only where there "
        "are as many queries as keys.",
    ),
    Slip(
        name="exponential_forgotten",
        concept="softmax_axes",
        stage="weights",
        title="Exponential forgotten",
        code="left = np.where(allowed, scaled, 0)\nweights = left / left.sum(axis=-1, keepdims=True)",
        why="You divided the scores themselves by their sum. Negative scores give negative shares, and a sum near 0 "
        "makes them huge.",
    ),
    Slip(
        name="never_normalised",
        concept="softmax_axes",
        stage="weights",
        title="Never divided by the sum",
        code="weights = np.exp(masked)",
        why="The exponentials are positive, but a row does not sum to 1 before it is divided by its sum.",
    ),
    Slip(
        name="never_normalised_from_the_maximum",
        concept="softmax_axes",
        stage="weights",
        title="Maximum subtracted, but never divided by the sum",
        code="weights = np.exp(masked - masked.max(axis=-1, keepdims=True))",
        why="The greatest of each row is 1 now; it is the row that should sum to 1.",
    ),
    Slip(
        name="sigmoid_for_softmax",
        concept="softmax_axes",
        stage="weights",
        title="Sigmoid in place of softmax",
        code="weights = 1 / (1 + np.exp(-masked))",
        why="Each weight lies between 0 and 1 by itself, and the row does not share out one 1.",
    ),
    Slip(
        name="greatest_takes_all",
        concept="softmax_axes",
        stage="weights",
        title="All weight to the greatest score",
        code="weights = 1.0 * (masked == masked.max(axis=-1, keepdims=True))",
        why="An argmax is not a softmax: the others have their share, too.",
    ),
    Slip(
        name="base_two",
        concept="softmax_axes",
        stage="weights",
        title="Powers of 2 in place of e",
        code="weights = np.exp2(masked) / np.exp2(masked).sum(axis=-1, keepdims=True)",
        why="A softmax raises e to the scores. With 2, the shares are more even.",
    ),
    Slip(
        name="logarithms_of_the_weights",
        concept="softmax_axes",
        stage="weights",
        title="Log-softmax in place of softmax",
        code="weights = np.log(weights)",
        why="The logarithms of shares are negative numbers; the values are mixed by the shares themselves.",
    ),
    Slip(
        name="even_weights",
        concept="softmax_axes",
        stage="scaled",
        title="Even weights",
        code="scaled = 0 * scores",
        why="Each token gives the same to all that it may see: the scores were never used.",
    ),
    Slip(
        name="attention_transposed",
        concept="softmax_axes",
        stage="output",
        title="Weights turned over before the values",
        code="output = weights.T @ v",
        why="Row i of the weights is what token i gives to the others; turned over, it is what the others give to it, "
        "and it does not sum to 1.",
    ),
    Slip(
        name="half_of_a_power",
        concept="scaling",
        stage="scaled",
        title="d_k ** 1 / 2 without brackets",
        code="scaled = scores / d_k ** 1 / 2",
        why="The power comes before the division: this divides by d_k and then by 2. The root is d_k ** 0.5.",
    ),
    Slip(
        name="divided_by_root_d_v",
        concept="scaling",
        stage="scaled",
        title="Divided by √d_v",
        code="scaled = scores / np.sqrt(v.shape[-1])",
        why="A score sums over the d_k features of a key. How wide the values are does not matter to it.",
    ),
    Slip(
        name="divided_by_d_model",
        concept="scaling",
        stage="scaled",
        title="Divided by d_model",
        code="scaled = scores / x.shape[-1]",
        why="A score is a sum of d_k products, so it is divided by the root of d_k.",
    ),
    Slip(
        name="divided_by_n",
        concept="scaling",
        stage="scaled",
        title="Divided by n, the number of tokens",
        code="scaled = scores / len(k)",
        why="A longer sentence makes no score larger. It is divided by the root of d_k.",
    ),
    Slip(
        name="multiplied_by_d_k",
        concept="scaling",
        stage="scaled",
        title="Multiplied by d_k",
        code="scaled = scores * d_k",
        why="The scores are spread too widely already: divide them, by the root of d_k.",
    ),
    Slip(
        name="divided_by_d_k_squared",
        concept="scaling",
        stage="scaled",
        title="Divided by d_k squared",
        code="scaled = scores / d_k ** 2",
        why="Where a root belongs, there is a square: the weights come out nearly even.",
    ),
    Slip(
        name="divided_by_n_after_softmax",
        concept="scaling",
        stage="weights",
        title="Divided by the number of tokens after softmax",
        code="weights = weights / len(k)",
        why="The shares of a row sum to 1 already: to divide them once more makes every output too small.",
    ),
)

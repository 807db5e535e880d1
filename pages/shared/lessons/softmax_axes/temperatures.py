"""Temperature: how it changes the weights of one token, and what it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pages.shared.notation.numbers import format_as_shown

COLD, PLAIN, HOT = 0.5, 1.0, 2.0  # the temperatures in the text


def temperature_text(shares: Mapping[float, np.ndarray], asks: str, key_tokens: Sequence[str], decimals: int) -> str:
    """Return a text that says how a temperature changes the greatest weight of a token, and what a temperature is for.

    `shares` holds the weights of the token by temperature, and `asks` is the token.
    """
    best = int(shares[PLAIN].argmax())
    cold, plain, hot = (float(shares[t][best]) for t in (COLD, PLAIN, HOT))
    return (
        "The scores are divided by $T$ before the powers. A $T$ below 1 makes their differences larger, and the "
        "weights "
        "less even. A $T$ above 1 makes the weights more even. "
        f"“{asks}” attends to “{key_tokens[best]}” with {format_as_shown(cold, decimals)} at $T$ = ½, "
        f"{format_as_shown(plain, decimals)} at 1 and {format_as_shown(hot, decimals)} at 2.\n\n"
        "**What is it for?** A language model has a score for each possible next word. Softmax makes probabilities "
        "from the scores, and the model **draws** a word. With these numbers, the best word would come in about "
        f"{cold * 100:.0f} of 100 draws at $T$ = ½, and in {hot * 100:.0f} at $T$ = 2: a low temperature is safer, a "
        "high one more varied. In attention itself, $\\sqrt{d_k}$ is such a temperature, and it is fixed.\n\n"
        "**Without the scores:** raise each weight to the power $1/T$, and divide by their sum. For $T$ = 2 that is "
        "the "
        f"square root of each weight, and “{key_tokens[best]}” has "
        f"**{format_as_shown(float(_raise_to_power(shares[PLAIN], 1 / HOT)[best]), decimals)}** again."
    )


def _raise_to_power(shares: np.ndarray, power: float) -> np.ndarray:
    """Return shares that were raised to a power, and then divided by their sum."""
    raised = shares**power
    return raised / raised.sum()


def evenness_text(weights: np.ndarray, entropies: np.ndarray) -> str:
    """Return a text that explains the entropy of weights."""
    n = weights.size // entropies.size
    return (
        "**Entropy** ($H$) is one number that says how evenly shares are spread. It is counted in nats, which means "
        f"with the natural logarithm ($\\ln$). It is 0 if one token has all the weight, and $\\ln {n}$ = "
        f"{np.log(n):.2f} if all {n} weights are equal."
    )

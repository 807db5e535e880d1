"""Temperature: how it changes the shares of one token, and what it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pages.shared.notation.numbers import format_as_shown

COLD, PLAIN, HOT = 0.5, 1.0, 2.0  # the temperatures in the text


def what_it_is_for(shares: Mapping[float, np.ndarray], asks: str, key_tokens: Sequence[str], decimals: int) -> str:
    """Say in numbers how a temperature changes the greatest share, and what it is for."""
    best = int(shares[PLAIN].argmax())
    cold, plain, hot = (float(shares[t][best]) for t in (COLD, PLAIN, HOT))
    return (
        "Scores are divided by $T$ before the powers: below 1 their differences grow and the shares **sharpen**, above "
        "1 they **even out**. Near 0 the greatest takes all, far above 1 all get alike. "
        f"“{asks}” gives “{key_tokens[best]}” {format_as_shown(cold, decimals)} at $T$ = ½, "
        f"{format_as_shown(plain, decimals)} at 1 and {format_as_shown(hot, decimals)} at 2.\n\n"
        "What for? A language model has a score for each next word and **draws** one by such shares. In 100 draws the "
        f"best of these would come about {cold * 100:.0f} times at $T$ = ½, {hot * 100:.0f} times at 2: the colder the "
        "safer, the hotter the more varied. In attention itself, dividing by $\\sqrt{d_k}$ is such a temperature, set "
        "once.\n\n"
        f"The same shares without the scores: raise each share to the power $1/T$, and divide by their sum. At $T$ = 2 "
        f"that is the root of each share, and “{key_tokens[best]}” has "
        f"**{format_as_shown(float(_raised(shares[PLAIN], 1 / HOT)[best]), decimals)}** again."
    )


def _raised(shares: np.ndarray, power: float) -> np.ndarray:
    """Raise shares to a power, and divide them by their sum."""
    raised = shares**power
    return raised / raised.sum()


def how_even(weights: np.ndarray, entropies: np.ndarray) -> str:
    """Explain the entropy of the shares that sum to 1 here."""
    n = weights.size // entropies.size
    return (
        "**Entropy** ($H$) says in one number how evenly shares are spread. It is counted in nats, which means with "
        f"the natural logarithm: 0 where one has all, $\\ln {n}$ = {np.log(n):.2f} where all {n} are alike."
    )

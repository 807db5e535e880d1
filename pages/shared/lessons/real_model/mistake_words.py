"""Sentences about a mistake in a real model, each with its number."""

from __future__ import annotations

import numpy as np

from attention_core.arithmetic.average_rules import averages_of
from attention_core.language_model.damage import FEWER, UNDAMAGED, Damage, damages, mistakes
from attention_core.language_model.texts import PROMPTS
from pages.shared.notation.glossary import define
from pages.shared.notation.prose import literal, typeset
from pages.shared.notation.tables import markdown_table

WHY = (
    "What does a mistake cost a model that has learned to write? In all 30 layers of **SmolLM2-135M** the line of the "
    "mistake runs in the place of the right one. Nothing is learned anew."
)
CHANCE = 2.0  # a difference of fewer standard errors may be chance


def mistake_text(name: str) -> str:
    """Say what a mistake is and does: its explanation, its formula, and the change of the loss."""
    mistake, this = mistakes()[name], damages()[name]
    formula = f"$$\n{mistake.formula}\n$$\n\n" * bool(mistake.formula)
    return f"{_cost(this)}\n\n**{typeset(mistake.title)}.** {typeset(mistake.why)}\n\n{formula}"


def _cost(damage: Damage) -> str:
    right = damages()[UNDAMAGED]
    if np.isnan(damage.loss):
        return (
            "It leaves **no number**: the first layer hands over NaN, or numbers too large to square, and all is lost."
        )
    ((more, error),) = averages_of((damage.losses - right.losses)[:, None])
    how = f"by {more:+.2f} ± {error:.2f} {define('nats')} a token"
    if abs(more) < CHANCE * error:
        return f"The loss moves from {right.loss:.2f} to **{damage.loss:.2f}**, {how}: no more than chance might."
    return f"The loss moves from {right.loss:.2f} to **{damage.loss:.2f}**, {how}."


def caution(name: str) -> str:
    """If later tokens change the loss, warn that the usual loss says little."""
    this, right = damages()[name], damages()[UNDAMAGED].losses[:FEWER].mean()
    if this.from_prefixes is None:
        return ""
    usual, fair = this.losses[:FEWER].mean(), this.from_prefixes.mean()
    return (
        f":material/warning: **{_how_far(right, usual, fair)}** With this mistake, what comes after a token changes "
        "what the model expects there, and that is what it should guess. Given nothing but the words before, as when "
        f"it writes, the first {FEWER} sentences cost **{fair:.2f}** in place of {usual:.2f}; the right model, "
        f"{right:.2f} either way."
    )


def _how_far(right: float, usual: float, fair: float) -> str:
    if fair <= usual:
        return "This loss depends on what comes later."
    falls = "It even falls below that of the right model." if usual < right else "It hides a part of the damage."
    return f"The answer can be read off, so do not trust this loss. {falls}"


def after(name: str) -> str:
    """Say how the model writes with the mistake, and what the mistake does in one layer alone."""
    return "\n\n".join(filter(None, (draw_continuation(name), one_layer(name))))


def draw_continuation(name: str) -> str:
    """Show how the model continues a text, without and with the mistake."""
    rows = [(who, literal(damages()[each].goes_on.replace("\n", "⏎")) or "nothing that could be written")
            for who, each in (("right", UNDAMAGED), ("with the mistake", name))]  # fmt: skip
    return f"How it goes on after *{PROMPTS[0]}*\n\n{markdown_table(('the model', 'ten tokens more'), rows, ':--')}"


def one_layer(name: str) -> str:
    """Say how much loss the mistake adds in a single layer."""
    added = np.array([np.nan if each is None else each for each in damages()[name].layers])
    if not len(added) or np.isnan(added).all():
        return ""
    most, least = int(np.nanargmax(added)), int(np.nanargmin(added))
    return (
        f"**In one layer alone** it adds most in layer {most}, {added[most]:+.2f}, and least in layer {least}, "
        f"{added[least]:+.2f}, on {FEWER} of the sentences. All 30 single layers together would add "
        f"{np.nansum(added):+.2f}; all at once add {damages()[name].loss - damages()[UNDAMAGED].loss:+.2f}."
    )

"""Texts about a mistake in a real model, each with its number."""

from __future__ import annotations

import numpy as np

from attention_core.arithmetic.average_rules import averages_of
from attention_core.language_model.damage import FEWER, UNDAMAGED, Damage, damages, mistakes
from attention_core.language_model.texts import PROMPTS
from pages.shared.notation.glossary import define
from pages.shared.notation.prose import literal, typeset
from pages.shared.notation.tables import markdown_table

WHY = (
    "What does a mistake cost a model that has learned to write? In all 30 layers of **SmolLM2-135M**, we replace the "
    "right line of code by the line with the mistake. The model is not trained again. The **loss** says how surprised "
    "the model is by the next token: less is better."
)
CHANCE = 2.0  # a difference of fewer standard errors may be chance


def mistake_text(name: str) -> str:
    """Return a text about a mistake: how it changes the loss, what goes wrong, and its formula."""
    mistake, this = mistakes()[name], damages()[name]
    formula = f"$$\n{mistake.formula}\n$$\n\n" * bool(mistake.formula)
    return f"{_loss_change_text(this)}\n\n**{typeset(mistake.title)}.** {typeset(mistake.why)}\n\n{formula}"


def _loss_change_text(damage: Damage) -> str:
    right = damages()[UNDAMAGED]
    if np.isnan(damage.loss):
        return (
            "It leaves **no number**: the output of the first layer is NaN, or too large to be squared, and so is "
            "the rest."
        )
    ((more, error),) = averages_of((damage.losses - right.losses)[:, None])
    how = f"by {more:+.2f} {define('nats')} for each token. Chance alone usually moves this number by ± {error:.2f}"
    if abs(more) < CHANCE * error:
        return f"The loss goes from {right.loss:.2f} to **{damage.loss:.2f}**, {how}. Chance alone could do that."
    return f"The loss goes from {right.loss:.2f} to **{damage.loss:.2f}**, {how}."


def caution_text(name: str) -> str:
    """Return a warning if the model sees later tokens because of the mistake, or "" if it does not.

    The usual loss says little about such a mistake, because the model could read the answer.
    """
    this, right = damages()[name], damages()[UNDAMAGED].losses[:FEWER].mean()
    if this.from_prefixes is None:
        return ""
    usual, fair = this.losses[:FEWER].mean(), this.from_prefixes.mean()
    return (
        f":material/warning: **{_false_loss_text(right, usual, fair)}** With this mistake, the model sees later "
        "tokens, which it should predict. If the model gets only the earlier words, as when it writes, its loss on "
        f"the first {FEWER} sentences is **{fair:.2f}** in place of {usual:.2f}. "
        f"The right model has {right:.2f} in both cases."
    )


def _false_loss_text(right: float, usual: float, fair: float) -> str:
    if fair <= usual:
        return "This loss depends on later tokens."
    falls = "It is even below the loss of the right model." if usual < right else "It hides a part of the damage."
    return f"The model can read off the answer, so do not trust this loss. {falls}"


def writing_and_layers_text(name: str) -> str:
    """Return a text that says how the model writes with the mistake, and what the mistake costs in a single layer."""
    return "\n\n".join(filter(None, (continuation_table(name), one_layer_text(name))))


def continuation_table(name: str) -> str:
    """Return a table that shows how the model continues a text, without and with the mistake."""
    rows = [
        (who, literal(damages()[each].goes_on.replace("\n", "⏎")) or "nothing that could be written")
        for who, each in (("right", UNDAMAGED), ("with the mistake", name))
    ]
    table = markdown_table(("model", "the next ten tokens"), rows, ":--")
    return f"How does the model continue *{PROMPTS[0]}*?\n\n{table}"


def one_layer_text(name: str) -> str:
    """Return a text that says how much loss the mistake adds in a single layer, or "" if this was not measured."""
    added = np.array([np.nan if each is None else each for each in damages()[name].layers])
    if not len(added) or np.isnan(added).all():
        return ""
    most, least = int(np.nanargmax(added)), int(np.nanargmin(added))
    return (
        f"**In one layer alone**, the mistake adds most in layer {most} ({added[most]:+.2f}) and least in layer "
        f"{least} ({added[least]:+.2f}), measured on {FEWER} of the sentences. The numbers of the 30 layers add up to "
        f"{np.nansum(added):+.2f}. In all layers at once, the mistake adds "
        f"{damages()[name].loss - damages()[UNDAMAGED].loss:+.2f}."
    )

"""The pictures of the last chapter that are tables: what mistakes cost a real model, and an experiment."""

from __future__ import annotations

from attention_core.language_model.damage import UNDAMAGED, damages, mistakes
from pages.shared.lessons.path.model_numbers import IN_WORDS, MISTAKES, WAYS, better, experiment, model_numbers
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import typeset
from pages.shared.notation.tables import markdown_table


def mistakes_code() -> str:
    """Return the line of code of each of the four mistakes."""
    return "\n\n".join(
        f"# {title}: {IN_WORDS[name]}\n{mistakes()[name].code.strip()}" for name, title in MISTAKES.items()
    )


def mistakes_table(decimals: int) -> str:
    """Return the loss with each mistake, and on how many sentences it is smaller than that of the right model."""
    rows = [("As trained", format_as_shown(damages()[UNDAMAGED].loss, decimals), "")]
    for name, title in MISTAKES.items():
        rows.append((typeset(title), format_as_shown(damages()[name].loss, decimals), str(better(name))))
    n = len(damages()[UNDAMAGED].losses)
    better_in = f"Sentences with a smaller loss than the trained model’s, of {n}"
    return markdown_table(("The model", "Mean loss", better_in), rows)


def hidden_word_table(decimals: int) -> str:
    """Return the loss on some sentences of the right model, and without a mask where the next word cannot be seen."""
    found = model_numbers()
    rows = [
        (title, format_as_shown(found[name], decimals))
        for title, name in (("As trained", "loss_first_four"), ("Mask forgotten, next word hidden", "loss_prefixes"))
    ]
    return markdown_table(("The model", f"Mean loss on {found['n_prefixes']} sentences"), rows)


def experiment_table(decimals: int, *, revealed: bool, cut: bool) -> str:
    """Return what was measured with each change of the model; before the guess, only without any."""
    shown = ("none", *("previous",) * revealed, *("induction", "induction_control") * cut)
    rows = []
    for way in shown:
        title, found = WAYS[way], experiment(way)
        rows.append(
            (
                title,
                format_as_shown(found["looks"], decimals),
                f"{found['right']:.0f} %",
                format_as_shown(found["loss"], decimals),
            )
        )
    return markdown_table(("The model", "Weight of the right word in head 6", "First guess right", "Loss"), rows)

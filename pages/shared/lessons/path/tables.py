"""The pictures of the last chapter that are tables: what mistakes cost a real model, and an experiment."""

from __future__ import annotations

from attention_core.language_model.damage import UNDAMAGED, damages, mistakes
from attention_core.mistakes.engine.pipelines import HEADS
from pages.shared.lessons.path.bars import Bar, bars_html
from pages.shared.lessons.path.model_numbers import (
    MISTAKES,
    RIGHT,
    WAYS,
    WRONG,
    experiment_means,
    model_numbers,
    n_improved_sentences,
)
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import typeset
from pages.shared.notation.tables import markdown_table


def mistakes_code() -> str:
    """Return code that shows, for each of the four mistakes, the correct line and below it the wrong line."""
    return "\n\n".join(
        f"# right: {RIGHT[name]}\n{right_line(name)}\n# wrong: {WRONG[name]}\n{mistakes()[name].code.strip()}"
        for name in MISTAKES
    )


def right_line(mistake: str) -> str:
    """Return the correct line of code that a mistake replaces."""
    (step,) = (step for step in HEADS.steps if step.gives == mistakes()[mistake].stage)
    return step.code.removesuffix(" + b_o")  # this model has no such bias


def mistakes_table(decimals: int) -> str:
    """Return a table with the mean loss for each mistake.

    It also says on how many sentences the mistake makes the loss smaller.
    """
    rows = [("Without a mistake", format_as_shown(damages()[UNDAMAGED].loss, decimals), "–")]
    n = len(damages()[UNDAMAGED].losses)
    for name, title in MISTAKES.items():
        loss = format_as_shown(damages()[name].loss, decimals)
        rows.append((typeset(title), loss, f"{n_improved_sentences(name)} of {n} sentences"))
    return markdown_table(
        ("The model", f"Mean loss per token, {n} sentences", "The mistake makes the loss smaller in"), rows
    )


def hidden_word_table(decimals: int) -> str:
    """Return a table with two mean losses: with the mask, and without a mask on texts that end before the next word.

    In such texts, the model cannot see the word that it has to predict.
    """
    found = model_numbers()
    names = {"Without a mistake": "loss_first_four", "Mask forgotten, next word not in the text": "loss_prefixes"}
    rows = [(title, format_as_shown(found[name], decimals)) for title, name in names.items()]
    return markdown_table(("The model", f"Mean loss per token, {found['n_prefixes']} sentences"), rows)


def experiment_bars(decimals: int, *, revealed: bool, cut: bool) -> str:
    """Return bars with the weight of the correct word in head 6, one bar for each change of the model.

    After the guess (`revealed`), there are bars for a change of one head. `cut` adds bars for changes of five heads.
    """
    measured = {way: experiment_means(way)["looks"] for way in _changes_to_show(revealed=revealed, cut=cut)}
    bars = [Bar(WAYS[way], looks, format_as_shown(looks, decimals)) for way, looks in measured.items()]
    return bars_html("The weight of the right word in head 6", bars)


def experiment_table(decimals: int, *, cut: bool) -> str:
    """Return a table with one row for each change of the model. `cut` adds the changes of five heads.

    A row says how often the model's most likely next word is correct, and how large its loss is.
    """
    measured = {way: experiment_means(way) for way in _changes_to_show(revealed=True, cut=cut)}
    rows = [
        (WAYS[way], f"{found['right']:.0f} %", format_as_shown(found["loss"], decimals))
        for way, found in measured.items()
    ]
    return markdown_table(
        ("The model", "Most likely next word is the right word", "Mean loss in the second copy"), rows
    )


def _changes_to_show(*, revealed: bool, cut: bool) -> list[str]:
    """Return the names of the changes of the model to show. The first is "none", which means no change.

    `revealed` adds a change of one head, and the same change of another head as a control. `cut` adds a change of five
    heads, and the same change of five other heads.
    """
    return ["none", *["previous", "previous_control"] * revealed, *["induction", "induction_control"] * cut]

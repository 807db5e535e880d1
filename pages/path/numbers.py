"""The numbers and tables that the screens of the path mention."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import (
    attention_in_two_orders,
    median_largest_weights,
    path_steps,
    random_scores,
    share_of_large_weights,
)
from attention_core.language_model.causes import UNDAMAGED, damages, mistakes, read_measurements
from attention_core.language_model.model import Head
from attention_core.language_model.shipped import shipped_reading
from attention_core.mistakes.engine.pipelines import HEADS
from attention_core.writing.small_model import N_LAYERS, N_TOKENS, SMOLLM2
from pages.path.next_word import Bar, bars_html, next_word_numbers
from pages.path.story import TEXTS
from pages.shared.controls import Parameters
from pages.shared.controls.kinds import Control
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import markdown_table, typeset
from pages.shared.scene_files.screens import Screen, edits_of, screens
from pages.shared.state.link_text import decode

END = "end"  # the name of the last page in a link
# Earlier links hold a number: the place of a screen among these. They must open the same question as before.
NUMBERED = (
    "refers", "table", "query", "score", "softmax", "width", "mix", "residual", "learned", "heads", "order", "next",
    "mask", "block", "loss", "mistake", "induction", "cause", END,
)  # fmt: skip


@cache
def names() -> Sequence[str]:
    """Return the names of all screens in order, and then the name of the last page."""
    return (*(screen.name for screen in screens()), END)


@cache
def screen_numbers() -> Mapping[str, int]:
    """Return the number of each screen by its name, counted from 1.

    >>> screen_numbers()["table"]
    2
    """
    return {name: number for number, name in enumerate(names(), start=1)}


@dataclass(frozen=True, slots=True)
class ScreenInput(Control):
    """The control for the number of a screen. A link holds its name, because numbers change if a screen is added."""

    label: str = ""

    def encode(self, value: int) -> str:
        return names()[value - 1]

    def decode(self, text: str) -> int:
        name = NUMBERED[int(text) - 1] if text in map(str, range(1, len(NUMBERED) + 1)) else text
        if name not in screen_numbers():
            raise ValueError(f"the name of a screen, such as {names()[0]}, or {END}")
        return screen_numbers()[name]

    def in_link(self, value: int) -> bool:
        return 1 <= value <= len(names())


HEAD = Head(18, 6)
HELPER = Head(16, 0)  # the head that HEAD needs
TEXT = "list"  # of the shipped texts: river apple stone lamp river apple stone
RIGHT: Mapping[str, str] = {  # what the line of code does that a mistake replaces, in the order of the lines
    "not_scaled": "divide the scores by √d_k",
    "mask_forgotten": "set the scores of later words (not allowed) to −∞",
    "softmax_over_columns": "each row adds up to 1",
    "w_o_forgotten": "multiply the outputs of all heads, side by side, by W^O",
}
WRONG: Mapping[str, str] = {  # what it does with the mistake
    "not_scaled": "the scores stay as large as they are",
    "mask_forgotten": "later words are not hidden",
    "softmax_over_columns": "each column adds up to 1",
    "w_o_forgotten": "W^O is left out",
}
WAYS = ("none", "previous", "previous_control", "induction", "induction_control")


@cache_recent
def model_numbers() -> Mapping[str, Any]:
    """Return the measured numbers of the real model by name."""
    found = damages()
    right, no_mask = found[UNDAMAGED], found["mask_forgotten"]
    prefixes = np.asarray(no_mask.from_prefixes)
    induction = {way: experiment_means(way) for way in WAYS}
    none, helper, other, cut, control = induction.values()
    return MappingProxyType(
        {
            "loss_right": right.loss,
            "one_in": round(math.exp(right.loss)),
            "n_tokens": N_TOKENS,
            "loss_blind": math.log(N_TOKENS),
            "loss_not_scaled": found["not_scaled"].loss,
            "loss_columns": found["softmax_over_columns"].loss,
            "loss_w_o": found["w_o_forgotten"].loss,
            "loss_no_mask": no_mask.loss,
            "better_no_mask": n_improved_sentences("mask_forgotten"),
            "n_sentences": len(right.losses),
            "n_prefixes": len(prefixes),
            "loss_first_four": float(right.losses[: len(prefixes)].mean()),
            "loss_prefixes": float(prefixes.mean()),
            "head": shipped_reading(TEXT).attention(HEAD).weights,
            "helper": shipped_reading(TEXT).attention(HELPER).weights,
            "n_lists": len(read_measurements()["experiments"]["induction"]["none"]["looks"]),
            "looks_none": none["looks"], "looks_helper": helper["looks"], "looks_cut": cut["looks"],
            "right_none": none["right"], "right_helper": helper["right"], "right_cut": cut["right"],
            "looks_other": other["looks"], "right_other": other["right"], "right_control": control["right"],
            **sizes(),
            "loss_none": none["loss"], "loss_cut": cut["loss"], "loss_control": control["loss"],
        }
    )  # fmt: skip


def sizes() -> dict[str, float]:
    """Return the numbers of layers, heads and learned numbers in the real model, by name."""
    norm = SMOLLM2.d_model  # numbers of one normalisation: two in each block, and one at the end
    block = SMOLLM2.attention + SMOLLM2.feed_forward + 2 * norm
    whole = N_LAYERS * block + norm + N_TOKENS * SMOLLM2.d_model
    return {
        "n_layers": N_LAYERS,
        "n_heads": SMOLLM2.n_heads,
        "n_kv_heads": SMOLLM2.n_kv_heads,
        "heads_a_set": SMOLLM2.n_heads // SMOLLM2.n_kv_heads,
        "head_width": SMOLLM2.d_k,
        "row_width": SMOLLM2.d_model,
        "kv_columns": SMOLLM2.n_kv_heads * SMOLLM2.d_k,
        "attention_millions": SMOLLM2.attention / 1e6,
        "block_millions": block / 1e6,
        # the share of attention
        "whole_percent": round(100 * N_LAYERS * SMOLLM2.attention / whole),
        "table_millions": N_TOKENS * SMOLLM2.d_model / 1e6,
    }


def n_improved_sentences(mistake: str) -> int:
    """Return on how many sentences the model has a smaller loss with a mistake than without it."""
    return int((damages()[mistake].losses < damages()[UNDAMAGED].losses).sum())


def experiment_means(change: str) -> dict[str, float]:
    """Return the mean weight of the correct word, accuracy (whole percent) and loss after a change from `WAYS`."""
    found = read_measurements()["experiments"]["induction"][change]
    return {
        "looks": float(np.mean(found["looks"])),
        "right": round(100 * float(np.mean(found["right"]))),
        "loss": float(np.mean(found["losses"])),
    }


WIDTH = 64  # the width of the random keys
NEARLY = 0.9  # a weight above this is called nearly 1
SCREEN = "screen_"  # begins the number of a screen, so that no text types it: {screen_table}
PRESSED = ("next", "loss", "step")  # boards whose numbers depend on how often the button was pressed
BEFORE = "was_"  # begins the name of a matrix as it was before the visitor’s edits


@cache_recent
def numbers_of(example: Example) -> Mapping[str, Any]:
    """Return the matrices of an example that the path shows, by name."""
    steps = path_steps(example)
    found = {name: matrix for name, matrix in example.matrices().items()}
    found |= {name: getattr(steps.attention, name) for name in ("q", "k", "v", "scores", "scaled", "weights", "output")}
    own = {each.name: getattr(steps, each.name) for each in fields(steps)}
    found |= {name: matrix for name, matrix in own.items() if isinstance(matrix, np.ndarray)}
    found["weights_plain"] = steps.plain.weights
    found["weights_masked"] = steps.masked.weights
    heads = example.multi_head()
    found |= {f"weights.{h}": weights for h, weights in enumerate(heads.heads.weights)} | {"concat": heads.concat}
    placed = attention_in_two_orders(example, positions=True)
    found["swapped"] = attention_in_two_orders(example, positions=False).shuffled.output
    found |= {"placed": placed.original.output, "placed_swapped": placed.shuffled.output}
    return MappingProxyType(found)


def names_on(screen: Screen, example: Example, tries: int) -> Mapping[str, Any]:
    """Return all numbers that the texts of a screen can use, by name."""
    before = {f"{BEFORE}{name}": matrix for name, matrix in numbers_of(story_with_answer(screen)).items()}
    return {
        **before,
        **numbers_of(example),
        **_random_numbers(tries if screen.board == "random" else 0),
        **model_numbers(),
        **next_word_numbers(max(tries, 1) if screen.board in PRESSED else 1),
        **{f"{SCREEN}{name}": number for name, number in screen_numbers().items()},
    }


def story_with_answer(screen: Screen) -> Example:
    """Return “story”, the example of the path, as a screen shows it after the guess, without the visitor's edits."""
    return _with_edits(screen.then)


def the_story() -> Example:
    """Return “story”, the example of the path, without any edits."""
    return _with_edits("")


@cache_recent
def _with_edits(state: str) -> Example:
    return decode(edits_of(state), Parameters)[0].edited_example


def _random_numbers(draw: int) -> dict[str, Any]:
    drawn = random_scores(draw)
    plain, divided = median_largest_weights()
    often_plain, often_divided = (round(100 * share) for share in share_of_large_weights(NEARLY))
    return {
        "drawn": drawn.scores, "drawn_plain": drawn.weights_plain, "drawn_divided": drawn.weights,
        "half_plain": plain, "half_divided": divided, "width": WIDTH,
        "nearly": NEARLY, "often_plain": often_plain, "often_divided": often_divided,
    }  # fmt: skip


def mistakes_code() -> str:
    """Return code that shows, for each of the four mistakes, the correct line and below it the wrong line."""
    return "\n\n".join(
        f"# right: {RIGHT[name]}\n{right_line(name)}\n# wrong: {WRONG[name]}\n{mistakes()[name].code.strip()}"
        for name in RIGHT
    )


def right_line(mistake: str) -> str:
    """Return the correct line of code that a mistake replaces."""
    (step,) = (step for step in HEADS.steps if step.gives == mistakes()[mistake].stage)
    return step.code.removesuffix(" + b_o")  # this model has no such bias


def mistakes_table(decimals: int) -> str:
    """Return a table with the mean loss for each mistake, and the number of sentences on which it becomes smaller."""
    models, n = TEXTS.words("models"), len(damages()[UNDAMAGED].losses)
    rows: list[tuple[str, ...]] = [(models.options["right"], format_as_shown(damages()[UNDAMAGED].loss, decimals), "–")]
    for name in RIGHT:
        loss = format_as_shown(damages()[name].loss, decimals)
        improved = TEXTS.fill("improved_sentences", improved=n_improved_sentences(name), n=n)
        rows.append((typeset(models.options[name]), loss, improved))
    return markdown_table((models.label, TEXTS.fill("mean_loss", n=n), TEXTS.fill("smaller_loss")), rows)


def hidden_word_table(decimals: int) -> str:
    """Return a table with two mean losses: with the mask, and without a mask on texts that end before the next word."""
    models, found = TEXTS.words("models"), model_numbers()
    losses = {"right": found["loss_first_four"], "prefixes": found["loss_prefixes"]}
    rows = [(models.options[model], format_as_shown(loss, decimals)) for model, loss in losses.items()]
    return markdown_table((models.label, TEXTS.fill("mean_loss", n=found["n_prefixes"])), rows)


def experiment_bars(decimals: int, *, revealed: bool, cut: bool) -> str:
    """Return bars with the weight of the correct word in head 6, one bar for each change of the model."""
    named = TEXTS.words("changes").options
    measured = {way: experiment_means(way)["looks"] for way in _changes_to_show(revealed=revealed, cut=cut)}
    bars = [Bar(named[way], looks, format_as_shown(looks, decimals)) for way, looks in measured.items()]
    return bars_html(TEXTS.fill("weight_of_right_word"), bars)


def experiment_table(decimals: int, *, cut: bool) -> str:
    """Return a table with one row for each change of the model: how often it is correct, and how large its loss is."""
    named = TEXTS.words("changes")
    measured = {way: experiment_means(way) for way in _changes_to_show(revealed=True, cut=cut)}
    rows = [
        (named.options[way], f"{found['right']:.0f} %", format_as_shown(found["loss"], decimals))
        for way, found in measured.items()
    ]
    return markdown_table((named.label, TEXTS.fill("how_often_right"), TEXTS.fill("loss_in_second_copy")), rows)


def _changes_to_show(*, revealed: bool, cut: bool) -> Sequence[str]:
    return WAYS if cut else WAYS[:3] if revealed else WAYS[:1]

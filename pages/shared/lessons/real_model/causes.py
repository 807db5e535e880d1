"""The three experiments: the question, the guesses, the result, and the same with a visitor's own words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from attention_core.arithmetic.average_rules import averages_of, counts_of
from attention_core.language_model.causes import (
    FACT,
    FACT_CONTROLS,
    INDUCTION,
    INDUCTION_CONTROLS,
    NUMBER,
    NUMBER_CONTROLS,
    PREVIOUS,
    SHIFT,
    with_change,
)  # fmt: skip
from attention_core.language_model.damage import read_measurements
from attention_core.language_model.head_changes import average_heads, cut, handing_over
from attention_core.language_model.texts import capital_of
from pages.shared.lessons.real_model.live import Way
from pages.shared.lessons.real_model.measured import Measured, of_experiment


class Experiment(NamedTuple):
    """An experiment on the page."""

    title: str
    asks: str
    guesses: tuple[str, str, str]
    right: int  # the number of the best guess
    found: Callable[[Measured], str]
    own: str  # the label of the field for a visitor's own words


def _capitals(m: Measured) -> str:
    means, turned = averages_of(m.values)[:, 0], counts_of(m.values)[:, 0].astype(int)
    return (
        f"**{FACT} carries the country.** With its finding from the other sentence, the other capital wins in "
        f"**{turned[1]} of {m.n}**; the lead of the own capital falls from {means[0]:+.1f} to **{means[1]:+.1f}**. The "
        f"same swap at {len(FACT_CONTROLS)} other heads of that layer turns {turned[2:].max() or 'none'}, and the "
        f"lead stays between {means[2:].min():+.1f} and {means[2:].max():+.1f}. One head of 270 hands it over; what "
        "the capital of a country is, other layers know."
    )


def _induction(m: Measured) -> str:
    found, means = read_measurements()["experiments"]["induction"], averages_of(m.values)[:, 0]
    looks, rights = ({way: sum(each[what]) / m.n for way, each in found.items()} for what in ("looks", "right"))
    return (
        f"**Both steps are needed.** Let {PREVIOUS}, which looks one word back, hand over its mean at all places: the "
        f"loss grows from {means[0]:.2f} to **{means[1]:.2f}**, and L18H6 gives {looks['previous']:.2f} in place of "
        f"{looks['none']:.2f} to the word that followed. Cut the {len(INDUCTION)} heads that find that word: "
        f"**{means[3]:.2f}**, and {rights['induction']:.0%} is guessed right in place of {rights['none']:.0%}. "
        f"{len(INDUCTION_CONTROLS)} other heads of those layers: {means[4]:.2f}. On plain sentences the cut hardly "
        f"shows: {found['none']['plain']:.2f} and {found['induction']['plain']:.2f}. A mean hides what a head is for."
    )


def _number(m: Measured) -> str:
    means, wrong = averages_of(m.values)[:, 0], counts_of(m.values)[:, 0].astype(int)
    return (
        f"**{NUMBER} carries the number of the subject.** Cut, the lead of the right verb falls from {means[0]:.2f} to "
        f"**{means[1]:.2f}**. Each of {len(NUMBER_CONTROLS)} other heads of its layer leaves between "
        f"{means[2:].min():.2f} and {means[2:].max():.2f}. The wrong verb wins in {wrong[1]} of {m.n}: the head is a "
        "large part of the cause, and not all of it."
    )


CHOICES = {
    "capitals": Experiment(
        "Capitals", f"“The capital of France is”: in the last place, {FACT} looks at the country. Give it what it "
        "found there in the same sentence about another country, and change nothing else. Which capital wins?",
        ("still its own", "neither: the model is lost", "that of the other country"), 2, _capitals,
        "Two countries",
    ),
    "induction": Experiment(
        "Words twice", "Ten words without any sense, read twice. The second time the model goes on as the first time: "
        f"{PREVIOUS} looks one word back, and five heads above it find what followed. Spoil the one, or cut the five. "
        "What becomes of the loss, the second time?",
        ("nothing: other heads do it", "it grows a little", "it doubles, or trebles"), 2, _induction,
        "Words, which are read twice",
    ),
    "number": Experiment(
        "One or many", f"“The keys near the cabinet” asks for “are”, though “is” would fit the word before. Cut "
        f"{NUMBER} alone. What becomes of the lead of “are”?",
        ("nothing", "most of it goes", "“is” wins throughout"), 1, _number, "The beginning of a sentence",
    ),
}  # fmt: skip
OWN = {"capitals": "Egypt, Italy", "induction": "lamp river seven green", "number": "The keys near the cabinet"}


def guess_options() -> dict[str, str]:
    """Return the guesses of all experiments. The name of each has its experiment and its number."""
    return {f"{name}-{i}": text for name, each in CHOICES.items() for i, text in enumerate(each.guesses)}


def verdict(name: str, guess: str) -> str:
    """Say what the result was, and how good the guess was."""
    this, number = CHOICES[name], int(guess.rpartition("-")[2])
    near = "**As you said.**" if number == this.right else f"You said: {this.guesses[number]}. **It is otherwise.**"
    return f"{near} {this.found(of_experiment(name))}"


def shift() -> str:
    """Say how the scores change if all tokens get other positions."""
    found = read_measurements()["experiments"]["shift"]
    moved, torn = found["moved"], found["torn"]
    return (
        f"**And places?** Move all tokens by {SHIFT:,}, and no score of any next word changes by more than "
        f"{math.ceil(1000 * moved['most']) / 1000:.3f}: {moved['same']:.0%} of the best guesses "
        "stay. Only distances count. Leave a gap of 20 in the middle instead, "
        f"and one changes by {torn['most']:.1f}; {torn['same']:.0%} stay."
    )


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a visitor's text."""
    return tuple(word for word in re.split(r"[\s,;]+", text) if word)


def ways_of(name: str) -> tuple[Way, ...]:
    """Return the ways to read a visitor's words in an experiment other than that on capitals.

    For capitals, the second way depends on the answer to a question of its own: see `swap_with`.
    """
    if name == "induction":
        return (
            Way("as it is"),
            Way(f"{PREVIOUS} averaged", with_change(average_heads([PREVIOUS])), "averaged"),
            Way("5 heads cut", with_change(cut(INDUCTION)), "cut.induction"),
            Way("5 others cut", with_change(cut(INDUCTION_CONTROLS)), "cut.controls"),
        )
    heads = (NUMBER, NUMBER_CONTROLS[0])
    return (Way("as it is"), *(Way(f"{head} cut", with_change(cut([head])), f"cut.{head}") for head in heads))


def swap_with(other: str, row) -> Way:
    """Return the way in which a head outputs what it outputs about another country."""
    return Way(f"{FACT} from “{capital_of(other)}”", with_change(handing_over(FACT, row)), f"swapped.{other}")

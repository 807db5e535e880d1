"""The three experiments: the question, the guesses, the result, and the same experiment with a visitor's own words."""

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
)
from attention_core.language_model.damage import read_measurements
from attention_core.language_model.head_changes import average_heads, cut_heads, replace_output
from attention_core.language_model.texts import capital_of
from pages.shared.lessons.real_model.live import Way
from pages.shared.lessons.real_model.measured import Measured, of_experiment


class Experiment(NamedTuple):
    """One experiment on the page: its title, its question, three guesses, the correct guess, and its result."""

    title: str
    asks: str
    guesses: tuple[str, str, str]
    right: int  # the index of the correct guess
    found: Callable[[Measured], str]
    own: str  # the label of the field for a visitor's own words


def _capitals_text(m: Measured) -> str:
    means, turned = averages_of(m.values)[:, 0], counts_of(m.values)[:, 0].astype(int)
    return (
        f"**{FACT} carries the country.** With its output from the other sentence, the other capital wins in "
        f"**{turned[1]} of {m.n}** sentences. The lead of the right capital falls from {means[0]:+.1f} to "
        f"**{means[1]:+.1f}**. The same swap at {len(FACT_CONTROLS)} other heads of this layer changes the winner in "
        f"{turned[2:].max() or 'none'}, and the lead stays between {means[2:].min():+.1f} and "
        f"{means[2:].max():+.1f}. One head of 270 brings the country to the last token. Other layers know its capital."
    )


def _induction_text(m: Measured) -> str:
    found, means = read_measurements()["experiments"]["induction"], averages_of(m.values)[:, 0]
    looks, rights = ({way: sum(each[what]) / m.n for way, each in found.items()} for what in ("looks", "right"))
    return (
        f"**The model needs both steps.** {PREVIOUS} attends one word back. Replace its output by its mean at all "
        f"positions: the loss grows from {means[0]:.2f} to **{means[1]:.2f}**, and L18H6 attends to the word that "
        "followed with "
        f"{looks['previous']:.2f} in place of {looks['none']:.2f}. Or cut the {len(INDUCTION)} heads that find this "
        f"word: the loss is **{means[3]:.2f}**, and {rights['induction']:.0%} of the words are predicted in place of "
        f"{rights['none']:.0%}. If {len(INDUCTION_CONTROLS)} other heads of these layers are cut, the loss is "
        f"{means[4]:.2f}. On plain sentences, the cut hardly changes it: {found['none']['plain']:.2f} and "
        f"{found['induction']['plain']:.2f}. So the loss on average texts does not show what a head is for."
    )


def _number_text(m: Measured) -> str:
    means, wrong = averages_of(m.values)[:, 0], counts_of(m.values)[:, 0].astype(int)
    return (
        f"**{NUMBER} carries the number of the subject.** Without it, the lead of the right verb falls from "
        f"{means[0]:.2f} to "
        f"**{means[1]:.2f}**. Without one of {len(NUMBER_CONTROLS)} other heads of its layer, the lead is between "
        f"{means[2:].min():.2f} and {means[2:].max():.2f}. The wrong verb wins in {wrong[1]} of {m.n} sentences. So "
        "this head is a large part of the cause, but not all of it."
    )


CHOICES = {
    "capitals": Experiment(
        "Capitals", f"In “The capital of France is”, the last token attends to the country in head {FACT}. Replace the "
        "output of this head by its output in the same sentence about another country. Change nothing else. Which "
        "capital does the model say?",
        ("still its own", "neither: the model fails", "that of the other country"), 2, _capitals_text,
        "Two countries",
    ),
    "induction": Experiment(
        "Words twice", "The model reads ten random words twice. The second time it can copy what followed the first "
        "time: "
        f"{PREVIOUS} attends one word back, and five later heads find the word that followed. Damage the one head, or "
        "cut the five. How does the loss of the second reading change?",
        ("not at all: other heads do it", "it grows a little", "it doubles or triples"), 2, _induction_text,
        "Words, which are read twice",
    ),
    "number": Experiment(
        "One or many", f"After “The keys near the cabinet” comes “are”, although “is” would fit the word before. Cut "
        "the "
        f"head {NUMBER} alone. What happens to the lead of “are”?",
        ("nothing", "most of it is lost", "“is” always wins"), 1, _number_text, "The beginning of a sentence",
    ),
}  # fmt: skip
OWN = {"capitals": "Egypt, Italy", "induction": "lamp river seven green", "number": "The keys near the cabinet"}


def guess_options() -> dict[str, str]:
    """Return the text of each guess in each experiment, by a name such as "capitals-0" for the first guess."""
    return {f"{name}-{i}": text for name, each in CHOICES.items() for i, text in enumerate(each.guesses)}


def verdict_text(name: str, guess: str) -> str:
    """Return a text that says whether a guess was correct, and what the experiment has found.

    `name` is the name of the experiment, and `guess` is the name of the guess.
    """
    this, number = CHOICES[name], int(guess.rpartition("-")[2])
    wrong = f"Your guess: {this.guesses[number]}. **That is not what happens.**"
    near = "**That is right.**" if number == this.right else wrong
    return f"{near} {this.found(of_experiment(name))}"


def shift_text() -> str:
    """Return a text that says how much the logits change if all tokens move to later positions."""
    found = read_measurements()["experiments"]["shift"]
    moved, torn = found["moved"], found["torn"]
    return (
        f"**What about positions?** If all tokens move by {SHIFT:,} positions, no score of a next word changes by "
        "more than "
        f"{math.ceil(1000 * moved['most']) / 1000:.3f}, and {moved['same']:.0%} of the best guesses stay the same. "
        "Only "
        f"distances count. A gap of 20 positions in the middle changes a score by up to {torn['most']:.1f}, and only "
        f"{torn['same']:.0%} of the best guesses stay the same."
    )


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a visitor's text. Spaces, commas and semicolons separate the words."""
    return tuple(word for word in re.split(r"[\s,;]+", text) if word)


def ways_of(name: str) -> tuple[Way, ...]:
    """Return the changes of the model that the experiment `name` compares, such as without some heads.

    The experiment on capitals is not included, because its change depends on an answer of the model: see `swap_with`.
    """
    if name == "induction":
        return (
            Way("as it is"),
            Way(f"{PREVIOUS} averaged", with_change(average_heads([PREVIOUS])), "averaged"),
            Way("5 heads cut", with_change(cut_heads(INDUCTION)), "cut.induction"),
            Way("5 others cut", with_change(cut_heads(INDUCTION_CONTROLS)), "cut.controls"),
        )
    heads = (NUMBER, NUMBER_CONTROLS[0])
    return (Way("as it is"), *(Way(f"{head} cut", with_change(cut_heads([head])), f"cut.{head}") for head in heads))


def swap_with(other: str, row) -> Way:
    """Return a way to run the model on a sentence about a country: the output of one head is replaced by `row`.

    This is the output of the same head in a sentence about another country, `other`.
    """
    return Way(f"{FACT} from “{capital_of(other)}”", with_change(replace_output(FACT, row)), f"swapped.{other}")

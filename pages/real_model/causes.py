"""The causes of the damage, and what the model answers to a visitor."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.arithmetic.position_rules import averages_of, counts_of
from attention_core.language_model.answer import Answer, Question
from attention_core.language_model.causes import (
    FACT,
    FACT_CONTROLS,
    INDUCTION,
    INDUCTION_CONTROLS,
    NUMBER,
    NUMBER_CONTROLS,
    PREVIOUS,
    SHIFT,
    read_measurements,
    with_change,
)
from attention_core.language_model.mistakes import average_heads, cut_heads, replace_output
from attention_core.language_model.model import RIGHT_PARTS, Parts
from attention_core.language_model.tokens import capital_of, pieces_of
from pages.real_model.measured import Measured, of_experiment
from pages.shared.model_access.asking import ask, is_available, model, stored_answer
from pages.shared.model_access.sentence import say_how_to_install
from pages.shared.notation.prose import literal, markdown_table
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container

SHOWN = 4  # the number of next words shown for each way
MOST_MORE = 8  # the greatest number of words that continue the text in each way

NOT_HERE = (
    "All numbers above were measured before, on the same model, and are shipped with this app. For words of your own "
    "the model has to be on this machine (98 MB). One command installs it:"
)


class Way(NamedTuple):
    """A way in which the model reads a text, such as with a mistake or without a head."""

    title: str  # its name in the table
    parts: Parts = RIGHT_PARTS
    key: str = "right"  # its name in questions; equal keys must mean equal parts


def draw_model_switch(parameters) -> bool:
    """Draw the switch that lets a visitor ask the model itself. If the model is not installed, say how to install it.

    Return whether the switch is on and the model is installed.
    """
    widgets.draw(parameters, "live")
    with reserve_container("not_at_hand"):
        if not is_available():
            say_how_to_install(NOT_HERE)
    return parameters.live and is_available()


def draw_comparison(
    parameters, tokens: Sequence[int], ways: Sequence[Way], *, counted: int = 1, onward: bool = True
) -> None:
    """Ask the model to read a text in several ways, and draw a table with one row for each way.

    A row has the next word, a longer continuation if `onward`, and the mean loss of the tokens from index `counted` on.
    If `counted` is 0, no loss is shown.
    """
    chains = [list(_questions_in_turn(tuple(tokens), way, parameters.more if onward else 0)) for way in ways]
    answers = ask(*(question for chain in chains for question in chain))
    with reserve_container("compared"):
        if answers is None and not all(stored_answer(chain[0]) for chain in chains):
            return
        if onward:
            widgets.step_button(
                "One word more",
                "more",
                parameters.more + 1,
                icon=":material/arrow_forward:",
                disabled=parameters.more == MOST_MORE or answers is None,
            )
        rows = [_table_row(way.title, chain, counted, onward) for way, chain in zip(ways, chains, strict=True)]
        header = ("the model", *["loss a token"] * bool(counted), "next", *["it goes on"] * onward)
        st.markdown(markdown_table(header, rows, ":--"))


def _questions_in_turn(tokens: tuple[int, ...], way: Way, n: int) -> Iterator[Question]:
    """Yield the question about a text, and then up to `n` questions about longer texts. Each is one word longer.

    Each new word is the likeliest one in the previous answer. Stop after a question without an answer.
    """
    for _ in range(n + 1):
        yield (question := Question(tokens=tokens, parts_name=way.key, parts=way.parts))
        answer = stored_answer(question)
        if answer is None:
            return
        tokens = (*tokens, int(answer.next_tokens[-1, 0]))


def _table_row(title: str, chain: Sequence[Question], counted: int, onward: bool) -> tuple[str, ...]:
    first = stored_answer(chain[0])
    if first is None:
        return title, *[""] * bool(counted), "", *[""] * onward
    loss = [f"{np.mean(first.losses[counted - 1 :]):.2f}"] * bool(counted)
    return title, *loss, _next_words_text(first), *[_continuation_text(chain)] * onward


def _next_words_text(answer: Answer) -> str:
    best = zip(answer.next_tokens[-1, :SHOWN], answer.probabilities[-1, :SHOWN], strict=True)
    return ", ".join(f"{literal(_text_of([token]))} {share:.0%}" for token, share in best)


def _continuation_text(chain: Sequence[Question]) -> str:
    written = chain[-1].tokens[len(chain[0].tokens) :]
    return literal(_text_of(written)) if written else "…"


def _text_of(tokens: Sequence[int]) -> str:
    return " ".join(pieces_of(map(int, tokens), model().vocabulary))


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

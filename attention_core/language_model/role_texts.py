"""Texts for measuring the roles of heads, each with a control, which is a similar text without the cue.

In each text, braces mark two parts. The head is expected to attend from the last part to the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

N_WORDS = 8  # the number of random words in a list that is read twice
N_LISTS = 12

PLAIN = (
    "The children played in the garden until their mother called them for dinner.",
    "A small boat drifted slowly down the river toward the old stone bridge.",
    "Nobody in the village could remember such a cold and windy winter.",
    "My uncle repairs clocks in a narrow shop behind the railway station.",
    "After the concert we walked home through the quiet streets of the town.",
    "The doctor asked whether the pain had started before or after lunch.",
    "Fresh bread and strong coffee were waiting on the kitchen table.",
    "She put the letter into her pocket and never spoke about it again.",
    "The train to the coast was late because snow covered the tracks.",
    "Two birds built their nest under the roof of the empty barn.",
    "He learned to swim in the lake near the house where he was born.",
    "The museum opens at nine, but the queue begins an hour earlier.",
)
WORDS = (
    "apple stone lamp river chair paper horse cloud glass table bread knife tower field clock shirt paint metal sugar "
    "truck bridge coffee candle garden window silver winter doctor engine forest"
).split()
ASIDES = (
    "the old man from Rome", "my best friend", "a tall woman", "the king of Spain", "born in May", "our new teacher",
    "still very tired", "as usual", "the one in red", "her only brother", "a famous writer", "aged forty",
)  # fmt: skip
SAYINGS = (
    "good night", "come here", "I am late", "not yet", "open the door", "we are lost", "thank you very much", "wait",
    "all is well", "see you soon", "never again", "look at this",
)  # fmt: skip
WOMEN = ("Mary", "Anna", "Sarah", "Alice", "Elizabeth", "Jane", "Maria", "Margaret")
MEN = ("John", "Peter", "David", "Paul", "Mark", "Tom", "James", "Robert")
COUNTRIES = (
    "France", "Japan", "Italy", "Spain", "Germany", "Russia", "China", "India", "Egypt", "Canada", "Mexico", "Greece",
    "Poland", "Sweden", "Norway", "Cuba",
)  # fmt: skip
ANIMALS = ("dog", "cat", "horse", "bird", "cow", "bear", "wolf", "lion", "fox", "rabbit", "goat", "duck")


class Pair(NamedTuple):
    """A text with a cue, such as an opening bracket, and a similar text without the cue, as a control.

    Braces mark two parts of each text: a head should attend from the last part to the first.
    """

    text: str
    control: str


def brackets() -> Sequence[Pair]:
    """Return pairs of texts. In the first text, a closing bracket should attend to its opening bracket.

    The second text, the control, has a comma in place of the opening bracket.
    """
    return [Pair(f"He {{(}}{aside}{{)}} smiled.", f"He{{,}} {aside}{{)}} smiled.") for aside in ASIDES]


def quotes() -> Sequence[Pair]:
    """Return pairs of texts. In the first text, a closing quotation mark should attend to the opening mark.

    The second text, the control, has a comma in place of the opening mark.
    """
    return [Pair(f'She said {{"}}{s}{{"}} and left.', f'She said{{,}} {s}{{"}} and left.') for s in SAYINGS]


def pronouns() -> Sequence[Pair]:
    """Return pairs of texts. In the first text, a pronoun fits the name that it should attend to.

    In the second text, the control, the pronoun does not fit this name.
    """
    both = [*zip(WOMEN, MEN, strict=True)]
    women = [_pronoun(woman, man, "she", "he") for woman, man in both]
    men = [_pronoun(man, woman, "he", "she") for woman, man in both]
    return [*women, *men]


def _pronoun(name: str, other: str, fits: str, other_fits: str) -> Pair:
    start = f"When {{{name}}} met {other} in the garden,"
    return Pair(f"{start}{{ {fits}}}", f"{start}{{ {other_fits}}}")


def facts() -> Sequence[Pair]:
    """Return pairs of texts. In the first, the last token should attend to a country, because its capital comes next.

    The second text, the control, is about the weather in the country.
    """
    return [Pair(f"The capital of {{{c}}}{{ is}}", f"The weather in {{{c}}}{{ is}}") for c in COUNTRIES]


def same_words() -> Sequence[Pair]:
    """Return pairs of texts. In the first text, a word should attend to the same word before.

    The second text, the control, has another word in place of this word.
    """
    others = ANIMALS[1:] + ANIMALS[:1]
    both = zip(ANIMALS, others, strict=True)
    return [Pair(f"The{{ {a}}} saw another{{ {a}}}", f"The{{ {a}}} saw another{{ {b}}}") for a, b in both]


def lists() -> Sequence[tuple[str, str]]:
    """Return pairs of texts: a list of random words that comes twice, and a control with two different lists."""
    drawn = [np.random.default_rng(seed).permutation(WORDS).tolist() for seed in range(N_LISTS)]
    return [
        (_join_with_spaces([*each[:N_WORDS], *each[:N_WORDS]]), _join_with_spaces(each[: 2 * N_WORDS]))
        for each in drawn
    ]


def _join_with_spaces(words: Sequence[str]) -> str:
    """Join words with a space before each word, because a word without the space would be another token."""
    return "".join(f" {word}" for word in words)


PAIRED: Mapping[str, Sequence[Pair]] = {
    "bracket": brackets(), "quote": quotes(), "pronoun": pronouns(), "fact": facts(), "same word": same_words(),
}  # fmt: skip

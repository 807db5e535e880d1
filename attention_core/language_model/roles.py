"""What heads do: the texts that show it, and the measured roles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attention_core.checks import Array
from attention_core.language_model.model import Head
from attention_core.language_model.tokens import BEGIN, Vocabulary

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
    return "".join(f" {word}" for word in words)


PAIRED: Mapping[str, Sequence[Pair]] = {
    "bracket": brackets(), "quote": quotes(), "pronoun": pronouns(), "fact": facts(), "same word": same_words(),
}  # fmt: skip


FILE = Path(__file__).with_name("roles.json")

_BRACES = re.compile(r"\{([^}]+)\}")
Places = Sequence[tuple[int, int]]  # pairs of tokens: the token that attends, and the token that it attends to
WeightsOf = Callable[[Sequence[int]], Array]  # the tokens of a text → all weights (n_layers, n_heads, n, n)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The tokens of a text, and the pairs of tokens between which a head's weights are measured."""

    tokens: tuple[int, ...]
    places: Places  # pairs of indices: the token that attends, and the token that it attends to


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role of a head, such as attending to the token before, and two mean weights of the head.

    One mean is from texts with a cue for the role, such as an opening bracket. The other is from texts without the cue.
    """

    name: str
    head: Head
    score: float  # the mean weight in texts with the cue
    control: float  # the mean weight in texts without the cue
    n_texts: int  # the number of texts in each mean; the head was chosen on as many other texts


def read_texts(name: str, vocabulary: Vocabulary) -> Sequence[tuple[MarkedText, MarkedText]]:
    """Return the texts of a role, such as "induction", as pairs: a text with a cue for the role, and a text without it.

    Raises: KeyError if there is no such role.
    """
    return [*_KINDS[name](vocabulary)] if name in _KINDS else [*_pairs_of_texts(name, vocabulary)]


def mean_weights(texts: Sequence[MarkedText], weights_of: WeightsOf) -> Array:
    """Return for every head the mean weight between the marked tokens of the texts: (n_layers, n_heads)."""
    return np.mean([_mean_weight(weights_of(text.tokens), text.places) for text in texts], axis=0)


def measure_role(name: str, vocabulary: Vocabulary, weights_of: WeightsOf, head: Head | None = None) -> Role:
    """Return the mean weights of a head in texts with the cue for the role `name`, and in texts without the cue.

    If `head` is None, choose the head with the greatest difference between the two means on every second text. The
    result is always from the other half of the texts. `weights_of` takes tokens, and returns the weights of all heads.
    """
    texts = read_texts(name, vocabulary)
    head = head or best_of(np.subtract(*_weights_with_and_without(texts[::2], weights_of)))
    scores, controls = _weights_with_and_without(texts[1::2], weights_of)
    return Role(name=name, head=head, score=float(scores[head]), control=float(controls[head]), n_texts=len(texts) // 2)


def _weights_with_and_without(
    texts: Sequence[tuple[MarkedText, MarkedText]], weights_of: WeightsOf
) -> tuple[Array, Array]:
    return mean_weights([text for text, _ in texts], weights_of), mean_weights([text for _, text in texts], weights_of)


def best_of(scores: Array) -> Head:
    """Return the head with the greatest score. `scores` has the shape (n_layers, n_heads)."""
    return Head(*(int(i) for i in np.unravel_index(scores.argmax(), scores.shape)))


@cache
def roles() -> Sequence[Role]:
    """Read from the file of this package the role of each head, such as attending to the previous token."""
    kept: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["roles"]
    return [Role(head=Head(*each.pop("head")), **each) for each in kept]


def _mean_weight(weights: Array, places: Places) -> Array:
    return np.mean([weights[:, :, i, j] for i, j in places], axis=0)


# --- texts ---


def _texts_of_earlier_token(
    vocabulary: Vocabulary, steps: int, instead: int
) -> Iterator[tuple[MarkedText, MarkedText]]:
    for text in PLAIN:
        tokens = (vocabulary.numbers[BEGIN], *vocabulary.encode(text))
        n = len(tokens)
        yield tuple(MarkedText(tokens, [(i, i - each) for i in range(3, n)]) for each in (steps, instead))  # type: ignore[misc]


def _texts_of_first_token(vocabulary: Vocabulary, begin: Sequence[str]) -> Iterator[tuple[MarkedText, MarkedText]]:
    for text in PLAIN:
        tokens = (*(vocabulary.numbers[each] for each in begin), *vocabulary.encode(text))
        yield tuple(MarkedText(tokens, [(i, j) for i in range(2, len(tokens))]) for j in (0, 1))  # type: ignore[misc]


def _texts_of_lists(vocabulary: Vocabulary, offset: int) -> Iterator[tuple[MarkedText, MarkedText]]:
    places = [(i, i - N_WORDS + offset) for i in range(N_WORDS + 1, 2 * N_WORDS + 1)]
    for both in lists():
        yield tuple(MarkedText((vocabulary.numbers[BEGIN], *vocabulary.encode(text)), places) for text in both)  # type: ignore[misc]


def _pairs_of_texts(name: str, vocabulary: Vocabulary) -> Iterator[tuple[MarkedText, MarkedText]]:
    for pair in PAIRED[name]:
        yield tuple(_read_marked_text(text, vocabulary) for text in pair)  # type: ignore[misc]


def _read_marked_text(text: str, vocabulary: Vocabulary) -> MarkedText:
    """Return the tokens of a text without its braces, and the pair of tokens between which a weight is measured.

    Braces mark two parts of the text. A head should attend from the last token of the second part to the last token of
    the first part.
    """
    plain, ends = "", list[int]()
    for n, part in enumerate(_BRACES.split(text)):
        plain += part
        ends += [len(plain)] * (n % 2)
    tokens = (vocabulary.numbers[BEGIN], *vocabulary.encode(plain))
    until = [0, *accumulate(len(vocabulary.decode([token])) for token in tokens[1:])]
    at, looks = (until.index(end) for end in (ends[0], ends[-1]))
    return MarkedText(tokens, [(looks, at)])


_KINDS: Mapping[str, Callable[[Vocabulary], Iterator[tuple[MarkedText, MarkedText]]]] = {
    "previous token": lambda vocabulary: _texts_of_earlier_token(vocabulary, 1, 2),
    "first place": lambda vocabulary: _texts_of_first_token(vocabulary, [BEGIN]),
    "first word": lambda vocabulary: _texts_of_first_token(vocabulary, []),  # without the start token
    "induction": lambda vocabulary: _texts_of_lists(vocabulary, 1),
    "same token before": lambda vocabulary: _texts_of_lists(vocabulary, 0),
}
NAMES = (*_KINDS, *PAIRED)

"""The state of the small model on the page: its matrices, the words so far, and how the next word is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attention_core.caching import cache_recent
from attention_core.examples.example import Example, FeatureNames, example_of, frozen_copy
from attention_core.next_word import SampleTrace
from attention_core.writing.small_model import Drawing, NextWordTrace, SmallModel, draw_word, next_word, write_on
from attention_core.writing.story_model import END, FEATURES, KEYS, QUERIES, VALUES, beginning, story_model
from pages.shared.controls.kinds import Rows
from pages.shared.notation.symbols import OF_A_PAGE
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)

NAMES = FeatureNames(x=FEATURES, q=QUERIES, k=KEYS, v=VALUES)
EDITABLE = ("w_q", "w_k", "w_v", "w_o")
ALL = 0  # the value of top-k with which no word is left out
MOST_MORE = 4  # words that are drawn and appended


@dataclass(frozen=True, slots=True, eq=False)
class Writing:
    """The small language model, the words that it has written so far, and its results for the next word."""

    model: SmallModel
    example: Example  # its tokens and its head
    trace: NextWordTrace
    drawing: SampleTrace  # how the next word is drawn from the last row
    attends: bool

    @property
    def last(self) -> int:
        """The index of the last row."""
        return len(self.trace.tokens) - 1

    @property
    def has_ended(self) -> bool:
        """Whether the last token is the one that ends the sentence."""
        return self.trace.tokens[-1] == END


def example_of_page(parameters) -> Example:
    """Return the tokens and the head of the small model in the form of an example, which every page has."""
    return writing_of(parameters).example


def writing_of(parameters) -> Writing:
    """Return the small model with its words so far and its next word. `parameters` are the settings of the page."""
    model = _model(
        parameters.vocabulary,
        parameters.table,
        *(getattr(parameters, f"{name}{OF_A_PAGE}") for name in EDITABLE),
    )
    return _writing(model, parameters.verb, parameters.attends, parameters.more, drawing_of(parameters))


def drawing_of(parameters) -> Drawing:
    """Return the settings for the random choice of a word: temperature, top-k, top-p and seed."""
    top_k = None if parameters.top_k == ALL else parameters.top_k
    top_p = None if parameters.top_p == 1 else parameters.top_p
    return Drawing(temperature=parameters.temperature, top_k=top_k, top_p=top_p, seed=parameters.seed)


@cache_recent
def _model(vocabulary: Rows, table: Rows, w_q: Rows, w_k: Rows, w_v: Rows, w_o: Rows) -> SmallModel:
    own = {"vocabulary": vocabulary, "table": table, "w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    return replace(story_model(), **{name: frozen_copy(rows) for name, rows in own.items()})


@cache_recent
def _writing(model: SmallModel, verb: str, attends: bool, more: int, drawing: Drawing) -> Writing:
    tokens = write_on(model, beginning(verb), more, drawing, attends=attends)
    trace = next_word(model, tokens, attends=attends)
    head = trace.head
    example = example_of(
        name="next_word", title=TEXTS.fill("title"), about=TEXTS.fill("about"), source=TEXTS.fill("source"),
        tokens=tokens, x=head.x, w_q=head.w_q, w_k=head.w_k, w_v=head.w_v, w_o=model.w_o, n_heads=1, names=NAMES,
    )  # fmt: skip
    drawn = draw_word(drawing, trace.logits[-1], len(tokens) - len(beginning(verb)))
    return Writing(model, example, trace, drawn, attends)

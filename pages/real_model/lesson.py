"""What the page “Mistakes and causes” says, with the numbers that were measured once in the real model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.arithmetic.position_rules import average_rules, averages_of, counts_of
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.language_model.causes import (
    FACT,
    FACT_CONTROLS,
    FEWER,
    INDUCTION,
    INDUCTION_CONTROLS,
    MANY,
    NUMBER,
    NUMBER_CONTROLS,
    PREVIOUS,
    PREVIOUS_CONTROL,
    SHIFT,
    UNDAMAGED,
    WATCHED,
    damages,
    head_measurements,
    mistakes,
    rank_correlation,
    read_measurements,
    swap_partners,
)
from attention_core.language_model.model import Head
from attention_core.language_model.tokens import PROMPTS, SENTENCES
from attention_core.mistakes import WITHOUT_SWITCH
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.notation.prose import literal, markdown_table, typeset, what_was_written
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Measured:
    """Measured numbers of a real model in place of an example, with one column for each way to run the model."""

    name: str  # the measure: "losses" or "gaps"
    ways: tuple[str, ...]  # the labels of the columns
    tokens: tuple[str, ...]  # the labels of the rows
    values: Array  # (n, ways)
    counted: bool = False  # whether the page counts how often the measure is below 0
    title: str = TEXTS.fill("example_title")
    about: str = TEXTS.fill("example_about")
    source: str = TEXTS.fill("example_source")
    context: None = None  # there is no second text

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The labels of the columns. They have this name because the page uses the object like an `Example`."""
        return self.ways

    @property
    def n(self) -> int:
        """The number of measurements in each column."""
        return len(self.values)


def of_page(parameters) -> Measured:
    """Return the measured numbers for the view that the visitor has opened."""
    views = {"mistakes": lambda: of_mistake(parameters.mistake), "causes": lambda: of_experiment(parameters.experiment)}
    return views.get(parameters.look, of_all_heads)()


@cache_recent
def of_all_heads() -> Measured:
    """Return the growth of the loss without each head: one row for each layer, and one column for each head."""
    added = head_measurements("added")
    layers, heads = (tuple(f"{letter}{i}" for i in range(n)) for letter, n in zip("LH", added.shape, strict=True))
    return Measured(name="added", ways=heads, tokens=layers, values=added)


@cache_recent
def of_mistake(name: str) -> Measured:
    """Return the losses of the correct model, and of the model with the mistake `name` in all layers."""
    losses = np.stack([damages()[each].losses for each in (UNDAMAGED, name)], axis=1)
    ways = TEXTS.fill("right"), TEXTS.fill("with_the_mistake")
    return Measured(name="losses", ways=ways, tokens=SENTENCES, values=losses)


@cache_recent
def of_experiment(name: str) -> Measured:
    """Return the measurements of the experiment `name`, for the unchanged model and with some heads changed."""
    return {"capitals": _capitals, "induction": _induction, "number": _number}[name]()


def _capitals() -> Measured:
    found = read_measurements()["experiments"]["capitals"]
    countries = found["countries"]
    swapped = {TEXTS.fill("head_swapped", head=head): gaps for head, gaps in found["swapped"].items()}
    ways = {TEXTS.fill("as_it_is"): found["gaps"]} | swapped
    swaps = zip(countries, swap_partners(countries), strict=True)
    return Measured(
        name="gaps",
        ways=tuple(ways),
        tokens=tuple(f"{own} ← {other}" for own, other in swaps),
        values=_columns(ways),
        counted=True,
    )


def _induction() -> Measured:
    found = read_measurements()["experiments"]["induction"]
    names = {
        "none": TEXTS.fill("as_it_is"),
        "previous": TEXTS.fill("head_averaged", head=str(PREVIOUS)),
        "previous_control": TEXTS.fill("head_averaged", head=str(PREVIOUS_CONTROL)),
        "induction": TEXTS.fill("heads_cut", n=len(INDUCTION)),
        "induction_control": TEXTS.fill("others_cut", n=len(INDUCTION_CONTROLS)),
    }
    ways = {name: found[way]["losses"] for way, name in names.items()}
    lists = tuple(TEXTS.fill("list_of_words", number=i + 1) for i, _ in enumerate(found["none"]["losses"]))
    return Measured(name="losses", ways=tuple(ways), tokens=lists, values=_columns(ways))


def _number() -> Measured:
    found = read_measurements()["experiments"]["number"]
    unchanged = TEXTS.fill("as_it_is")
    ways = {
        unchanged if head == "none" else TEXTS.fill("head_cut", head=head): gaps for head, gaps in found["gaps"].items()
    }
    return Measured(name="gaps", ways=tuple(ways), tokens=tuple(found["texts"]), values=_columns(ways), counted=True)


def _columns(ways: Mapping[Any, Sequence[float]]) -> Array:
    return np.stack([np.asarray(each, dtype=float) for each in ways.values()], axis=1)


@cache_recent
def mistake_lines(found: Measured) -> Sequence[Line]:
    """Return an equation of three means with errors: the loss without the mistake, with it, and the difference."""
    right, wrong = found.values.T
    values, ways = np.stack([right, wrong, wrong - right], axis=1), (*found.ways, TEXTS.fill("the_mistake_adds"))
    return [Line((_averages(found, values, ways).with_reads(),), TEXTS.fill("mean_of_losses"))]


@cache_recent
def experiment_lines(found: Measured, columns: bool) -> Sequence[Line]:
    """Return an equation with the mean and standard error of each way, and perhaps how many numbers are below 0."""
    column = f"{found.name}[:,i]"
    averages = _averages(found, found.values, found.ways)
    counts = (each.with_reads(column) for each in _counts(found))
    return [Line((averages, *counts), TEXTS.fill("means_of_columns", 2, columns))]


@cache_recent
def measured_lines(found: Measured) -> Sequence[Line]:
    """Return an equation with the measured numbers, which have one row for each text."""
    each = Matrix.named(found.name, found.values, row_labels=found.tokens, column_labels=found.ways, decimals=1)
    return [Line((each.as_given(),))]


def _averages(found: Measured, values: np.ndarray, ways: tuple[str, ...]) -> Matrix:
    averages = averages_of(values)
    labels = TEXTS.fill("mean"), TEXTS.fill("error")
    made = Matrix.named("averages", averages, row_labels=ways, column_labels=labels, decimals=2)
    return made.with_computation(Computation(average_rules(found.name, values)))


def _counts(found: Measured) -> tuple[Matrix, ...]:
    if not found.counted:
        return ()
    counts = counts_of(found.values)
    made = Matrix.named("counts", counts, column_labels=(TEXTS.fill("below_zero", n=found.n),))
    return (made.with_computation(Computation(average_rules(found.name, found.values))),)


@cache_recent
def head_lines() -> Sequence[Line]:
    """Return two matrices of all heads: the mean greatest weight of each, and the growth of the loss without it."""
    return [Line((_of_heads("pointed"),)), Line((_of_heads("added"),))]


def _of_heads(what: str) -> Matrix:
    values = head_measurements(what)
    layers, heads = ([f"{letter}{i}" for i in range(n)] for letter, n in zip(("L", ""), values.shape, strict=True))
    look = {"row_labels": tuple(layers), "column_labels": tuple(heads), "decimals": 3}
    return Matrix.named(what, values, **look).as_given()


# --- the mistakes ---

CHANCE = 2.0  # a difference of fewer standard errors may be chance
REFERENCE = "attention_left_out"  # every chart has this mistake, in which there is no attention at all


def titles() -> Mapping[str, str]:
    """Return the text “Lesson · title” for the name of each mistake, in the order of the catalogue of mistakes."""
    lessons = TEXTS.words("mistake").options
    return {name: f"{lessons[mistake.concept]} · {mistake.title}" for name, mistake in mistakes().items()}


def layers() -> Mapping[str, str]:
    """Return the options for where a mistake is made: in all layers, or in one of them."""
    alone = {str(i): TEXTS.fill("in_one_layer", layer=i) for i, _ in enumerate(head_measurements("added"))}
    return {**TEXTS.words("where").options, **alone}


def mistakes_in_chart(among: str, chosen: str) -> Sequence[str]:
    """Return the names of the mistakes in the chart, beginning with the least damage."""
    in_chart = {chosen, REFERENCE, *(name for name in mistakes() if _is_shown(among, name, chosen))}
    return [name for name in damages() if name in in_chart]


def _is_shown(among: str, name: str, chosen: str) -> bool:
    mistake = mistakes()[name]
    if among == "lesson":
        return mistake.concept == mistakes()[chosen].concept
    return among == "all" or mistake not in WITHOUT_SWITCH


def mistake_text(name: str) -> str:
    """Return a text about a mistake: how it changes the loss, what goes wrong, and its formula."""
    mistake, right, wrong = mistakes()[name], damages()[UNDAMAGED], damages()[name]
    formula = f"$$\n{mistake.formula}\n$$" if mistake.formula else ""
    says = {"title": typeset(mistake.title), "reason": typeset(mistake.why), "formula": formula}
    if np.isnan(wrong.loss):
        return TEXTS.fill("no_number", **says)
    ((more, error),) = averages_of((wrong.losses - right.losses)[:, None])
    section = "loss_changes_by_chance" if abs(more) < CHANCE * error else "loss_changes"
    return TEXTS.fill(section, right=right.loss, wrong=wrong.loss, more=more, error=error, **says)


def caution_text(name: str) -> str:
    """Return a warning if the model could read the answer because of the mistake, or "" if it could not."""
    wrong, right = damages()[name], damages()[UNDAMAGED].losses[:FEWER].mean()
    if wrong.from_prefixes is None:
        return ""
    usual, fair = wrong.losses[:FEWER].mean(), wrong.from_prefixes.mean()
    known = "loss_is_below_the_right_one" if usual < right else "loss_hides_damage"
    section = "loss_depends_on_later_tokens" if fair <= usual else known
    return TEXTS.fill(section, fewer=FEWER, fair=fair, usual=usual, right=right)


def writing_and_layers_text(name: str) -> str:
    """Return a text that says how the model writes with the mistake, and what the mistake costs in a single layer."""
    asks = TEXTS.fill("how_it_continues", prompt=PROMPTS[0])
    return "\n\n".join(filter(None, (asks, _continuation_table(name), _one_layer_text(name))))


def _continuation_table(name: str) -> str:
    models = {"right": UNDAMAGED, "with_the_mistake": name}
    texts = {TEXTS.fill(who): damages()[each].goes_on for who, each in models.items()}
    rows = [(who, literal(text) if text else TEXTS.fill("nothing_to_write")) for who, text in texts.items()]
    return markdown_table(TEXTS.points("columns_of_continuations"), rows, ":--")


def _one_layer_text(name: str) -> str:
    """Return a text that says how much loss the mistake adds in a single layer, or "" if this was not measured."""
    added = np.array([np.nan if each is None else each for each in damages()[name].layers])
    if not len(added) or np.isnan(added).all():
        return ""
    return TEXTS.fill(
        "one_layer", added=added, most=int(np.nanargmax(added)), least=int(np.nanargmin(added)), fewer=FEWER,
        total=np.nansum(added), at_once=damages()[name].loss - damages()[UNDAMAGED].loss,
    )  # fmt: skip


# --- the experiments ---

RIGHT_GUESSES = {"capitals": "capitals-2", "induction": "induction-2", "number": "number-1"}
N_GUESSES = 3  # of each experiment
HEADS = {"fact": str(FACT), "previous": str(PREVIOUS), "number_head": str(NUMBER), "watched": str(WATCHED)}


def guesses_of(*experiments: str) -> list[str]:
    """Return the names of the guesses for some experiments, such as "capitals-0"."""
    return [f"{name}-{i}" for name in experiments for i in range(N_GUESSES)]


def question_text(name: str) -> str:
    """Return the title of the experiment `name` and its question."""
    questions = {
        "capitals": "question_about_capitals",
        "induction": "question_about_induction",
        "number": "question_about_number",
    }
    return TEXTS.fill(questions[name], **HEADS)


def verdict_text(name: str, guess: str) -> str:
    """Return a text that says whether a guess was correct, and what the experiment `name` has found."""
    section, numbers = RESULTS[name]
    result = TEXTS.fill(section, **_averages_and_counts(of_experiment(name)), **HEADS, **numbers())
    if guess == RIGHT_GUESSES[name]:
        return TEXTS.fill("guess_is_right", result=result)
    return TEXTS.fill("guess_is_wrong", guess=TEXTS.words("guess").options[guess], result=result)


def _averages_and_counts(m: Measured) -> dict[str, Any]:
    return {"n": m.n, "means": averages_of(m.values)[:, 0], "turned": counts_of(m.values)[:, 0].astype(int)}


def _of_capitals() -> dict[str, Any]:
    turned = counts_of(of_experiment("capitals").values)[2:, 0].astype(int).max()
    return {"n_others": len(FACT_CONTROLS), "turned_by_others": turned or TEXTS.fill("in_no_sentence")}


def _of_induction() -> dict[str, Any]:
    """Return the weights on the word that followed, the shares of right words, and the losses on plain sentences."""
    found, n = read_measurements()["experiments"]["induction"], of_experiment("induction").n
    usual, averaged, cut = (found[way] for way in ("none", "previous", "induction"))
    return {
        "weight": sum(usual["looks"]) / n,
        "weight_averaged": sum(averaged["looks"]) / n,
        "right": sum(usual["right"]) / n,
        "right_cut": sum(cut["right"]) / n,
        "plain": usual["plain"],
        "plain_cut": cut["plain"],
        "n_heads": len(INDUCTION),
        "n_others": len(INDUCTION_CONTROLS),
    }


# The section with the result of each experiment, and a function that returns its numbers.
RESULTS: Mapping[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "capitals": ("result_of_capitals", _of_capitals),
    "induction": ("result_of_induction", _of_induction),
    "number": ("result_of_number", lambda: {"n_others": len(NUMBER_CONTROLS)}),
}


def shift_text() -> str:
    """Return a text that says how much the logits change if all tokens move to later positions."""
    found = read_measurements()["experiments"]["shift"]
    moved, torn = found["moved"], found["torn"]
    return TEXTS.fill(
        "positions", shift=SHIFT, moved=math.ceil(1000 * moved["most"]) / 1000, same_if_moved=moved["same"],
        torn=torn["most"], same_if_torn=torn["same"],
    )  # fmt: skip


# --- the heads ---

MOST_HEADS = 9
TEN = 10
NAMED = re.compile(r"[Ll](\d{1,2})\s*[Hh](\d{1,2})")


def heads_in(text: str) -> tuple[Head, ...]:
    """Return the heads that a visitor's text names, such as L18H6, as far as the model has them."""
    layers, heads = head_measurements("added").shape
    found = (Head(int(layer), int(head)) for layer, head in NAMED.findall(text))
    return tuple(dict.fromkeys(each for each in found if each.layer < layers and each.head < heads))[:MOST_HEADS]


def about_heads_text(text: str) -> str:
    """Return what a visitor's text says that is no name of a head, and how much the loss grows without each head."""
    added, pointed, first = (head_measurements(what) for what in ("added", "pointed", "first"))
    without = [
        TEXTS.fill("loss_without_a_head", head=str(head), first=first[head], pointed=pointed[head], added=added[head])
        for head in heads_in(text)
    ]
    return "\n\n".join(filter(None, (not_understood_text(text), *without)))


def not_understood_text(text: str) -> str:
    """Return which words of a visitor's text are no names of heads, and how to name a head, or "" if all are names."""
    layers, heads = head_measurements("added").shape
    named = {str(head) for head in heads_in(text)}
    strange = [word for word in re.split(r"[\s,;]+", text) if word and word.upper() not in named]
    if not strange and named:
        return ""
    written = what_was_written(" ".join(strange))
    return TEXTS.fill("not_understood", layers=layers, heads=heads, most=MOST_HEADS, written=written)


def attention_and_loss_text() -> str:
    """Return a text that compares two orders of the heads: by how sharply they attend, and by how much they matter."""
    added, pointed = head_measurements("added"), head_measurements("pointed")
    looking, mattering = (np.argsort(-np.ravel(each))[:TEN] for each in (pointed, added))
    return TEXTS.fill(
        "attention_and_loss", ten=TEN, both=len({*looking.tolist()} & {*mattering.tolist()}), n=added.size, many=MANY,
        added_by_sharp=np.ravel(added)[looking].mean(), added_by_greatest=np.ravel(added)[mattering].mean(),
        correlation=rank_correlation(pointed, added), better=int((added < 0).sum()),
    )  # fmt: skip

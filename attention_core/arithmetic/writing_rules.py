"""Calculations in a small language model: how each cell is computed, from the output of its head to the next word."""

from __future__ import annotations

import math

import numpy as np

from attention_core.arithmetic.attention_rules import attention_rules
from attention_core.arithmetic.building import cell_of, column_of, dot, given_rules, greatest_of, row_of, share_of
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.worked import CellCalculations, Rules
from attention_core.checks import Array
from attention_core.feed_forward import FeedForwardTrace
from attention_core.sampling import SampleTrace
from attention_core.writing.small_model import NextWordTrace


def next_word_rules(t: NextWordTrace, w_o: Array, *, attends: bool = True) -> CellCalculations:
    """Return how each cell is calculated, from the tokens to the probabilities of the next word.

    If `attends` is false, the output of the head is multiplied by 0, so that the head adds nothing to the tokens.
    """

    def mixed(i: int, j: int) -> Term:
        both = dot(row_of("output", t.head.output, i), column_of("w_o", w_o, j))
        return both if attends else Operation("product", (Number(0.0), both))

    def summed(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("x", t.head.x, i, j), cell_of("mixed", t.mixed, i, j)))

    def logit(i: int, j: int) -> Term:
        return dot(row_of("summed", t.summed, i), row_of("vocabulary", t.vocabulary, j))

    def chance(i: int, j: int) -> Term:
        return _probability(row_of("logits", t.logits, i), j)

    return CellCalculations({
        **attention_rules(t.head), **given_rules(w_o=w_o, vocabulary=t.vocabulary),
        "mixed": (t.mixed, mixed), "summed": (t.summed, summed), "logits": (t.logits, logit),
        "chances": (t.chances, chance),
    })  # fmt: skip


def kept_rules(t: SampleTrace) -> Rules:
    """Return how the probabilities of the words are calculated after some words were left out.

    The probabilities are the matrix "kept", with the shape (1, n_words).
    """

    def share(_: int, j: int) -> Term:
        logits, temperature = row_of("logits", t.logits[None], 0), Number(t.temperature, "temperature")
        if not t.kept[j]:
            return Number(0.0)
        kept = [number for number, stays in zip(logits, t.kept.tolist(), strict=True) if stays]
        cooled = [each if t.temperature == 1 else Operation("quotient", (each, temperature)) for each in kept]
        powers = [Operation("exp", (each,)) for each in cooled]
        return share_of(powers[int(t.kept[:j].sum())], Operation("sum", tuple(powers)))

    return {"kept": (t.probabilities[None], share)}


def loss_rules(chances: Array, target: int) -> Rules:
    """Return how the loss is calculated if the next word is number `target` of the vocabulary.

    The loss is −ln of the probability of this word, in the last row of `chances`. The loss is the matrix "word_loss",
    with the shape (1, 1).
    """

    def loss(_: int, __: int) -> Term:
        chance = cell_of("chances", chances, len(chances) - 1, target)
        return Operation("log", (Operation("quotient", (Number(1.0), chance)),))

    return {"word_loss": (np.array([[-math.log(chances[-1, target])]]), loss)}


def feed_forward_rules(t: FeedForwardTrace, stream: Array) -> Rules:
    """Return how each cell of a feed-forward network without biases is calculated.

    The input of the network has the name "summed". `stream` is the input of the network plus the output of the network.
    """

    def widened(i: int, j: int) -> Term:
        return dot(row_of("summed", t.x, i), column_of("w_up", t.w_up, j))

    def bent(i: int, j: int) -> Term:
        return Operation("maximum", (cell_of("widened", t.hidden.x, i, j), Number(0.0)))

    def fed(i: int, j: int) -> Term:
        return dot(row_of("bent", t.hidden.output, i), column_of("w_down", t.w_down, j))

    def added(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("summed", t.x, i, j), cell_of("fed", t.output, i, j)))

    return {
        **given_rules(w_up=t.w_up, w_down=t.w_down),
        "widened": (t.hidden.x, widened),
        "bent": (t.hidden.output, bent),
        "fed": (t.output, fed),
        "stream": (stream, added),
    }


def _probability(row: list[Number], place: int) -> Term:
    """Return the calculation of one probability: the softmax of a row of logits, at index `place`."""
    peak = greatest_of(row)
    powers = [Operation("exp", (Operation("difference", (number, peak)),)) for number in row]
    return share_of(powers[place], Operation("sum", tuple(powers)))

"""Reasons: why there are ten steps, why the future is hidden, why fillers are hidden, what length costs."""

from __future__ import annotations

import numpy as np

from attention_core.examples import Example
from attention_core.experiments.next_word import around_the_next_word, scores_of_length
from pages.shared.notation.numbers import format_as_shown

A_BOOK = 100_000  # tokens in a book


def whole_way(example: Example, weights: np.ndarray, decimals: int) -> str:
    """Say what the ten steps are for, with the greatest weight of a token on another."""
    others = weights if example.context is not None else weights * (1 - np.eye(len(weights)))
    i, j = np.unravel_index(np.argmax(others), others.shape)
    share = format_as_shown(float(weights[i, j]), decimals)
    return (
        "**No row knows of any other yet.** Ten steps let each token take in what the others say: by step 8, "
        f"**{share}** of what “{example.tokens[i]}” takes in comes from “{example.key_tokens[j]}”."
    )


def why_causal(example: Example, weights: np.ndarray, decimals: int) -> str:
    """Say how much weight a token would have on the word that it has to predict, from the weights without a mask."""
    if example.context is not None:
        return (
            "Here it has no reason: who asks and who answers are two texts, and the one that answers is all there from "
            "the start."
        )
    on_the_next = around_the_next_word(weights)[:, 1]
    i = int(np.argmax(on_the_next))
    this, following = example.tokens[i : i + 2]
    return (
        f"A model that writes has to guess each next word. After “{this}” comes “{following}”: unmasked, “{this}” puts "
        f"**{format_as_shown(float(on_the_next[i]), decimals)}** of its weight on that very word, and reads it off "
        "instead of guessing; where it writes, there is nothing to read off. "
        f"Masked, it puts 0, and one pass over the text learns from all {len(on_the_next)} guesses at once "
        f"(from {len(on_the_next) + 1} with a token for the start); "
        "who writes needs a pass for each word, as the next one is not there yet.\n\n"
        "**Before softmax, not after it**: a score of −∞ has the power 0, and the words that may be seen share out one "
        f"whole unit. Struck out after softmax, “{this}” would have only "
        f"**{format_as_shown(float(around_the_next_word(weights)[i, 0]), decimals)}** of a unit left to give."
    )


def why_padding(example: Example, weights: np.ndarray, decimals: int) -> str:
    """Say how much weight the other tokens would have on a filler, from the weights without a mask."""
    filler, given = example.key_tokens[-1], weights[:-1, -1] if example.context is None else weights[:, -1]
    i = int(np.argmax(given))
    return (
        "Sentences that are computed together are filled up to one length. Let "
        f"“{filler}” be such a filler: it says nothing, yet unmasked, “{example.tokens[i]}” gives it "
        f"**{format_as_shown(float(given[i]), decimals)}** of its weight. Masked by −∞ in each score that it "
        "gets, it takes 0, and the words share it out. A score of 0 would not do, as $e^0 = 1$ is a share like any "
        f"other.\n\nThe filler has a row of its own, {_whole(example, weights, decimals)}. Nobody minds: no other "
        "token attends to it, and no loss is counted in its row."
    )


def _whole(example: Example, weights: np.ndarray, decimals: int) -> str:
    """Say what the weights of the filler’s own row add up to, if it has a row."""
    if example.context is not None:
        return "in the text that answers"
    return f"and its weights add up to {format_as_shown(float(weights[-1].sum()), decimals)} as in every row"


def cost_of_length(example: Example) -> str:
    """Say how many scores there are, and how many there would be for a text of twice the length."""
    n_q, n_k = len(example.tokens), len(example.key_tokens)
    d_k = example.w_q.shape[-1]
    now, twice = scores_of_length(n_q, n_k), scores_of_length(n_q, n_k, times=2)
    each = f"{n_q} tokens, ${n_q}^2$ =" if example.context is None else f"{n_q} that ask times {n_k} that answer,"
    return (
        f"Every token that asks meets every token that answers: {each} **{now:,}** scores. Twice as long takes "
        f"**{twice:,}**, four times as many. A book of {A_BOOK:,} tokens takes {scores_of_length(A_BOOK, A_BOOK):,} "
        "in each head: this square is what makes long texts dear.\n\n"
        f"**Time** grows with $n^2 d$: each of the {now:,} scores adds up $d_k$ = {d_k} products, {now * d_k:,} in "
        "all. "
        f"**Memory** grows with $n^2$ for the scores, {now:,} numbers, but only with $n$ for keys and values."
    )


def growth_of(example: Example) -> tuple[list[int], list[int], list[str]]:
    """Return lengths up to four times that of the text, the number of scores for each, and names for some of them."""
    n_q, n_k = len(example.tokens), len(example.key_tokens)
    ratio, lengths = n_k / n_q, list(range(4 * n_q + 1))
    scores = [round(n * n * ratio) for n in lengths]
    named = {n_q * times: f"{n_q * times} tokens: {scores[n_q * times]:,}" for times in (1, 2, 4)}
    return lengths, scores, [named.get(n, "") for n in lengths]

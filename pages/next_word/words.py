"""Texts about the next word, each with the numbers on the page."""

from __future__ import annotations

import numpy as np

from attention_core.feed_forward import FeedForwardTrace
from attention_core.normalization import AddAndNormTrace
from attention_core.writing.small_model import (
    N_LAYERS,
    N_TOKENS,
    SMOLLM2,
    LayerSizes,
    WordLoss,
    attention_share,
    model_numbers,
    next_word,
    step_multiplications,
)
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import format_as_shown, small
from pages.shared.notation.prose import markdown_table
from pages.shared.small_model.state import Writing

LENGTHS = tuple(2**i for i in range(12))  # 1 to 2048 tokens
LONG = 1024  # tokens, in a sentence about costs
MIB = 2**20


def sentence_so_far(writing: Writing) -> str:
    """Return the words so far in bold type. If the sentence has not ended, three dots follow."""
    return f"**{' '.join(writing.trace.tokens)}{'' if writing.has_ended else ' …'}**"


def why(writing: Writing, decimals: int) -> str:
    """Return a text that says how a row becomes a word.

    The text names the likeliest word, and the probability that this word would have without attention.
    """
    chances = writing.trace.chances[-1]
    best = int(chances.argmax())
    if writing.has_ended:
        found = "The sentence has ended: start again, or choose the other verb."
    elif writing.attends:
        found = (
            f"The likeliest word is **{writing.model.words[best]}**, with a probability of "
            f"**{format_as_shown(float(chances[best]), decimals)}**. {_without_attention_text(writing, best, decimals)}"
        )
    else:
        found = (
            f"Without attention, nothing is added. {_likeliest_words_text(writing, decimals)} "
            "Only attention brings the verb to this row."
        )
    return (
        "After attention, the row of the last word holds two things: what its own token says, and what attention has "
        "**added**. The model multiplies this row by the row of every word that it knows. Each dot product is a "
        f"{define('logit')}. Softmax turns the logits into probabilities.\n\n{sentence_so_far(writing)} {found}"
    )


def _without_attention_text(writing: Writing, best: int, decimals: int) -> str:
    """Return a text with the probability that word number `best` has if attention adds nothing to the last row."""
    off = next_word(writing.model, writing.trace.tokens, attends=False).chances[-1]
    return (
        f"Without attention, this probability is **{format_as_shown(float(off[best]), decimals)}**, because the row "
        f"then holds only what the token “{writing.trace.tokens[-1]}” says. Switch attention off to see it."
    )


def _likeliest_words_text(writing: Writing, decimals: int) -> str:
    """Return a sentence that names the words with the greatest probability."""
    chances = writing.trace.chances[-1]
    best = [
        word for word, chance in zip(writing.model.words, chances, strict=True) if np.isclose(chance, chances.max())
    ]
    said = format_as_shown(float(chances.max()), decimals)
    if len(best) == 1:
        return f"The likeliest word is **{best[0]}**, with **{said}**."
    return f"{', '.join(best[:-1])} and {best[-1]} have **equal probabilities, {said} each**."


def drawing_text(writing: Writing) -> str:
    """Return a text that says what temperature, top-k and top-p do, and how many words they keep."""
    kept, n = int(writing.drawing.kept.sum()), len(writing.model.words)
    left = f"With these settings, all {n} words stay." if kept == n else f"**{kept} of {n}** words are left."
    return (
        "## Draw a word\n\nThe model draws one word at random with these probabilities, and adds it to the text. Then "
        "it starts again with the longer text. The **temperature** divides the logits: below 1, the likeliest word "
        "becomes more probable; above 1, less probable. **Top-k** keeps the "
        "$k$ likeliest words. **Top-p** takes words from the likeliest down, and stops when their probabilities "
        f"together reach $p$. The probabilities of the words that stay are divided by their sum. {left}"
    )


def block_text() -> str:
    """Return a text that says how many learned numbers the parts of a block in a real model have."""
    s = SMOLLM2
    whole = s.attention + s.feed_forward
    return (
        f"## What else is in a block\n\nA block is attention and what follows it; a model has many blocks. A block of "
        f"SmolLM2, a small real model, has **{_millions(whole)} million** "
        f"learned numbers. Attention has **{_millions(s.attention)} million** of them, "
        f"{attention_share(s):.0%}: $W^Q$ and $W^O$ are {s.d_model} × {s.n_heads * s.d_k}, $W^K$ and $W^V$ "
        f"{s.d_model} × {s.n_kv_heads * s.d_k}. The rest is a **feed-forward network** of three matrices of "
        f"{s.d_model} × {s.d_hidden}. The whole model also has a table of tokens, so attention has "
        f"{N_LAYERS * s.attention / model_numbers(s, N_LAYERS, N_TOKENS):.0%} of all its numbers. But only attention "
        "moves information from one row to another."
    )


def _millions(n: int) -> str:
    return f"{n / 1e6:.2f}"


def normalisation_text(trace: AddAndNormTrace, decimals: int) -> str:
    """Return a text that says why rows are normalised, with the smallest and the greatest spread of a row."""
    low, high = (format_as_shown(float(each), decimals) for each in (trace.norm.spread.min(), trace.norm.spread.max()))
    return (
        "**Why normalise?** Every block adds to the rows, so their numbers would grow from block to block. "
        f"So each row is brought to the same spread before each part. Here the spreads are from {low} to {high}; "
        "afterwards all are 1."
    )


def feed_forward_text(writing: Writing, fed: FeedForwardTrace, chance: float, decimals: int) -> str:
    """Return a text that says why there is a feed-forward network, with its hidden units for the last row.

    `chance` is the probability with this network of the word that is the likeliest without it.
    """
    best = int(writing.trace.chances[-1].argmax())
    before = format_as_shown(float(writing.trace.chances[-1, best]), decimals)
    units = [format_as_shown(float(each), decimals) for each in fed.hidden.output[-1]]
    return (
        "**Why a feed-forward network?** A sum of features alone cannot test for “drinking, but no noun”. The network "
        "adds features and then sets negative sums to 0. Such a sum can make this test, and is called a **hidden "
        "unit**. The first hidden unit is above 0 only if a row has *drinking*, and is no noun and no action. In the "
        f"last row, the two units are {' and '.join(units)}, so the probability of “{writing.model.words[best]}” goes "
        f"from {before} to **{format_as_shown(chance, decimals)}**. The network works on each row by itself."
    )


def rows_text(writing: Writing) -> str:
    """Return a text that says why training uses all rows, but writing uses only the last row."""
    n = len(writing.trace.tokens)
    return (
        "## Why only the last row?\n\nEvery row gives a guess of the word that follows it. **In training**, the whole "
        f"text is there. So all **{n}** rows guess at once, and each guess is compared with the word that really "
        "follows. The causal mask hides later words from each row, because the answer is among them. **In writing**, "
        f"the words so far are known already. Only the last row guesses a new word: 1 row of {n}."
    )


def kept_rows_text(writing: Writing, decimals: int) -> str:
    """Return a text that says by how much a new word changes the rows of the earlier words, with and without a mask."""
    shorter, longer = writing.trace.tokens[:-1], writing.trace.tokens
    masked = _change_of_rows(writing, shorter, longer, mask=None)
    unmasked = _change_of_rows(writing, shorter, longer, mask=True)
    return (
        "## What does a cache keep, and why may it?\n\nFor a new word, only one row is new: its query, key and value, "
        "its row of weights, its output. The keys and values of the earlier words are **kept**. The causal mask makes "
        f"this possible: with the mask, the new word “{longer[-1]}” changes the old rows by "
        f"**{format_as_shown(masked, decimals)}**. Without a mask, the old rows would change by up to "
        f"**{format_as_shown(unmasked, decimals)}**. The next block computes its keys and values from these rows, so "
        "the kept keys and values would be wrong."
    )


def _change_of_rows(writing: Writing, shorter: tuple[str, ...], longer: tuple[str, ...], *, mask: bool | None) -> float:
    masks = [None if mask is None else np.ones((len(each), len(each)), dtype=bool) for each in (shorter, longer)]
    before, after = (
        next_word(writing.model, tokens, mask=of_it) for tokens, of_it in zip((shorter, longer), masks, strict=True)
    )
    return float(np.abs(after.summed[: len(shorter)] - before.summed).max())


def costs_text() -> str:
    """Return a text with a table: what a cache saves in a real model, and how many bytes it needs.

    The table has one row for each way in which heads share their keys and values.
    """
    s = SMOLLM2
    with_it, without = (step_multiplications(s, LONG, cache=cache) for cache in (True, False))
    all_heads, one = (
        LayerSizes(d_model=s.d_model, n_heads=s.n_heads, n_kv_heads=n, d_k=s.d_k, d_hidden=s.d_hidden)
        for n in (s.n_heads, 1)
    )
    table = [
        (name, f"{N_LAYERS * each.bytes_per_token:,}", f"{N_LAYERS * each.bytes_per_token * LONG / MIB:.1f} MiB")
        for name, each in (("9 heads of their own", all_heads), ("3 shared (the real ones)", s), ("1 for all", one))
    ]
    return (
        f"**What it saves.** After {LONG:,} tokens, the attention of one block of SmolLM2 takes "
        f"{with_it / 1e6:.1f} million multiplications for one token more; without a cache, {without / 1e9:.1f} "
        "billion: "
        f"**{without // with_it:,} times** as many. The price is memory. Query heads that share keys and values need "
        "less of it:\n\n" + markdown_table(("keys and values of", "bytes a token", f"after {LONG:,} tokens"), table)
    )


def cost_series() -> dict[str, list[int]]:
    """Return how many multiplications one new token needs at each length of the text, with a cache and without one."""
    ways = {"without a cache": False, "with a cache": True}
    return {name: [step_multiplications(SMOLLM2, n, cache=cache) for n in LENGTHS] for name, cache in ways.items()}


def loss_text(writing: Writing, found: WordLoss, word: str, place: tuple[int, int], decimals: int) -> str:
    """Return a text that explains the loss of `word`, and how the loss changes with the number of W^Q at `place`.

    The text also says whether a step of training makes this number larger or smaller.
    """
    features, queries = writing.example.names.x, writing.example.names.q
    cell = f"the number from *{features[place[0]]}* to *{queries[place[1]]}*"
    slope, gradient = found.slope, float(found.gradient[place])
    way = "larger" if gradient < 0 else "smaller"
    step = f"makes this number **{way}**" if gradient else "leaves this number as it is"
    return (
        f"## How wrong was the guess?\n\nSuppose that the next word really is “{word}”. Its probability is "
        f"**{format_as_shown(found.chance, decimals)}**. The **loss** is minus the natural logarithm (ln) of this "
        f"probability: **{format_as_shown(found.loss, decimals)}**. A probability of 1 has a loss of 0. Half the "
        f"probability adds ln 2 = {format_as_shown(float(np.log(2)), decimals)} to the loss.\n\nNow we make one number "
        "of $W^Q$ "
        f"larger by {found.by:g}: {cell}. The loss goes from {small(found.loss, 5)} to {small(found.moved, 5)}, so it "
        f"changes by {small(slope)} for each unit. For a much smaller change, this rate is the "
        f"{define('gradient')}: **{small(gradient)}**. A step of training goes "
        f"against the gradient, so it {step}. A model does this with all its numbers."
    )

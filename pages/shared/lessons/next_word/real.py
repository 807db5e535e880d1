"""The next word in a real model: its likeliest tokens, its guess after every block, and how the text continues."""

from __future__ import annotations

import streamlit as st

from attention_core.language_model.next_words import LIKELIEST, NextWords, next_words_of, shipped_next_words
from attention_core.language_model.shipped import TEXTS, shipped_reading
from attention_core.language_model.writing import ReadSoFar
from attention_core.writing.costs import N_LAYERS, N_TOKENS
from pages.shared import charts
from pages.shared.lessons.next_word import live
from pages.shared.model_access import local_model, sentence
from pages.shared.notation.prose import literal
from pages.shared.notation.tables import markdown_table
from pages.shared.small_model.state import drawing_of
from pages.shared.state import session, widgets
from pages.shared.state.places import reserve_container

OWN = "own"
CHOICES = {**{name: text.strip() for name, text in TEXTS.items()}, OWN: "A text of your own"}
NOT_HERE = (
    "To write on, and for a text of your own, the model has to be on this machine (98 MB). One command installs it:"
)
EVERY, LAST = 5, 4  # the table has a row for every fifth block, and for each of the last four


def show(parameters) -> None:
    """Draw a text in the real model: the likeliest next tokens, the guess after each block, and a continuation."""
    st.markdown(
        "## In a real model\n\nSmolLM2, a small real model, takes the same steps. "
        f"{N_LAYERS} blocks add to the row of the last token. Then this row is multiplied by the rows of {N_TOKENS:,} "
        "tokens. The same functions as above compute this."
    )
    widgets.draw(parameters, "text", width=460)
    tokens = _tokens(parameters)
    with reserve_container("next_words"):
        found = _find_next_words(parameters, tokens)
        if found:
            _draw_likeliest(found)
            _draw_growth(found)
    with reserve_container("written_on"):
        if tokens:
            st.markdown("**Write on.** Temperature, top-k, top-p and seed are those of *Draw a word*.")
            with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
                widgets.draw(parameters, "temperature", "top_k", "top_p", "seed", width=170)
            live.draw(tokens, drawing_of(parameters))
        elif not local_model.is_available():
            sentence.say_how_to_install(NOT_HERE)


def _tokens(parameters) -> tuple[int, ...] | None:
    """Return the tokens of the text that the model can continue, or None if there is no model or no text."""
    with reserve_container("own"):
        if parameters.text == OWN:
            return sentence.draw(parameters, "own")
    return shipped_reading(parameters.text).tokens if local_model.is_available() else None


def _find_next_words(parameters, tokens: tuple[int, ...] | None) -> NextWords | None:
    if parameters.text != OWN:
        return shipped_next_words(parameters.text)
    writer = live.visitor_writer()
    if writer.prompt != tokens or writer.read is None or writer.goes_on:
        return None
    return session.visitor_object(NextWordsCache).next_words_after(writer.read)


class NextWordsCache:
    """A visitor's cache with one entry: the next words after the last text that this visitor asked about."""

    def __init__(self) -> None:
        """Begin with an empty cache."""
        self.read: ReadSoFar | None = None
        self.found: NextWords | None = None

    def next_words_after(self, read: ReadSoFar) -> NextWords:
        """Return the next words after the text of `read`. They are stored, and computed again only for another text."""
        if self.found is None or self.read is not read:
            self.read, self.found = read, next_words_of(local_model.model(), read)
        return self.found


def _draw_likeliest(found: NextWords) -> None:
    total, onward = float(found.chances.sum()), ""
    if found.written:
        onward = f" If the model always takes the likeliest token, it writes: {literal(' '.join(found.written))}."
    st.markdown(
        f"{sentence.tokens_text(found.pieces)}\n\n**What comes next?** The likeliest of {N_TOKENS:,} tokens is "
        f"{literal(found.likeliest[0])}, with a probability of {found.chances[0]:.0%}. The {LIKELIEST} tokens below "
        f"have {total:.0%} together.{onward}"
    )
    charts.chances([piece or "␣" for piece in found.likeliest], {"probability": found.chances}, key="likeliest")


def _draw_growth(found: NextWords) -> None:
    layers = len(found.guesses) - 1
    half = next((n for n, chance in enumerate(found.of_the_last) if chance >= 0.5 * found.of_the_last[-1]), layers)
    rows = [
        ("no block yet" if not n else f"block {n}", literal(found.guesses[n]), f"{found.guess_chances[n]:.0%}",
         f"{found.of_the_last[n]:.1%}")
        for n in sorted({*range(0, layers + 1, EVERY), *range(max(0, layers - LAST), layers + 1)})
    ]  # fmt: skip
    st.markdown(
        f"**How does the guess grow?** We compute a guess after each block, as though the model ended there. After "
        f"block {half} of {layers}, {literal(found.guesses[-1])} has for the first time at least half of its final "
        "probability. This shows what a row already says about the next word. A row also carries information that only "
        "later blocks use. This table cannot show it, because the vocabulary was learned for the last block.\n\n"
        + markdown_table(("after", "likeliest then", "its probability", "probability of the last guess"), rows)
    )

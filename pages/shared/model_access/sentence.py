"""The text field for a visitor's sentence, with the tokens of the sentence or the reason why it has none."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core.language_model.tokens import UnreadableError, pieces_of, tokens_of
from pages.shared.model_access.asking import COMMAND, TEXTS, NoModelError, model
from pages.shared.notation.prose import literal
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container


def draw(parameters, name: str, *, pieces: bool = True) -> tuple[int, ...] | None:
    """Draw the text field of the parameter `name`, and return the ids of the tokens in the visitor's text.

    If `pieces`, the texts of the tokens are drawn below the field. If the text cannot be read, or if there is no model
    on this machine, draw the reason and return None.
    """
    widgets.draw(parameters, name)
    with reserve_container("pieces"):
        try:
            tokens = tokens_of(getattr(parameters, name), model().vocabulary)
        except UnreadableError as error:
            st.warning(str(error), icon=":material/edit:")
        except NoModelError as error:
            say_how_to_install(str(error))
        else:
            if pieces:
                st.markdown(tokens_text(pieces_of(tokens, model().vocabulary)))
            return tokens
    return None


def say_how_to_install(why: str) -> None:
    """Draw the sentence `why`, which says why the model is needed, and the command that installs the model."""
    st.info(why, icon=":material/download:")
    st.code(COMMAND, language=None, wrap_lines=True)


def tokens_text(pieces: Sequence[str]) -> str:
    """Return tokens as Markdown: first their number, as in “3 tokens:”, and then the text of each."""
    return TEXTS.fill("tokens", n=len(pieces), pieces=" ".join(map(literal, pieces)))

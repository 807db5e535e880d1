"""The text field for a visitor's sentence, with its tokens, or the reason why it cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from attention_core.language_model.pieces import UnreadableError, pieces_of, tokens_of
from pages.shared.model_access.local_model import COMMAND, NoModelError, model
from pages.shared.notation.prose import literal
from pages.shared.state import widgets
from pages.shared.state.places import place


def draw(parameters, name: str, *, pieces: bool = True) -> tuple[int, ...] | None:
    """Draw the control of a text, and its tokens as pieces; return the tokens, or None with the reason on the page."""
    widgets.draw(parameters, name)
    with place("pieces"):
        try:
            tokens = tokens_of(getattr(parameters, name), model().vocabulary)
        except UnreadableError as error:
            st.warning(str(error), icon=":material/edit:")
        except NoModelError as error:
            say_how_to_install(str(error))
        else:
            if pieces:
                st.markdown(as_pieces(pieces_of(tokens, model().vocabulary)))
            return tokens
    return None


def say_how_to_install(why: str) -> None:
    """Say why the model is needed, and show the command that installs it, with a button to copy it."""
    st.info(why, icon=":material/download:")
    st.code(COMMAND, language=None, wrap_lines=True)


def as_pieces(pieces: Sequence[str]) -> str:
    """Write tokens one after the other, with gaps."""
    return f"{len(pieces)} tokens: " + " ".join(map(literal, pieces))

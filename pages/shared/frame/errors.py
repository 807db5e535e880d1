"""What a visitor sees after an error in the app: a sentence and a link, without paths or code. The log has more."""

from __future__ import annotations

import streamlit as st

from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)


def show(_: Exception) -> bool:
    """Draw a sentence that says that something went wrong. Streamlit passes the exception."""
    path = (st.context.url or "").split("?")[0]
    text = TEXTS.fill("went_wrong_with_link" if path else "went_wrong", address=path)
    st.error(text, icon=":material/error:")  # without a key: Streamlit calls this for each fragment around the error
    return True

"""The notice above a lesson: what the page could not do with a link or with an entry, in a box that can be closed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared.frame.errors import TEXTS
from pages.shared.state import session


def draw(notices: Sequence[str]) -> None:
    """Draw one box with a notice, or with the first of several. The others are in a list that a press opens."""
    if not notices:
        return
    first, *others = notices
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="notice"):
        st.markdown(f":material/info: {first}", width="stretch")
        if others:
            with st.popover(TEXTS.fill("more_notices", more=len(others))):
                st.markdown(
                    "\n".join([f":material/info: {TEXTS.fill('further_notices')}\n", *map("- {}".format, others)])
                )
        label, icon = TEXTS.fill("close"), ":material/close:"
        st.button(label, icon=icon, key="notice.close", type="tertiary", on_click=session.clear_notices)

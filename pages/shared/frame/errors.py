"""What a visitor sees after an error in the app: a sentence and a link, without paths or code. The log has more."""

from __future__ import annotations

import streamlit as st

SORRY = "Something went wrong here, and it is not your doing."
WAY_ON = "The address keeps what you have set: reload the page to go on."


def show(_: Exception) -> bool:
    """Draw a sentence that says that something went wrong. Streamlit passes the exception."""
    path = (st.context.url or "").split("?")[0]
    anew = f" [Begin this page anew.]({path})" if path else ""
    with st.container(key="went_wrong"):
        st.error(f"**{SORRY}** {WAY_ON}{anew}", icon=":material/error:")
    return True

"""The code that computes just what a page shows; tests run it and compare."""

import streamlit as st


def show(text: str, *, expanded: bool = False) -> None:
    """Show NumPy code in which the example's matrices have the names of the page."""
    with st.expander("The code that computes this", icon=":material/code:", expanded=expanded):
        st.code(text, language="python")

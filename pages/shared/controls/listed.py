"""A kind of control: a choice of one of many named options, in a list that opens when it is pressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.controls.control import default_of
from pages.shared.controls.kinds import Choice
from pages.shared.notation.plain import plain


@dataclass(frozen=True, slots=True)
class Listed(Choice):
    """A choice of one of many named options, in a list. A visitor can type a part of a name to find it."""

    def draw(self, key: str, **options: Any) -> None:
        names = list(self.options)
        at = names.index(str(default_of(key))) if default_of(key) in names else None
        labels = {option: plain(text) for option, text in self.options.items()}
        st.selectbox(plain(self.label), names, at, labels.__getitem__, key=key, help=self.help, **options)

"""The page “For lecturers”: how to prepare a lecture in five minutes, and what else helps to give it."""

from html import escape

import streamlit as st

from pages.shared.lecture.class_room import LOCAL
from pages.shared.lecture.picker import KEYS
from pages.shared.notation.texts import texts_beside
from pages.shared.share.link_dialog import address_of_page, is_local
from pages.shared.site.menu import link
from pages.shared.site.page import Page

TEXTS = texts_beside(__file__)


def guide(parameters, example):
    st.markdown(TEXTS.fill("prepare"))
    link("home", TEXTS.fill("link_to_home"), icon="co_present")
    address = address_of_page("attention", {"scene": "4", "view": "present", "embed": "true"})
    code = f'<iframe src="{escape(address)}" width="960" height="540"></iframe>'
    folded = {
        "title_of_keys": KEYS,
        "title_of_students": TEXTS.fill("students"),
        "title_of_own_lecture": TEXTS.fill("own_lecture"),
        "title_of_slides": TEXTS.fill("slides", code=code),
        "title_of_address": TEXTS.fill("address_on_this_computer" if is_local(address) else "address", local=LOCAL),
    }
    for title, text in folded.items():
        with st.expander(TEXTS.fill(title)):
            st.markdown(text)


def onward(parameters, example):
    link("room", TEXTS.fill("link_to_rooms"), icon="groups")


PAGE = Page(module=__name__, texts=TEXTS, parts=(guide,), code=None, onward=onward)

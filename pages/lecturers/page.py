"""The page “For lecturers”: how to prepare a lecture in five minutes, and what else helps to give it."""

from pages.lecturers.lesson import draw_guide
from pages.shared.site.menu import link
from pages.shared.site.page import Page


def onward(parameters, example):
    link("room", "A room: your class answers on its phones", icon="groups")


PAGE = Page(
    module=__name__,
    parts=(draw_guide,),
    code=None,
    onward=onward,
    concept="For lecturers",
    question="How do I give a lecture with this?",
    sources=("[Crouch & Mazur 2001, on questions to a class](https://doi.org/10.1119/1.1374249)",),
)

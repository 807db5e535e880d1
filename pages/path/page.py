"""The page “The path”, for beginners: one question on each screen, a guess, and the reason for the answer."""

from pages.path import navigation, screens, story
from pages.path.navigation import Guesses, GuessesInput
from pages.path.numbers import ScreenInput
from pages.path.story import TEXTS
from pages.shared import controls
from pages.shared.site.page import Page


@controls.declare(TEXTS)
class Path(controls.Parameters):
    """The parameters of the page “The path”."""

    screen: int = controls.of_kind(ScreenInput(), 1)
    guesses: Guesses = controls.of_kind(GuessesInput(), ())
    tries: int = controls.slider(0, navigation.MOST_TRIES, step=1, default=0)
    box: str = controls.choice(*story.BOXES, default=story.FIRST)
    word: int = controls.word()


def question(parameters: Path, example):
    screen = navigation.screen_at(parameters.screen)
    return screen.question if screen else TEXTS.fill("question_of_last_page")


def screen(parameters: Path, example):
    screens.draw_way(parameters, example)
    if shown := navigation.screen_at(parameters.screen):
        screens.draw_screen(shown, parameters, navigation.story())
    else:
        screens.draw_last_page(parameters)


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(screen,),
    code=None,
    parameters=Path,
    onward=screens.draw_onward,
    asks=question,
)

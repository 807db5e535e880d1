"""The page “The path”, for beginners: one question on each screen, a guess, and the reason for the answer."""

from pages.path import navigation, screens, story
from pages.path.navigation import Guesses, GuessesInput
from pages.path.numbers import ScreenInput
from pages.shared import controls
from pages.shared.site.page import Page


@controls.declare
class Path(controls.Parameters):
    """The parameters of the page “The path”."""

    screen: int = controls.of_kind(ScreenInput(), 1)
    guesses: Guesses = controls.of_kind(GuessesInput(), ())
    tries: int = controls.slider("Tries", 0, navigation.MOST_TRIES, step=1, default=0)
    box: str = controls.choice("The numbers of", story.CHOICES, default=story.FIRST)
    word: int = controls.word("The word that attends")


def question(parameters: Path, example):
    screen = navigation.screen_at(parameters.screen)
    return screen.question if screen else screens.QUESTION


def screen(parameters: Path, example):
    screens.draw_way(parameters, example)
    if shown := navigation.screen_at(parameters.screen):
        screens.draw_screen(shown, parameters, navigation.story())
    else:
        screens.draw_last_page(parameters)


PAGE = Page(
    module=__name__,
    parts=(screen,),
    code=None,
    parameters=Path,
    onward=screens.draw_onward,
    asks=question,
    concept="The path",
    question="What is attention, step by step?",
    sources=(
        "[Vaswani et al. 2017, Attention Is All You Need](https://arxiv.org/abs/1706.03762)",
        "[Olsson et al. 2022, on induction heads](https://arxiv.org/abs/2209.11895)",
        "The story’s numbers were chosen for this app; the real model is "
        "[SmolLM2 135M Instruct](https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct)",
    ),
)

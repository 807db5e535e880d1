"""The page “The path”, for beginners: one question on each screen, a guess, and the reason for the answer."""

from pages.shared import controls
from pages.shared.lessons.path import boxes, last_page, navigation, parts, way
from pages.shared.lessons.path.guesses import Guesses, GuessesInput
from pages.shared.lessons.path.places import ScreenInput
from pages.shared.site.page import Page


@controls.declare
class Path(controls.Parameters):
    """The parameters of the page “The path”."""

    screen: int = controls.of_kind(ScreenInput(), 1)
    guesses: Guesses = controls.of_kind(GuessesInput(), ())
    tries: int = controls.slider("Tries", 0, navigation.MOST_TRIES, step=1, default=0)
    box: str = controls.choice("The numbers of", boxes.CHOICES, default=boxes.FIRST)
    word: int = controls.word("The word that attends")


def question(parameters: Path, example):
    screen = navigation.screen_at(parameters.screen)
    return screen.question if screen else last_page.QUESTION


def screen(parameters: Path, example):
    way.draw_way(parameters, example)
    if shown := navigation.screen_at(parameters.screen):
        parts.draw_screen(shown, parameters, navigation.story())
    else:
        last_page.draw(parameters)


PAGE = Page(
    module=__name__,
    parts=(screen,),
    code=None,
    parameters=Path,
    onward=way.draw_onward,
    asks=question,
    concept="The path",
    question="What is attention, step by step?",
    group="",
    icon="route",
    sources=(
        "[Vaswani et al. 2017, Attention Is All You Need](https://arxiv.org/abs/1706.03762)",
        "[Olsson et al. 2022, on induction heads](https://arxiv.org/abs/2209.11895)",
        "The story’s numbers were chosen for this app; the real model is "
        "[SmolLM2 135M Instruct](https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct)",
    ),
)

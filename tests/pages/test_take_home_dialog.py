"""Test the dialog "Take home": it offers every file that exists, and says why some do not."""

import pytest

from simulating import X_5, open_page
from taken_home import screen_at

pytestmark = pytest.mark.lowest


@pytest.mark.parametrize(
    ("page", "link", "stem"),
    [
        ("attention", {"step": "5"}, "attention_step_5_story"),
        ("attention", {"step": "5", "x": X_5}, "attention_step_5_story_edited"),
        ("positional_encoding", {"look": "rope", "example": "book"}, "positional_encoding_rope_book"),
        ("cross_attention", {"example": "context"}, "cross_attention_context"),
        ("your_sentence", {"heads": "2"}, "your_sentence_2_heads"),
    ],
)
def test_files_say_what_they_hold(page, link, stem):
    assert screen_at(page, **link).stem == stem


@pytest.mark.parametrize("page", ["home", "attention", "your_sentence", "check_my_matrix"])
def test_the_dialog_offers_every_file(page):
    app = open_page(page)
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    names = [element.proto.label for element in app.get("download_button")]
    endings = (".py", ".ipynb", "_torch.py", ".tex", "_matrices.zip")
    assert [any(name.endswith(ending) for name in names) for ending in endings] == [True] * 5


def test_the_dialog_says_why_a_mistake_is_numpys():
    app = open_page("spot_the_bug")
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    assert not any(element.proto.label.endswith("_torch.py") for element in app.get("download_button"))
    assert any("The cell is NumPy’s" in text.value for text in app.markdown)


def test_nothing_to_take_home_is_said():
    app = open_page("your_sentence", text=" ")
    (button,) = [button for button in app.button if button.label == "Take home"]
    app = button.click().run()
    assert not app.exception
    assert any("nothing on the screen" in info.value for info in app.info)

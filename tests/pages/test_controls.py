"""Test the controls: what pages declare, and what visitors can set on every page."""

from dataclasses import FrozenInstanceError, dataclass

import pytest

from pages.shared import controls
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import MatrixInput
from pagesutil import of_every_page


def test_defaults():
    @dataclass(frozen=True, kw_only=True)
    class Page(Parameters):
        axis: str = controls.choice("Axis", {"rows": "Rows", "columns": "Columns"})
        base: str = controls.choice("Base", {"e": "e", "2": "2"}, default="2")
        mistake: str = controls.switches("Mistake", {"twice": "Twice"})
        warmth: float = controls.slider("T", 0.1, 10.0, step=0.1, default=1.0)
        subtract: bool = controls.switch("Subtract", default=True)
        token: int = controls.token("Who?")
        last: int = controls.token("Who else?", default=1)
        keys: int = controls.count("How many?", of="key_tokens")
        text: str = controls.text("Sentence", longest=9, default="a b")
        scores: object = controls.matrix([[1, 2], [3, 4]])

    values = {name: getattr(Page(), name) for name in controls_of(Page)}
    assert values == {
        "digits": "2", "cell": None, "axis": "rows", "base": "2", "mistake": "", "warmth": 1.0, "subtract": True,
        "token": 0, "last": 1, "keys": 0, "text": "a b", "scores": ((1.0, 2.0), (3.0, 4.0)),
    }  # fmt: skip
    assert Page().decimals == 2
    assert controls_of(Page)["scores"] == MatrixInput(2, 2)
    assert [controls_of(Page)[name].optional for name in ("axis", "mistake")] == [False, True]


@of_every_page
def test_each_default_is_a_value_of_its_control(kind):
    for name, control in controls_of(kind).items():
        default = getattr(kind(), name)
        if default not in (None, ""):
            assert control.decode(control.encode(default)) == default
    with pytest.raises(FrozenInstanceError):
        setattr(kind(), "digits", "4")  # noqa: B010 - it is refused, which is the test

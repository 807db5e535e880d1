"""The parameters of a page: a frozen dataclass whose fields are declared by the functions here.

Each declaration gives a field its control. The control checks a value, writes it into the link, reads it back, and
draws the widget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, TypeVar, dataclass_transform

from pages.shared.controls.control import Control
from pages.shared.controls.example_kinds import (
    LAST,
    ColumnInput,
    Count,
    HeadsInput,
    HeadsOffInput,
    TokenInput,
    WordInput,
)
from pages.shared.controls.kinds import CellInput, Choice, MatrixInput, Slider, Steps, Switch
from pages.shared.controls.listed import Listed
from pages.shared.controls.text_area import TextArea
from pages.shared.controls.text_input import TextInput
from pages.shared.notation import orientation
from pages.shared.notation.latex import breakable


def choice(label: str, options: Mapping[str, str], *, default: str | None = None, help: str | None = None) -> Any:
    """Declare a choice of one of a few options. The first option is the default unless another is given."""
    return _field(Choice(label, options, help), next(iter(options)) if default is None else default)


def list_choice(label: str, options: Mapping[str, str], *, default: str | None = None, help: str | None = None) -> Any:
    """Declare a choice of one of many options, in a list that opens after a click. By default, the first is chosen."""
    return _field(Listed(label, options, help), next(iter(options)) if default is None else default)


def switches(label: str, options: Mapping[str, str], *, help: str | None = None) -> Any:
    """Declare a choice of at most one of several options. By default, none is chosen."""
    return _field(Choice(label, options, help, optional=True), "")


def slider(label: str, low: float, high: float, *, step: float, default: float, help: str | None = None) -> Any:
    """Declare a number from `low` to `high`, in equal steps."""
    return _field(Slider(label, low, high, step, help), default)


def steps(label: str, values: Sequence[int], *, default: int, help: str | None = None) -> Any:
    """Declare a choice of one of a few whole numbers in order."""
    return _field(Steps(label, tuple(values), help), default)


def switch(label: str, *, default: bool = False, help: str | None = None) -> Any:
    """Declare a switch, which is on or off."""
    return _field(Switch(label, help), default)


def token(label: str, *, default: int = 0, help: str | None = None) -> Any:
    """Declare a choice of one of the example's tokens. `default` is a token's index."""
    return _field(TokenInput(label, help), default)


def column(label: str, *, default: int = 0, help: str | None = None) -> Any:
    """Declare a choice of one of the columns of the example's values. `default` is a column's index."""
    return _field(ColumnInput(label, help), default)


def word(label: str, *, of_the_page: bool = False) -> Any:
    """Declare the choice of the word whose attention a sentence shows. The last word is the default.

    The package `words` draws the sentence. The sentence is from the example, or from the page if `of_the_page`.
    """
    return _field(WordInput(label, of_the_page=of_the_page), LAST)


def heads(label: str, *, help: str | None = None) -> Any:
    """Declare a choice of the number of heads. The default 0 means the number of heads that the example has."""
    return _field(HeadsInput(label, help), 0)


def heads_off(label: str, *, help: str | None = None) -> Any:
    """Declare a choice of the heads that are switched off. By default, there are none."""
    return _field(HeadsOffInput(label, help), ())


def count(label: str, *, of: str, help: str | None = None) -> Any:
    """Declare a choice of how many tokens (`of` is "tokens") or key tokens ("key_tokens") are used: all by default."""
    return _field(Count(label, of, help), 0)


def text(label: str, *, longest: int, default: str, help: str | None = None) -> Any:
    """Declare a text of one line, with at most `longest` characters."""
    return _field(TextInput(label, longest, help), default)


def text_area(label: str, *, help: str | None = None, placeholder: str | None = None) -> Any:
    """Declare a text of several lines, which is empty by default. A link contains the text only if it is short."""
    return _field(TextArea(label, help, placeholder), "")


def matrix(default: Sequence[Sequence[float]]) -> Any:
    """Declare a matrix that belongs to the page and not to the example."""
    rows = tuple(tuple(map(float, row)) for row in default)
    return _field(MatrixInput(len(rows), len(rows[0])), rows)


def of_kind(control: Control, default: Any) -> Any:
    """Declare a parameter with the control `control`. Use this for a kind of control that only one page has."""
    return _field(control, default)


def _field(control: Control, default: Any) -> Any:
    return field(default=default, metadata={"control": control})


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The parameters that every page has. Each page adds its own fields."""

    opens_with: ClassVar[str] = "story"  # the example that a page shows until the visitor chooses or edits one
    # The values of parameters whose default has changed, for old links that do not name them. New links always do.
    meant_by_old_links: ClassVar[Mapping[str, Any]] = {}

    digits: str = choice(
        "Digits",
        {"2": "2", "4": "4", "8": "8"},
        help="The most decimals that a number shows. 0.00 is a rounded number, and 0 is exactly 0.",
    )
    cell: tuple[str, int, int] | None = _field(CellInput(), None)
    columns: bool = False  # whether tokens are columns; the workspace sets it for all pages

    def in_layout(self, text: str) -> str:
        """Return `text`, which is about rows. If the page shows tokens as columns, "row" becomes "column" in it."""
        return orientation.turn_words(text) if self.columns else text

    def formula(self, latex: str) -> str:
        """Return the LaTeX formula `latex`. If the page shows tokens as columns, the formula is transposed."""
        return orientation.turned_formula(latex) if self.columns else latex

    def display(self, latex: str) -> str:
        """Return the formula `latex` as Markdown, in a paragraph of its own.

        If the page shows tokens as columns, the formula is transposed. `latex` may have several formulas. If they are
        wider than the screen, the browser breaks the line between two formulas.
        """
        return f"$$\n{breakable(self.formula(latex))}\n$$"

    @property
    def decimals(self) -> int:
        """The number of decimals to show."""
        return int(self.digits)


P = TypeVar("P", bound=Parameters)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def declare(page: type[P]) -> type[P]:
    """Turn a class with the parameters of a page into a frozen dataclass, and return it. This is a decorator."""
    return dataclass(frozen=True, kw_only=True)(page)


@cache
def controls_of(parameters: type[Parameters]) -> dict[str, Any]:
    """Return the control of each field of a parameters class, by name. Fields without a control are left out."""
    return {f.name: f.metadata["control"] for f in fields(parameters) if f.metadata}

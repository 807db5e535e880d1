"""The parameters of a page: a frozen dataclass whose fields are declared by the functions here.

Each declaration gives a field its control. The control checks a value, writes it into the link, reads it back, and
draws the widget. The words of a control (its label, the names of its options, its help) stand in the page's `texts.md`,
in the section with the name of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, TypeVar, dataclass_transform

from pages.shared.controls.example_kinds import (
    LAST,
    ColumnInput,
    Count,
    HeadsInput,
    HeadsOffInput,
    TextArea,
    TextInput,
    TokenInput,
    WordInput,
)
from pages.shared.controls.kinds import (
    TEXTS,
    CellInput,
    Choice,
    Control,
    Listed,
    LiveSlider,
    MatrixInput,
    Slider,
    Steps,
    Switch,
)
from pages.shared.notation import latex as formulas
from pages.shared.notation.latex import Said, breakable
from pages.shared.notation.texts import Texts

# The options of a choice: their keys, or one mapping from the keys to names if the names are data.
Options = str | Mapping[str, str]


def choice(*options: Options, default: str | None = None) -> Any:
    """Declare a choice of one of a few options. The first option is the default unless another is given."""
    named = _named(options)
    return _field(Choice("", named), next(iter(named)) if default is None else default)


def list_choice(*options: Options, default: str | None = None) -> Any:
    """Declare a choice of one of many options, in a list that opens after a click. By default, the first is chosen."""
    named = _named(options)
    return _field(Listed("", named), next(iter(named)) if default is None else default)


def switches(*options: Options) -> Any:
    """Declare a choice of at most one of several options. By default, none is chosen."""
    return _field(Choice("", _named(options), optional=True), "")


def _named(options: Sequence[Options]) -> Mapping[str, str]:
    match options:
        case [Mapping() as named]:
            return named
    return {str(key): "" for key in options}


def slider(low: Any, high: Any, *, step: float, default: float) -> Any:
    """Declare a number in equal steps, from `low` to `high`."""
    return _field(Slider("", low, high, step), default)


def live_slider(low: Any, high: Any, *, step: float, default: float, setting: str) -> Any:
    """Declare a number in equal steps that moves the numbers of the page while the visitor moves it.

    `setting` is the name under which formulas of the page have the number.
    """
    return _field(LiveSlider("", low, high, step, None, setting), default)


def steps(values: Sequence[int], *, default: int, setting: str = "") -> Any:
    """Declare a choice of one of a few whole numbers in order.

    With a `setting`, it moves the numbers of the page as a `live_slider` does. Formulas have its place, from 0.
    """
    return _field(Steps("", tuple(values), None, setting), default)


def switch(*, default: bool = False) -> Any:
    """Declare a switch, which is on or off."""
    return _field(Switch(""), default)


def token(*, default: int = 0) -> Any:
    """Declare a choice of one of the example's tokens. `default` is a token's index."""
    return _field(TokenInput(""), default)


def column(*, default: int = 0) -> Any:
    """Declare a choice of one of the columns of the example's values. `default` is a column's index."""
    return _field(ColumnInput(""), default)


def word(*, of_the_page: bool = False) -> Any:
    """Declare the choice of the word whose attention a sentence shows. The last word is the default."""
    return _field(WordInput("", of_the_page=of_the_page), LAST)


def heads() -> Any:
    """Declare a choice of the number of heads. The default 0 means the number of heads that the example has."""
    return _field(HeadsInput(""), 0)


def heads_off() -> Any:
    """Declare a choice of the heads that are switched off. By default, there are none."""
    return _field(HeadsOffInput(""), ())


def count(*, of: str) -> Any:
    """Declare a choice of how many tokens (`of` is "tokens") or key tokens ("key_tokens") are used: all by default."""
    return _field(Count("", of), 0)


def text(*, longest: int, default: str) -> Any:
    """Declare a text of one line, with at most `longest` characters."""
    return _field(TextInput("", longest), default)


def text_area(*, placeholder: str | None = None) -> Any:
    """Declare a text of several lines, which is empty by default. A link contains the text only if it is short."""
    return _field(TextArea("", None, placeholder), "")


def matrix(default: Sequence[Sequence[float]]) -> Any:
    """Declare a matrix that belongs to the page and not to the example."""
    rows = tuple(tuple(map(float, row)) for row in default)
    return _field(MatrixInput(len(rows), len(rows[0])), rows)


def of_kind(control: Control, default: Any) -> Any:
    """Declare a parameter with the control `control`. Use this for a kind of control that only one page has."""
    return _field(control, default)


_OF_ROWS, _OF_COLUMNS = "control", "with tokens as columns"


def _field(control: Control, default: Any) -> Any:
    return _field_with(default, control, control.with_tokens_as_columns())


def _field_with(default: Any, of_rows: Control, of_columns: Control) -> Any:
    return field(default=default, metadata={_OF_ROWS: of_rows, _OF_COLUMNS: of_columns})


P = TypeVar("P", bound="Parameters")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def declare(texts: Texts) -> Callable[[type[P]], type[P]]:
    """Turn a class with the parameters of a page into a frozen dataclass. This is a decorator: `@declare(TEXTS)`.

    It gives each control of the class its words from the section of `texts` with the name of the field.

    Raises: ValueError if a control has no words, or if the keys of its options are not those of the section.
    """

    def with_words(page: type[P]) -> type[P]:
        for name, declared in list(vars(page).items()):
            if isinstance(declared, Field) and getattr(declared.metadata.get(_OF_ROWS), "label", None) == "":
                setattr(page, name, _field_in_words(f"{page.__name__}.{name}", declared, texts))
        return dataclass(frozen=True, kw_only=True)(page)

    return with_words


def _field_in_words(name: str, declared: Field[Any], texts: Texts) -> Any:
    section = name.rpartition(".")[2]
    of_rows, of_columns = declared.metadata[_OF_ROWS], declared.metadata[_OF_COLUMNS]
    try:
        words = texts.words(section), texts.words(section, True)
        return _field_with(declared.default, of_rows.with_words(words[0]), of_columns.with_words(words[1]))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


@declare(TEXTS)
class Parameters:
    """The parameters that every page has. Each page adds its own fields."""

    opens_with: ClassVar[str] = "story"  # the example that a page shows until the visitor chooses or edits one
    # The values of parameters whose default has changed, for old links that do not name them. New links always do.
    meant_by_old_links: ClassVar[Mapping[str, Any]] = {}

    digits: str = choice("2", "4", "8")
    cell: tuple[str, int, int] | None = _field(CellInput(), None)
    columns: bool = False  # whether tokens are columns; the workspace sets it for all pages

    def say(self, texts: Texts, section: str, /, **names: Any) -> Said:
        """Return the text of a section of `texts`, filled with the values `names`, for this layout and these digits."""
        return texts.fill(section, self.decimals, self.columns, **names)

    def in_layout(self, text: str) -> str:
        """Return `text`, which is about rows. If the page shows tokens as columns, "row" becomes "column" in it."""
        return formulas.turn_words(text) if self.columns else text

    def formula(self, latex: str) -> str:
        """Return the LaTeX formula `latex`. If the page shows tokens as columns, the formula is transposed."""
        return formulas.turned_formula(latex) if self.columns else latex

    def display(self, latex: str) -> str:
        """Return the formula `latex` as Markdown, in a paragraph of its own."""
        return f"$$\n{breakable(self.formula(latex))}\n$$"

    @property
    def decimals(self) -> int:
        """The number of decimals to show."""
        return int(self.digits)


@cache
def controls_of(parameters: type[Parameters], columns: bool = False) -> dict[str, Any]:
    """Return the control of each field of a parameters class, by name. Fields without a control are left out."""
    words = _OF_COLUMNS if columns else _OF_ROWS
    return {f.name: f.metadata[words] for f in fields(parameters) if f.metadata}

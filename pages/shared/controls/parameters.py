"""The parameters of a page: a frozen dataclass whose fields are declared by the functions here.

Each declaration gives a field its control. The control checks a value, writes it into the link, reads it back, and
draws the widget. The words of a control (its label, the names of its options, its help) stand in the page's `texts.md`,
in the section with the name of the field. A page that has no such file yet gives the words here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, TypeVar, dataclass_transform, overload

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

# The options of a choice by their keys, or a label and then the options with their names.
Options = str | Mapping[str, str]


def choice(*options: Options, default: str | None = None, help: str | None = None) -> Any:
    """Declare a choice of one of a few options. The first option is the default unless another is given."""
    label, named = _label_and_options(options)
    return _field(Choice(label, named, help), next(iter(named)) if default is None else default)


def list_choice(*options: Options, default: str | None = None, help: str | None = None) -> Any:
    """Declare a choice of one of many options, in a list that opens after a click. By default, the first is chosen."""
    label, named = _label_and_options(options)
    return _field(Listed(label, named, help), next(iter(named)) if default is None else default)


def switches(*options: Options, help: str | None = None) -> Any:
    """Declare a choice of at most one of several options. By default, none is chosen."""
    return _field(Choice(*_label_and_options(options), help, optional=True), "")


def _label_and_options(given: Sequence[Options]) -> tuple[str, Mapping[str, str]]:
    match given:
        case [str() as label, Mapping() as options]:
            return label, options
    return "", {str(key): "" for key in given}


def slider(*bounds: Any, step: float, default: float, help: str | None = None) -> Any:
    """Declare a number in equal steps. `bounds` are the lowest and the highest number, perhaps after a label."""
    label, low, high = bounds if len(bounds) == 3 else ("", *bounds)
    return _field(Slider(label, low, high, step, help), default)


def live_slider(*bounds: Any, step: float, default: float, setting: str, help: str | None = None) -> Any:
    """Declare a number in equal steps that moves the numbers of the page while the visitor moves it.

    `bounds` are as in `slider`. `setting` is the name under which formulas of the page have the number.
    """
    label, low, high = bounds if len(bounds) == 3 else ("", *bounds)
    return _field(LiveSlider(label, low, high, step, help, setting), default)


def steps(*values: Any, default: int, help: str | None = None) -> Any:
    """Declare a choice of one of a few whole numbers in order. `values` is a list of them, perhaps after a label."""
    label, numbers = values if len(values) == 2 else ("", *values)
    return _field(Steps(label, tuple(numbers), help), default)


def switch(label: str = "", *, default: bool = False, help: str | None = None) -> Any:
    """Declare a switch, which is on or off."""
    return _field(Switch(label, help), default)


def token(label: str = "", *, default: int = 0, help: str | None = None) -> Any:
    """Declare a choice of one of the example's tokens. `default` is a token's index."""
    return _field(TokenInput(label, help), default)


def column(label: str = "", *, default: int = 0, help: str | None = None) -> Any:
    """Declare a choice of one of the columns of the example's values. `default` is a column's index."""
    return _field(ColumnInput(label, help), default)


def word(label: str = "", *, of_the_page: bool = False) -> Any:
    """Declare the choice of the word whose attention a sentence shows. The last word is the default."""
    return _field(WordInput(label, of_the_page=of_the_page), LAST)


def heads(label: str = "", *, help: str | None = None) -> Any:
    """Declare a choice of the number of heads. The default 0 means the number of heads that the example has."""
    return _field(HeadsInput(label, help), 0)


def heads_off(label: str = "", *, help: str | None = None) -> Any:
    """Declare a choice of the heads that are switched off. By default, there are none."""
    return _field(HeadsOffInput(label, help), ())


def count(label: str = "", *, of: str, help: str | None = None) -> Any:
    """Declare a choice of how many tokens (`of` is "tokens") or key tokens ("key_tokens") are used: all by default."""
    return _field(Count(label, of, help), 0)


def text(label: str = "", *, longest: int, default: str, help: str | None = None) -> Any:
    """Declare a text of one line, with at most `longest` characters."""
    return _field(TextInput(label, longest, help), default)


def text_area(label: str = "", *, help: str | None = None, placeholder: str | None = None) -> Any:
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
    return _field_with(default, control, control.with_tokens_as_columns())


def _field_with(default: Any, of_rows: Control, of_columns: Control) -> Any:
    return field(default=default, metadata={"control": of_rows, "with tokens as columns": of_columns})


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


P = TypeVar("P", bound=Parameters)


@overload
def declare(page: type[P], /) -> type[P]: ...
@overload
def declare(page: Texts, /) -> Callable[[type[P]], type[P]]: ...
@dataclass_transform(frozen_default=True, kw_only_default=True)
def declare(page: type[P] | Texts, /) -> type[P] | Callable[[type[P]], type[P]]:
    """Turn a class with the parameters of a page into a frozen dataclass, and return it. This is a decorator.

    As `@declare(TEXTS)`, it gives each control of the class its words from the section with the name of the field.

    Raises: ValueError if a control has no words, or if the keys of its options are not those of the section.
    """
    if isinstance(page, Texts):
        return lambda declared: _as_dataclass(declared, page)
    return _as_dataclass(page, None)


def _as_dataclass(page: type[P], texts: Texts | None) -> type[P]:
    for name, declared in list(vars(page).items()):
        if isinstance(declared, Field) and getattr(declared.metadata.get("control"), "label", None) == "":
            setattr(page, name, _field_in_words(f"{page.__name__}.{name}", declared, texts))
    return dataclass(frozen=True, kw_only=True)(page)


def _field_in_words(name: str, declared: Field[Any], texts: Texts | None) -> Any:
    control, section = declared.metadata["control"], name.rpartition(".")[2]
    if texts is None:
        raise ValueError(
            f"Every control must have words; {name} has none: write them into the section “# {section}” of the page's "
            "texts.md, and declare the class with @controls.declare(TEXTS)."
        )
    try:
        return _field_with(
            declared.default,
            control.with_words(texts.words(section)),
            control.with_words(texts.words(section, True)),
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


@cache
def controls_of(parameters: type[Parameters], columns: bool = False) -> dict[str, Any]:
    """Return the control of each field of a parameters class, by name. Fields without a control are left out."""
    words = "with tokens as columns" if columns else "control"
    return {f.name: f.metadata[words] for f in fields(parameters) if f.metadata}

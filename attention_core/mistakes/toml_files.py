"""Read mistakes from the TOML files of this folder, which hold one `[[mistake]]` for each, in order."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from attention_core.mistakes.engine.mistake import Concept, Mistake, Rank, Stage
from attention_core.mistakes.showing import SHOWS

M = TypeVar("M")

FOLDER = Path(__file__).parent
TYPES = {"str": str, "bool": bool, "tuple[str, ...]": list}  # how TOML writes a value of each type


def read_mistakes(file: str, **choices: Mapping[str, Any]) -> tuple[Mistake[Any], ...]:
    """Return the mistakes in computing attention from a TOML file, such as "scaling.toml".

    `choices` are those of `read_entries`, for further fields or in place of the usual ones.

    Raises: ValueError for the same reasons as `read_entries`, or if the code of a mistake breaks a rule.
    """
    words = {"concept": Concept, "stage": Stage, "rank": Rank}
    usual = {field: {word: word for word in get_args(kind)} for field, kind in words.items()}
    kind: type[Mistake[Any]] = Mistake
    return read_entries(file, kind, **({"shows": SHOWS} | usual | choices))


def read_entries(
    file: str | Path, kind: type[M], table: str = "mistake", /, **choices: Mapping[str, Any]
) -> tuple[M, ...]:
    """Return the mistakes of a TOML file as objects of the class `kind`, in order.

    Each table `[[mistake]]` has the fields of the class; `table` is its name if the file has something else. A field
    that stands before the first table counts for every mistake that does not set it. `choices` are fields whose value
    in the file is a name, with the value of each name: `shows={"has_mask": has_mask}`.

    Raises: ValueError if the file is not TOML, or a field is unknown, missing or has a wrong value. The error names
            the file and the mistake.
    """
    path = FOLDER / file
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name} must be TOML; got {error}: correct this line.") from error
    tables: list[dict[str, Any]] = content.pop(table, [])
    return tuple(_entry(f"{path.name}, {table}", content | given, kind, choices) for given in tables)


def _entry(place: str, given: dict[str, Any], kind: type[M], choices: Mapping[str, Mapping[str, Any]]) -> M:
    try:
        _check_fields(given, kind)
        return kind(**{field: _value(field, given[field], choices.get(field)) for field in given})
    except ValueError as error:
        raise ValueError(f"{place} {given.get('name', 'without a name')}: {error}") from error


def _check_fields(given: Mapping[str, Any], kind: type[Any]) -> None:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    needed = {name for name, field in fields.items() if field.default is field.default_factory}  # both are missing
    if wrong := [*(given.keys() - fields.keys()), *(needed - given.keys())]:
        optional = ", ".join(name for name in fields if name not in needed) or "no others"
        raise ValueError(
            f"it must have {', '.join(name for name in fields if name in needed)}, and may have {optional}; "
            f"got {', '.join(given)}: correct {', '.join(sorted(wrong))}."
        )
    for name, value in given.items():
        wanted = TYPES.get(str(fields[name].type))
        if wanted and not isinstance(value, wanted):
            raise ValueError(f"{name} must be {wanted.__name__}; got {value!r}: write it as in the others.")


def _value(field: str, given: Any, names: Mapping[str, Any] | None) -> Any:
    if names is None:
        return tuple(cast("list[Any]", given)) if isinstance(given, list) else given
    if given not in [*names]:
        raise ValueError(f"{field} must be one of {', '.join(names)}; got {given!r}: correct it, or add it to these.")
    return names[given]

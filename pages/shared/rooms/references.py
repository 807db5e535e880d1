"""References: what names a question in the database: a task, a scene, or a screen of the path. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORM = re.compile(r"(task|scene|screen):([a-z_]{1,40})(?:\.([1-9][0-9]{0,3}))?(?:\.([1-3]))?")


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a question: its kind and its page, or the name of a screen; its number; its difficulty.

    >>> str(Reference("task", "attention", 17, 2)), str(Reference("screen", "refers"))
    ('task:attention.17.2', 'screen:refers')
    """

    kind: str
    name: str
    number: int = 0
    difficulty: int = 0

    def __str__(self) -> str:
        numbers = [number for number in (self.number, self.difficulty) if number]
        return ".".join([f"{self.kind}:{self.name}", *map(str, numbers)])


def read_reference(text: str) -> Reference:
    """Read a reference. Raises: ValueError if the text is none.

    >>> read_reference("task:attention.17.2")
    Reference(kind='task', name='attention', number=17, difficulty=2)
    """
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError(
            f"A question is named as task:attention.17.2, scene:scaling.3 or screen:refers; got {text[:60]}."
        )
    kind, name, number, difficulty = found.groups()
    return Reference(kind, name, int(number or 0), int(difficulty or 0))

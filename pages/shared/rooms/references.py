"""References: the names of questions in the database.

A question is about a task, one number of a task, or a scene. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORM = re.compile(r"(task|number|scene):([a-z_]{1,40})(?:\.([1-9][0-9]{0,3}))?(?:\.([1-3]))?")


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a question: its kind ("task", "number" or "scene"), its page, its number there, and its difficulty.

    >>> str(Reference("task", "attention", 17, 2)), str(Reference("scene", "scaling", 3))
    ('task:attention.17.2', 'scene:scaling.3')
    """

    kind: str
    name: str
    number: int = 0
    difficulty: int = 0

    def __str__(self) -> str:
        numbers = [number for number in (self.number, self.difficulty) if number]
        return ".".join([f"{self.kind}:{self.name}", *map(str, numbers)])


def read_reference(text: str) -> Reference:
    """Return a text such as "task:attention.17.2" as a `Reference`. Raises: ValueError if the text has another form.

    >>> read_reference("task:attention.17.2")
    Reference(kind='task', name='attention', number=17, difficulty=2)
    """
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError(
            f"A question has a name such as scene:scaling.6, but this one is named {text[:60]}. Open the room anew."
        )
    kind, name, number, difficulty = found.groups()
    return Reference(kind, name, int(number or 0), int(difficulty or 0))

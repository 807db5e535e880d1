"""The code of the page “Real heads”."""

from __future__ import annotations

from pages.shared.codes.real_head import code_of_a_head
from pages.shared.real_heads.reading import Reading
from pages.shared.takehome.code import Code


def code(parameters, reading: Reading) -> Code:
    """Return the code of the head that the page “Real heads” shows."""
    name = reading.head.name if reading.trace is None else f"{reading.head.name}_{parameters.look}"
    return code_of_a_head(reading, name=name, many_positions=parameters.look == "positions")

"""Make a visitor wait after wrong codes, so that nobody can guess the code of a room by trying.

The wait grows with each wrong code. After a single wrong letter, it is hardly noticeable.
"""

from __future__ import annotations

from dataclasses import dataclass

from pages.shared.rooms.limits import RoomError

FREE = 2  # wrong codes before the first wait
LONGEST_WAIT = 64  # seconds
WAIT = "After several wrong codes, you must wait before the next one. Wait {seconds}, and try again."


@dataclass(slots=True)
class WrongCodes:
    """How many wrong codes a visitor has typed in a row, and the time until which further codes are refused."""

    tried: int = 0
    not_before: float = 0.0

    def check(self, now: float) -> None:
        """Raise RoomError if it is too soon after a wrong code. `now` is the time in seconds."""
        if now < self.not_before:
            seconds = max(1, round(self.not_before - now))
            raise RoomError(WAIT.format(seconds=f"{seconds} second{'s' * (seconds != 1)}"))

    def note_wrong(self, now: float) -> None:
        """Count a wrong code. From the third wrong code on, the visitor has to wait, and each time twice as long."""
        self.tried += 1
        if self.tried > FREE:
            self.not_before = now + min(2.0 ** (self.tried - FREE), LONGEST_WAIT)

    def note_correct(self) -> None:
        """Reset the count of wrong codes of a room, because the visitor entered a correct code."""
        self.tried, self.not_before = 0, 0.0

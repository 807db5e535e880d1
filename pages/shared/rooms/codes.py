"""The codes of rooms, their limits, and the pause after wrong guesses."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256

MOST_ROOMS = 500
MOST_BROWSERS = 1000  # in one room; each has one answer to a question
MOST_ROUNDS = 100  # in one room
LONGEST_ANSWER = 4000  # characters
SECONDS_BETWEEN_ANSWERS = 1.0  # between two answers of the same browser
DAY = 24 * 60 * 60  # seconds without use after which a room is deleted


class RoomError(ValueError):
    """The error when a room refuses something. Its text says the rule, what was received, and what to do."""


class RoomsUnavailableError(RuntimeError):
    """The error when there is no database of rooms, or when the database does not answer. Its text says what to do."""


LETTERS = "ABCDEFGHJKMNPRSTWXYZ"  # without I, L, O, Q, U, V, which look or sound like another letter or a digit
CODE_LENGTH = 5
KEY_BYTES = 16  # 128 bits
_CODE = re.compile(rf"[{LETTERS}]{{{CODE_LENGTH}}}")
_SECRET = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}")


def new_code() -> str:
    """Return a random code for a room."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def new_key() -> str:
    """Return a random key of 128 bits, as 32 hexadecimal digits."""
    return secrets.token_hex(KEY_BYTES)


def read_code(text: str) -> str:
    """Return a typed code of a room in its normal form: in capital letters and without spaces around it.

    Raises: ValueError if the text cannot be a code.

    >>> read_code(" abcde ")
    'ABCDE'
    """
    code = text.strip().upper()
    if not _CODE.fullmatch(code):
        raise ValueError(
            f"The code of a room has {CODE_LENGTH} of the letters {LETTERS}, but you typed another text. Check it."
        )
    return code


def is_secret(text: object) -> bool:
    """Return whether a value has the form of a random secret: a lecturer's key, or the id of a browser."""
    return isinstance(text, str) and bool(_SECRET.fullmatch(text))


def hash_of(code: str, secret: str) -> str:
    """Return the hash of a secret, which is a lecturer's key or a browser's id."""
    return sha256(f"{code} {secret}".encode()).hexdigest()


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

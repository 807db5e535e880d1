"""The codes of rooms, their limits, and the pauses after wrong guesses."""

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
HOUR = 60 * 60  # seconds after which a room that nobody has joined makes place for others
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


LONGEST_WAIT = 64  # seconds
WRONG_SEVERAL = "After several wrong codes, you must wait before the next one. Wait {seconds}, and try again."


@dataclass(slots=True)
class Pauses:
    """How often something was done that should be rare, such as a wrong code, and until when it is refused.

    Times are in seconds, of a clock that nobody can set back.
    """

    free: int = 2  # how often it costs no pause
    why: str = WRONG_SEVERAL
    tried: int = 0
    not_before: float = 0.0

    def check(self, now: float) -> None:
        """Raise RoomError if the pause is not over."""
        if now < self.not_before:
            raise RoomError(self.why.format(seconds=seconds_text(self.not_before - now)))

    def note(self, now: float) -> None:
        """Count once more. After the free times, there is a pause, and each pause is twice as long."""
        self.tried += 1
        if self.tried > self.free:
            self.not_before = now + min(2.0 ** (self.tried - self.free), LONGEST_WAIT)

    def give_back(self) -> None:
        """Count once less, and end the pause."""
        self.tried, self.not_before = max(0, self.tried - 1), 0.0

    def reset(self) -> None:
        """Forget how often it was done."""
        self.tried, self.not_before = 0, 0.0


def seconds_text(seconds: float) -> str:
    """Return a time in words, of at least 1 second.

    >>> seconds_text(0.2), seconds_text(4.4)
    ('1 second', '4 seconds')
    """
    whole = max(1, round(seconds))
    return f"{whole} second{'s' * (whole != 1)}"

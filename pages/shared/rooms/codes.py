"""Make, check and hash the codes of rooms, the keys of lecturers, and the ids of browsers. Pure, except for chance."""

from __future__ import annotations

import re
import secrets
from hashlib import sha256

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
    """Return the hash of a secret, which is a lecturer's key or a browser's id.

    The hash includes the room's code, so it differs from room to room.
    """
    return sha256(f"{code} {secret}".encode()).hexdigest()

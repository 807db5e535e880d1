"""Codes of rooms, keys of lecturers, and ids of browsers: made, checked and hashed. Pure, but for chance."""

from __future__ import annotations

import re
import secrets
from hashlib import sha256

LETTERS = "ABCDEFGHJKMNPRSTWXYZ"  # without those that look or sound like another one or a digit: I, L, O, Q, U, V
CODE_LENGTH = 5
KEY_BYTES = 16  # 128 bits
_CODE = re.compile(rf"[{LETTERS}]{{{CODE_LENGTH}}}")
_SECRET = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}")


def new_code() -> str:
    """Return a random code."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))


def new_key() -> str:
    """Return a random key of 128 bits, as 32 digits to the base 16."""
    return secrets.token_hex(KEY_BYTES)


def read_code(text: str) -> str:
    """Return a typed code in its normal form: in capital letters and without spaces around it.

    Raises: ValueError if it cannot be a code.

    >>> read_code(" abcde ")
    'ABCDE'
    """
    code = text.strip().upper()
    if not _CODE.fullmatch(code):
        raise ValueError(
            f"The code of a room has {CODE_LENGTH} of the letters {LETTERS}; got another text: look at it again."
        )
    return code


def is_secret(text: object) -> bool:
    """Say whether a text has the form of a key, or of the random id of a browser."""
    return isinstance(text, str) and bool(_SECRET.fullmatch(text))


def hash_of(code: str, secret: str) -> str:
    """Return the hash of a key or of a browser's id. It includes the room's code, so it differs between rooms."""
    return sha256(f"{code} {secret}".encode()).hexdigest()

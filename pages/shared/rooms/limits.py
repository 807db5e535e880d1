"""How often one address may open rooms, try codes and join, whatever id or session its visitors choose.

Everything here is in the memory of this process, and is forgotten soon. A hall of 300 phones may share one address.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock

import streamlit as st

from pages.shared.rooms.codes import HOUR, Pauses, RoomError, RoomsUnavailableError, seconds_text

PROXY_SETTING = "ATTENTION_LAB_PROXY"  # `on` if a proxy of ours names the address of each visitor
FREE_SETTING = "ATTENTION_LAB_FREE_ROOMS"  # how many rooms each address may open before the first pause
FREE = 5
MOST_ADDRESSES = 10_000
TOO_MANY_HERE = "Too many visitors of your network have tried this at the same time. Wait {seconds}, and try again."
OPENED_SEVERAL = "After several rooms, you must wait before you open the next one. Wait {seconds}, and try again."
NO_NUMBER = (
    "No room can be opened, because the setting `{setting}` must be a whole number, but it is `{given}`. Whoever runs "
    "the app can change it."
)
_SALT = secrets.token_hex(8)  # so that not even the memory holds an address


def address_of_visitor() -> str:
    """Return the hash of the address from which this visitor's connection comes. No visitor can choose it.

    Behind our proxy, this is the last address in its header. All earlier ones may be invented.
    """
    if os.environ.get(PROXY_SETTING) == "on":
        found = st.context.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    else:
        found = st.context.ip_address or ""
    return sha256(f"{_SALT} {found}".encode()).hexdigest()


@dataclass(slots=True)
class Budget:
    """How often each address may do something: `at_once` times, and then `a_second` times a second."""

    at_once: int
    a_second: float
    spent: dict[str, tuple[float, float]] = field(default_factory=dict)  # how much, and the time of the last spending
    lock: Lock = field(default_factory=Lock)

    def spend(self, address: str, now: float) -> None:
        """Count one time more for this address. Raise RoomError instead if the address has spent everything.

        `now` is a time that nobody can set back.
        """
        with self.lock:
            if (over := self._spent(address, now) + 1 - self.at_once) > 0:
                raise RoomError(TOO_MANY_HERE.format(seconds=seconds_text(over / self.a_second)))
            if address not in self.spent and len(self.spent) >= MOST_ADDRESSES:
                self.spent.pop(next(iter(self.spent)))
            self.spent[address] = (self._spent(address, now) + 1, now)

    def give_back(self, address: str) -> None:
        """Count one time less for this address."""
        with self.lock:
            spent, last = self.spent.get(address, (0.0, 0.0))
            self.spent[address] = (max(0.0, spent - 1), last)

    def _spent(self, address: str, now: float) -> float:
        spent, last = self.spent.get(address, (0.0, now))
        return max(0.0, spent - (now - last) * self.a_second)


WRONG_CODES = Budget(at_once=300, a_second=1)
JOINS = Budget(at_once=400, a_second=1)


def free_rooms() -> int:
    """Return how many rooms each address may open without a pause.

    Raises: RoomsUnavailableError if the setting is not a whole number.
    """
    given = os.environ.get(FREE_SETTING, str(FREE))
    if not (given.isascii() and given.isdecimal()):
        raise RoomsUnavailableError(NO_NUMBER.format(setting=FREE_SETTING, given=given))
    return int(given)


@dataclass(slots=True)
class Openings:
    """The pause of each address before it may open another room. It grows with each room, and ends after an hour."""

    pauses: dict[str, tuple[Pauses, float]] = field(default_factory=dict)  # the pause, and the time of the last room
    lock: Lock = field(default_factory=Lock)

    def note(self, address: str, now: float) -> None:
        """Count one room more for this address. Raise RoomError instead if the address must still wait.

        `now` is a time that nobody can set back.
        """
        with self.lock:
            pauses = self._pauses_of(address, now)
            pauses.check(now)
            if address not in self.pauses and len(self.pauses) >= MOST_ADDRESSES:
                self.pauses.pop(next(iter(self.pauses)))
            pauses.note(now)
            self.pauses[address] = (pauses, now)

    def give_back(self, address: str) -> None:
        """Count one room less for this address, because it could not be opened."""
        with self.lock:
            if address in self.pauses:
                self.pauses[address][0].give_back()

    def _pauses_of(self, address: str, now: float) -> Pauses:
        pauses, last = self.pauses.get(address, (None, now))
        return pauses if pauses and now - last < HOUR else Pauses(free_rooms(), OPENED_SEVERAL)


OPENINGS = Openings()


@contextmanager
def counted_opening() -> Generator[None, None, None]:
    """Count the room that the `with` block opens, unless it fails.

    It counts before, because several visitors of one address may open rooms at the same time. Raises: RoomError if this
    visitor's address has opened several rooms just now.
    """
    address = address_of_visitor()
    OPENINGS.note(address, time.monotonic())
    try:
        yield
    except Exception:
        OPENINGS.give_back(address)
        raise


def spend(budget: Budget) -> None:
    """Count what this visitor's address does now. Raises: RoomError if it has done it too often."""
    budget.spend(address_of_visitor(), time.monotonic())

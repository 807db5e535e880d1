"""Whether a class of 300 in one room loses an answer, and how long its pages and the lecturer's bars take.

Students come within half a minute, answer within a minute, and wait until the lecturer shows the results. With
`--arrive 0`, all of them come at the same moment. With `--hosted`, the room is kept in PostgreSQL by three processes
behind nginx; one process is killed while the class answers, and the database is stopped at once and started again.
Every answer that the app has acknowledged must still be stored at the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from crowd import connect_visitor, error_in, messages_of_run, opening_message, run
from hosting import behind_nginx, find_nginx
from pages.shared.rooms import database
from pages.shared.rooms.codes import new_key
from pages.shared.rooms.store import Store
from rooms import QUESTION, bin_folder, postgres, rooms_in
from serving import Server, serve

TICK = 1.5  # seconds from one question of a waiting page to the next
WATCH = 1.0  # the same for the lecturer's page
LETTERS = "ABC"
ARRIVED = "Your answer arrived:"
RETRIES = 20  # after a lost connection, or an answer that was not acknowledged


@dataclass
class Measurements:
    """The measurements of a class: waiting times in seconds, acknowledged answers, and errors."""

    visits: list[float] = field(default_factory=list)  # seconds from opening the address to the question
    waits: list[float] = field(default_factory=list)  # seconds until an answer was acknowledged
    ticks: list[float] = field(default_factory=list)  # seconds for one question of a student's page
    counts: list[float] = field(default_factory=list)  # seconds for one question of the lecturer's page
    acknowledged: dict[str, str] = field(default_factory=dict)
    lost_connections: int = 0
    refused: int = 0  # answers that the page did not acknowledge
    errors: list[str] = field(default_factory=list)


@dataclass
class Page:
    """The page of a student, as the browser keeps it: its widgets by their labels, and the parts that run again."""

    query: str  # the parameters of its address
    widgets: dict[str, str] = field(default_factory=dict)  # the id of each widget, by its label
    fragments: dict[str, str] = field(default_factory=dict)  # the part that a widget runs, by the widget's id
    waiting: dict[float, str] = field(default_factory=dict)  # the part that runs again after so many seconds
    hash: str = ""  # Streamlit's name of the page
    text: str = ""

    def take(self, message: ForwardMsg) -> None:
        """Update this record of a student's page with a message of the server."""
        if message.WhichOneof("type") == "navigation":
            self.hash = message.navigation.page_script_hash
        if message.WhichOneof("type") == "auto_rerun":
            self.waiting[message.auto_rerun.interval] = message.auto_rerun.fragment_id
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "markdown":
            self.text += element.markdown.body + "\n"
        elif kind == "progress":
            self.text += element.progress.text + "\n"
        elif kind == "button":
            self._keep(element.button.label, element.button.id, message.delta.fragment_id)
        elif kind == "bidi_component" and element.bidi_component.component_name.endswith("browser"):
            self._keep("browser", element.bidi_component.id, message.delta.fragment_id)

    def _keep(self, label: str, id: str, fragment_id: str) -> None:
        self.widgets[label], self.fragments[id] = id, fragment_id

    def labelled(self, start: str) -> str:
        """Return the id of the widget whose label begins with `start`."""
        return next(id for label, id in self.widgets.items() if label.startswith(start))


async def exchange(socket, page: Page, request: BackMsg, measured: Measurements) -> float:
    """Send the message `request`, update the page with the answer, and return how many seconds the answer took.

    Add errors in the answer to the measurements `measured`.
    """
    began, page.text = time.monotonic(), ""
    async for message in messages_of_run(socket, request):
        page.take(message)
        measured.errors += error_in(message)
    return time.monotonic() - began


def id_message(page: Page, browser: str) -> BackMsg:
    """Return the message by which a browser tells the app its id."""
    widget = page.widgets["browser"]
    asked = rerun_message(page, page.fragments[widget])
    asked.rerun_script.widget_states.widgets.add(id=widget, json_value="{}")
    state = asked.rerun_script.widget_states.widgets.add(id=_make_trigger_id(widget, "events"))
    state.json_trigger_value = json.dumps([{"event": "told", "value": [browser, "", ""]}])
    return asked


def press_message(page: Page, label: str) -> BackMsg:
    """Return the message by which a browser says that a button was pressed. `label` is the beginning of its label."""
    widget = page.labelled(label)
    asked = rerun_message(page, page.fragments[widget])
    asked.rerun_script.widget_states.widgets.add(id=widget, trigger_value=True)
    return asked


async def ask_waiting_parts(socket, page: Page, measured: Measurements, waits: list[float]) -> None:
    """Ask once for each part of a page that runs again and again, and add the seconds of each answer to `waits`.

    Add errors to the measurements `measured`.
    """
    for part in [*page.waiting.values()]:
        asked = rerun_message(page, part)
        asked.rerun_script.is_auto_rerun = True
        waits.append(await exchange(socket, page, asked, measured))


def rerun_message(page: Page, fragment_id: str) -> BackMsg:
    """Return the message by which a browser asks for a part of a page to be drawn again."""
    asked = BackMsg()
    asked.rerun_script.page_script_hash, asked.rerun_script.fragment_id = page.hash, fragment_id
    asked.rerun_script.query_string = page.query
    return asked


# --- a student ---


@dataclass(frozen=True)
class Plan:
    """What the visitors of a class need to know: the room, its server, the times, and the event that shows the results.

    The class comes within `arrive` seconds and answers within `seconds`.
    """

    server: Server
    code: str
    arrive: float
    seconds: float
    revealed: asyncio.Event


async def be_student(plan: Plan, number: int, measured: Measurements) -> None:
    """Be student number `number`: come, answer at some time, and wait until the results are shown.

    Come again after a lost connection. Add times, answers and errors to the measurements `measured`.
    """
    browser, begun = new_key(), time.monotonic()
    arrival = random.uniform(0, plan.arrive)
    when = begun + random.uniform(arrival, plan.seconds)
    await asyncio.sleep(arrival)
    for _ in range(RETRIES):
        try:
            await stay_until_results(plan, f"c{number}", browser, when, measured)
            return
        except (ConnectionClosed, OSError, TimeoutError, InvalidHandshake):
            measured.lost_connections += 1
            await asyncio.sleep(random.uniform(0.5, 1.5))
    measured.errors.append(f"student {number} gave up")


async def stay_until_results(plan: Plan, visitor: str, browser: str, when: float, measured: Measurements) -> None:
    """Stay in the room over one connection, from the first view of the question until the results are shown.

    `when` is the time of the answer. `visitor` chooses the server's process, and `browser` is the id of the
    student's browser. Add times and answers to the measurements `measured`.
    """
    page = Page(f"code={plan.code}")
    async with connect_visitor(plan.server, visitor) as socket:
        opened = await exchange(socket, page, opening_message("room", page.query), measured)
        measured.visits.append(opened + await exchange(socket, page, id_message(page, browser), measured))
        while "Right" not in page.text and "Not right" not in page.text:
            if browser not in measured.acknowledged and time.monotonic() > when and not plan.revealed.is_set():
                await answer(socket, page, browser, measured)
            await asyncio.sleep(TICK)
            await ask_waiting_parts(socket, page, measured, measured.ticks)
            if plan.revealed.is_set() and browser not in measured.acknowledged:
                return


async def answer(socket, page: Page, browser: str, measured: Measurements) -> None:
    """Press a random answer, and add to `measured` whether the page acknowledges it.

    If the page offers no answer, add a refusal.
    """
    letter = random.choice(LETTERS)
    if not any(label.startswith(f"**{letter}**") for label in page.widgets):
        measured.refused += 1
        return
    measured.waits.append(await exchange(socket, page, press_message(page, f"**{letter}**"), measured))
    if f"{ARRIVED}** {letter}:" in page.text:
        measured.acknowledged[browser] = letter
    else:
        measured.refused += 1


# --- the lecturer ---


async def lead_class(plan: Plan, key: str, measured: Measurements, n_students: int) -> float:
    """Be the lecturer, who has the key `key`: watch until all students have answered, and then show the results.

    Return the seconds from the press until the bars with the results were drawn. Come again after a lost
    connection. `measured` holds the measurements.
    """
    deadline = time.monotonic() + 4 * plan.seconds
    while True:
        try:
            return await watch_and_reveal(plan, key, measured, n_students, deadline)
        except (ConnectionClosed, OSError, TimeoutError, InvalidHandshake):
            measured.lost_connections += 1
            await asyncio.sleep(1)


async def watch_and_reveal(plan: Plan, key: str, measured: Measurements, n_students: int, deadline: float) -> float:
    """Be the lecturer over one connection: watch until all students have answered, and then show the results.

    Do not wait longer than `deadline`. Return the seconds from the press until the bars with the results were
    drawn.
    """
    page = Page(f"code={plan.code}&key={key}")
    async with connect_visitor(plan.server, "lecturer") as socket:
        await exchange(socket, page, opening_message("room", page.query), measured)
        await exchange(socket, page, id_message(page, new_key()), measured)  # the page waits for the browser's own room
        page.query = f"code={plan.code}"  # the page has removed the key from its address
        while len(measured.acknowledged) < n_students and time.monotonic() < deadline:
            await asyncio.sleep(WATCH)
            await ask_waiting_parts(socket, page, measured, measured.counts)
        took = await exchange(socket, page, press_message(page, "Show the results"), measured)
        counted = Counter(measured.acknowledged.values())
        right = [f"{letter}: " in page.text and f"**{counted[letter]}**" in page.text for letter in LETTERS]
        if not all(right):
            measured.errors.append(f"the bars say {page.text}, and the answers are {counted}")
    plan.revealed.set()
    return took


async def hold_class(
    plan: Plan, key: str, n_students: int, meanwhile: Callable[[], Awaitable[None]]
) -> tuple[Measurements, float]:
    """Let a class answer while `meanwhile` runs.

    Return the measurements of the class, and the seconds from the lecturer's press until the results were drawn.
    """
    seen = Measurements()
    led = asyncio.create_task(lead_class(plan, key, seen, n_students))
    await asyncio.gather(meanwhile(), *(be_student(plan, number, seen) for number in range(n_students)))
    return seen, await led


async def do_nothing() -> None:
    """Do nothing while the class answers."""


# --- what is measured ---


def report(name: str, measured: Measurements, took: float, kept: Counter[str], cpu: float) -> list[str]:
    """Print the measurements `measured` of a class, and return texts about errors and lost answers.

    `took` is how many seconds the bars with the results needed. `kept` counts the answers in the store at the end.
    `cpu` is the share of a processor that the app used.
    """
    lost = Counter(measured.acknowledged.values()) - kept
    print(
        f"{name}: {len(measured.acknowledged)} answers acknowledged, {sum(lost.values())} of them lost; "
        f"95 % within {ms_for_most(measured.visits):.0f} ms to the question, "
        f"{ms_for_most(measured.waits):.0f} ms for a press, {ms_for_most(measured.ticks):.0f} ms for a tick, "
        f"{ms_for_most(measured.counts):.0f} ms for a tick of the lecturer; bars right after {1000 * took:.0f} ms; "
        f"{measured.lost_connections} connections lost, {measured.refused} answers refused and "
        f"sent again; {cpu:.2f} of a core over all of it",
        flush=True,
    )
    return [*measured.errors, *([f"lost: {lost}"] if lost else [])]


def ms_for_most(waits: list[float]) -> float:
    """Return the milliseconds within which 95 % of the answers came."""
    return 1000 * sorted(waits)[int(0.95 * len(waits))] if waits else 0


def one_process(n_students: int, arrive: float, seconds: float) -> list[str]:
    """Let a class answer in one process with a file of SQLite. Return texts about what went wrong.

    The class comes within `arrive` seconds and answers within `seconds`.
    """
    with TemporaryDirectory() as folder, rooms_in(Path(folder)), serve() as server:
        store = database.store()
        code, key = store.open_room(QUESTION, time.time())
        plan = Plan(server, code, arrive, seconds, asyncio.Event())
        before, began = cpu_seconds(server.pid), time.monotonic()
        seen, took = run(hold_class(plan, key, n_students, do_nothing))
        cpu = (cpu_seconds(server.pid) - before) / (time.monotonic() - began)
        kept = Counter(answer for _, answer in store.answers(code, key))
        store.engine.dispose()
    return report("one process", seen, took, kept, cpu)


def hosted_processes(n_students: int, arrive: float, seconds: float) -> list[str]:
    """Let a class answer in three processes with PostgreSQL. Return texts about what went wrong.

    The class comes within `arrive` seconds and answers within `seconds`. Meanwhile one process is killed, and the
    database is stopped at once and started again.
    """
    with postgres() as database_server, secrets_of(database_server.url), behind_nginx() as hosted:
        store = Store.on(database.sql().create_engine(database_server.url, pool_pre_ping=True))
        code, key = store.open_room(QUESTION, time.time())
        plan = Plan(hosted.server, code, arrive, seconds, asyncio.Event())

        async def kill() -> None:
            await asyncio.sleep(seconds / 3)
            os.kill(hosted.processes[0].pid, signal.SIGKILL)
            await asyncio.sleep(seconds / 3)
            database_server.stop_at_once()
            await asyncio.sleep(2)
            database_server.start()

        seen, took = run(hold_class(plan, key, n_students, kill))
        kept = Counter(answer for _, answer in store.answers(code, key))
        store.engine.dispose()
    return report("three processes", seen, took, kept, 0)


@contextmanager
def secrets_of(url: str) -> Iterator[None]:
    """Write the address of a database into the secrets of the user, until the `with` block ends."""
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        (Path(home) / ".streamlit").mkdir()
        (Path(home) / ".streamlit" / "secrets.toml").write_text(f'[connections.rooms]\nurl = "{url}"\n')
        patch.setenv("HOME", home)
        yield


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--arrive", type=float, default=30, help="seconds within which the class comes")
    parser.add_argument("--seconds", type=float, default=60, help="within which the class answers")
    parser.add_argument("--hosted", action="store_true", help="three processes with PostgreSQL, and two accidents")
    chosen = parser.parse_args()
    if chosen.hosted and not (bin_folder() and find_nginx()):
        sys.exit("PostgreSQL or nginx is not installed: apt-get install postgresql nginx")
    wrong = (hosted_processes if chosen.hosted else one_process)(
        chosen.students, min(chosen.arrive, chosen.seconds), chosen.seconds
    )
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()

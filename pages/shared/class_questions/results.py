"""How often each outcome occurred, and how the results are drawn."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import streamlit as st

from pages.shared.class_questions.questions import TEXTS, UNKNOWN, MatrixQuestion, Outcome, Question, question_of
from pages.shared.controls import Parameters
from pages.shared.equation import Line, equation
from pages.shared.rooms.codes import RoomError, RoomsUnavailableError
from pages.shared.rooms.database import store
from pages.shared.rooms.own_room import own_room
from pages.shared.rooms.store import Room
from pages.shared.site.menu import link
from pages.shared.state import session
from pages.shared.task_block.task_equation import answer_and_correct_matrix


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcomes of a round with their counts, and the most frequent wrong answer."""

    counts: tuple[tuple[Outcome, int], ...]
    commonest_wrong: str = ""  # the answer as a student sent it, or "" if none is wrong
    n_waiting: int = 0  # how many answers are not diagnosed yet, and so have no outcome

    @property
    def n_answers(self) -> int:
        """How many answers there are."""
        return sum(count for _, count in self.counts)

    def count_of(self, outcome: Outcome) -> int:
        """Return how many answers have this outcome."""
        return dict(self.counts).get(outcome, 0)


def tally(question: Question, answers: Iterable[str], until: float = inf) -> Tally:
    """Count the outcomes of answers to a question, and find the most frequent wrong answer.

    After the time `until` of this thread's computing, the rest waits. A later call goes on, because outcomes are kept.
    """
    by_answer, outcomes = Counter(answers), dict[str, Outcome]()
    for answer, _ in by_answer.most_common():
        if outcomes and time.thread_time() > until:
            break
        outcomes[answer] = question.outcome(answer)
    counted = Counter({outcome: 0 for outcome in question.expected_outcomes})
    for answer, outcome in outcomes.items():
        counted[outcome] += by_answer[answer]
    ordered = in_order(question, counted)
    wrong = [outcome for outcome, count in ordered if outcome.right is False and count]
    worst = max(wrong, key=lambda outcome: (outcome != UNKNOWN, counted[outcome]), default=None)
    given = [answer for answer, outcome in outcomes.items() if outcome == worst]
    return Tally(tuple(ordered), given[0] if given else "", by_answer.total() - counted.total())


def in_order(question: Question, counts: Counter[Outcome]) -> list[tuple[Outcome, int]]:
    """Return the outcomes with their counts (`counts`) in the order of their bars."""
    first = [(outcome, counts[outcome]) for outcome in question.expected_outcomes]
    others = [(outcome, count) for outcome, count in counts.most_common() if outcome not in question.expected_outcomes]
    return [*first, *sorted(others, key=lambda each: each[0] == UNKNOWN)]


TICK = 1.0  # seconds from one count to the next
COUNTING = 0.2  # seconds of computing in which a tally diagnoses answers, before the page is drawn
AHEAD = 0.05  # seconds of each count in which answers are diagnosed before their outcomes are shown
OVERLAP = 5.0  # seconds whose answers are read twice, because the clocks of several machines differ
SWITCH = 150  # pixels: the width of the link to the switch of a mistake
MARKS = {True: ":material/check: ", False: ":material/close: ", None: ""}


@dataclass(slots=True)
class DiagnosedAnswers:
    """Which answers to the present round have been diagnosed already, before the lecturer reveals the outcomes."""

    round: tuple[str, int] = ("", 0)
    until: float = 0.0

    def begin(self, round: tuple[str, int]) -> None:
        """Begin with the round `round`, a pair of the room's code and the number of the round."""
        if round != self.round:
            self.round, self.until = round, 0.0


@st.fragment(run_every=TICK)
def draw_counts(code: str, number: int) -> None:
    """Draw, once a second, how many people have joined the room `code` and have answered its round `number`."""
    try:
        joined, answered = store().counts(code, number)
        _diagnose_ahead(code, number)
    except (RoomError, RoomsUnavailableError) as error:  # a room may have been deleted meanwhile
        st.markdown(str(error))
        return
    st.markdown(TEXTS.fill("counts", code=code, joined=joined, answered=answered))


def _diagnose_ahead(code: str, number: int) -> None:
    """Diagnose new answers to a round before the lecturer reveals the outcomes. Stop after `AHEAD` seconds."""
    now, ahead = time.time(), session.visitor_object(DiagnosedAnswers)
    room = store().room(code, now)
    if room is None or room.current.number != number or room.current.revealed:
        return
    ahead.begin((code, number))
    question, last = question_of(room.current.question), time.thread_time() + AHEAD
    for answer in store().answers_since(code, own_room().key, number, ahead.until):
        if time.thread_time() > last:
            return
        question.outcome(answer)
    ahead.until = now - OVERLAP


def answers_to(room: Room, number: int) -> list[str]:
    """Return the answers to the round `number` of the visitor's own room, `room`."""
    return [answer for n, answer in store().answers(room.code, own_room().key) if n == number]


def draw_results(room: Room, question: Question, parameters: Parameters) -> None:
    """Draw the outcomes of the last round as bars. While answers wait for their diagnosis, count on once a second."""
    now, before = _tallies(room, question)
    if _n_waiting(now, before):
        _count_on(room, question, now, before)
        return
    _bars(now, before)
    if isinstance(question, MatrixQuestion) and now.commonest_wrong:
        _commonest_wrong(question, now, parameters)


def _tallies(room: Room, question: Question) -> tuple[Tally, Tally | None]:
    """Return the tally of the last round and, if the round before asked the same, its tally too."""
    until, before = time.thread_time() + COUNTING, None
    now = tally(question, answers_to(room, room.current.number), until)
    if len(room.rounds) > 1 and room.rounds[-2].question == room.current.question:
        before = tally(question, answers_to(room, room.rounds[-2].number), until)
    return now, before


def _n_waiting(now: Tally, before: Tally | None) -> int:
    return now.n_waiting + (before.n_waiting if before else 0)


def _count_on(room: Room, question: Question, now: Tally, before: Tally | None) -> None:
    """Draw what is counted so far, and once a second more of it. When all is counted, draw the page again."""
    is_first = True

    @st.fragment(run_every=TICK)
    def count() -> None:
        nonlocal is_first
        tallies = (now, before) if is_first else _tallies(room, question)
        is_first = False
        if not _n_waiting(*tallies):
            st.rerun()
        st.markdown(TEXTS.fill("still_counting", n_waiting=_n_waiting(*tallies)))
        _bars(*tallies)

    count()


def _bars(now: Tally, before: Tally | None) -> None:
    outcomes = tuple(_outcomes(now, before))
    beside = SWITCH if any(outcome.page for outcome in outcomes) else 0
    with st.container(key="room_bars", gap="small"):
        for outcome in outcomes:
            _bar(outcome, now, before, beside)


def _outcomes(now: Tally, before: Tally | None) -> Iterable[Outcome]:
    return dict.fromkeys(outcome for each in (now, before) if each for outcome, _ in each.counts)


def _bar(outcome: Outcome, now: Tally, before: Tally | None, link_width: int) -> None:
    """Draw one outcome: its bar, its bar in the round before, and a link to the switch of its mistake."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        with st.container(gap="xxsmall", width="stretch"):
            name = f"{MARKS[outcome.right]}{outcome.name}"
            if before:
                first, then = before.count_of(outcome), now.count_of(outcome)
                _one_bar(TEXTS.fill("first_time", outcome=name, n=first), outcome, before)
                _one_bar(TEXTS.fill("second_time", n=then), outcome, now)
            else:
                _one_bar(TEXTS.fill("only_time", outcome=name, n=now.count_of(outcome)), outcome, now)
        if link_width:
            with st.container(width=link_width):
                if outcome.page:
                    link(outcome.page, TEXTS.fill("switch_it_on"), {"mistake": outcome.mistake}, icon="toggle_on")
                else:
                    st.space()  # because Streamlit does not draw an empty container


def _one_bar(text: str, outcome: Outcome, counted: Tally) -> None:
    st.progress(counted.count_of(outcome) / max(1, counted.n_answers), text)


def _commonest_wrong(question: MatrixQuestion, answer_counts: Tally, parameters: Parameters) -> None:
    named = question.outcome(answer_counts.commonest_wrong)
    wrong, right = answer_and_correct_matrix(question.task, question.numbers(answer_counts.commonest_wrong))
    st.markdown(TEXTS.fill("commonest_wrong_answer", outcome=named.name, why=named.why))
    lines = [Line((wrong,), TEXTS.fill("as_it_was_answered")), Line((right,), TEXTS.fill("right"))]
    equation(lines, "answer", parameters, abreast=True)

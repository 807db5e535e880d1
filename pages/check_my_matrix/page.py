"""The page “Check my matrix”: paste a result that looks wrong, and read which mistake gives exactly these numbers."""

import streamlit as st

from pages.check_my_matrix import computed, entering, problem, reading, remedy, verdict
from pages.check_my_matrix.code import code, mending_lines
from pages.check_my_matrix.mistakes import likely
from pages.check_my_matrix.numbers import TEXTS, Case
from pages.shared import controls, panel
from pages.shared.equation import equation, selected_cell
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.site.page import Page
from pages.shared.state import session
from pages.shared.state.widgets import reserve_container

PASTE = "[[0.12 0.88]\n [0.50 0.50]]"


@controls.declare(TEXTS)
class CheckMyMatrix(controls.Parameters):
    """The parameters of the page “Check my matrix”."""

    source: str = controls.choice("example", "weights", "queries", "scores", "embeddings")
    asked: str = controls.choice(*problem.ATTENTION, "mixed", "encoding", default="output")
    mask: str = controls.choice("none", "causal", "causal_at_end", "padding", "window", "own")
    hidden: str = controls.text(default="", longest=200)
    window: int = controls.slider(1, 16, step=1, default=2)
    own_mask: str = controls.text_area()
    ones_hide: bool = controls.switch()
    scale: str = controls.choice("usual", "none", "own")
    factor: str = controls.text(default="", longest=30)
    positions: str = controls.choice("none", "rotary_pairs", "rotary_halves", "alibi")
    base: str = controls.text(default=problem.USUAL_BASE, longest=30)
    slope: str = controls.text(default="", longest=30)
    kv_heads: str = controls.choice("0", "1", "2", "4")
    head: str = controls.choice(*problem.HEADS)
    heads: str = controls.choice("1", "2", "4", "8")
    answer: str = controls.text_area(placeholder=PASTE)
    steps: bool = controls.switch()
    given_q: str = controls.text_area()
    given_k: str = controls.text_area()
    given_v: str = controls.text_area()
    given_scores: str = controls.text_area()
    given_scaled: str = controls.text_area()
    given_weights: str = controls.text_area()
    given_concat: str = controls.text_area()
    given_exponents: str = controls.text_area()
    given_angles: str = controls.text_area()
    own_x: str = controls.text_area()
    own_w_q: str = controls.text_area()
    own_w_k: str = controls.text_area()
    own_w_v: str = controls.text_area()
    own_b_q: str = controls.text_area()
    own_b_k: str = controls.text_area()
    own_b_v: str = controls.text_area()
    own_w_o: str = controls.text_area()
    own_q: str = controls.text_area()
    own_k: str = controls.text_area()
    own_v: str = controls.text_area()
    own_scores: str = controls.text_area()


def lesson(parameters: CheckMyMatrix, example):
    st.markdown(TEXTS.fill("introduction"))
    given_problem = computed.problem_or_question(parameters, example)
    draw_inputs(parameters)
    with reserve_container("given"):
        if not isinstance(given_problem, str):
            editable = parameters.source == "example"
            equation(remedy.given_lines(given_problem, parameters.source), "given", parameters, tools=editable)
    draw_settings(parameters, example)
    with reserve_container("result"):
        if isinstance(given_problem, str):
            st.info(given_problem, icon=":material/edit:")
            entering.draw_file(parameters)
        else:
            result(parameters, given_problem)
            entering.draw_hidden_mistakes(parameters, given_problem)
            if entering.is_for_this_task(parameters, example):
                diagnosis(parameters, given_problem, reading.read(parameters, "answer"))
            else:
                entering.ask_whether_to_check(parameters, example)


def draw_inputs(parameters):
    """Draw the choice of the inputs and, if the visitor gives the inputs, the fields for them."""
    panel.draw(parameters, "source", "source", *["heads"] * (parameters.source == "weights"))
    with reserve_container("own_numbers"):
        _areas(parameters, *problem.needed_texts(parameters))
        if len(problem.needed_texts(parameters)) > 1 and parameters.source == "weights":
            with st.expander(TEXTS.fill("biases_and_output_weights")):
                _areas(parameters, *problem.ADDED)


def draw_settings(parameters, example):
    """Draw two groups of widgets: which matrix the visitor has computed, and the other settings of the problem."""
    possible = problem.ASKED[parameters.source]
    with reserve_container("asked"):
        if len(possible) > 1:
            panel.draw(
                parameters, "asked", panel.some_of(parameters, "asked", problem.asked_stage(parameters), possible)
            )
    with reserve_container("setting"):
        problem.draw(parameters, problem.asked_stage(parameters), problem.heads_of(parameters, example))


def result(parameters, given_problem):
    st.markdown(problem.task_text(parameters, given_problem))
    reading.draw_area(parameters, "answer", height=160)
    entering.draw_buttons(parameters, given_problem)
    if parameters.steps:
        _areas(parameters, *(f"given_{stage}" for stage in given_problem.earlier_stages))


def diagnosis(parameters, given_problem, answer):
    """Draw what is wrong with an answer (None: there is none yet), and the arithmetic of the selected cell."""
    cell, note = None, ""
    if answer is not None:
        above = st.container()  # filled later, because the diagnosis takes longer than the numbers
        equation(remedy.answer_lines(given_problem, answer, parameters.source), "answer", parameters, abreast=True)
        found = computed.diagnosis_of(parameters, given_problem)
        case = Case(parameters, given_problem, answer, found)
        with above:
            verdict.show(case, mending_lines)
        selected = session.visit().cell
        place = selected or _first_cell_to_check(case)
        cell = None if selected or place is None else remedy.explain_cell(given_problem, place)
        note = remedy.your_number_text(given_problem, answer, place)
    selected_cell.hint_and_arithmetic(
        given_problem.example.tokens, given_problem.example.key_tokens, parameters,
        cell=cell, note=note,
    )  # fmt: skip


def _first_cell_to_check(case: Case):
    for mistake in likely(case.found, case.problem)[:1]:
        stage, *cell = remedy.place_to_begin(case.problem, case.answer, mistake)
        return (matrix_id_of_stage(stage), *cell)
    return remedy.first_wrong_place(case.problem, case.found)


def _areas(parameters, *names):
    if names:
        with st.container(horizontal=True, gap="small"):
            for name in names:
                reading.draw_area(parameters, name, width=300)


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(lesson,),
    code=code,
    parameters=CheckMyMatrix,
)

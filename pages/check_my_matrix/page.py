"""The page “Check my matrix”: paste a result that looks wrong, and read which mistake gives exactly these numbers."""

import streamlit as st

from attention_core.diagnosis.pasted import diagnose_pasted
from pages.check_my_matrix import entering, problem, reading, remedy, setting, verdict
from pages.check_my_matrix.code import code, mending_lines
from pages.shared import controls
from pages.shared.equation import equation, selected_cell
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.site.page import Page
from pages.shared.state import session, widgets
from pages.shared.state.widgets import reserve_container

PASTE = "[[0.12 0.88]\n [0.50 0.50]]"


def own_matrix_field(label):
    return controls.text_area(label)


@controls.declare
class CheckMyMatrix(controls.Parameters):
    """The parameters of the page “Check my matrix”."""

    source: str = controls.choice(
        "What did you compute your result from?",
        {
            "example": "The numbers of the example",
            "weights": "My X and W",
            "queries": "My Q, K, V",
            "scores": "My scores",
            "embeddings": "My X, for its positions",
        },
    )
    asked: str = controls.choice(
        "What should the result be?",
        {
            "q": "Q", "k": "K", "v": "V", "scores": "Scores", "scaled": "Scaled", "weights": "Weights",
            "output": "Output", "mixed": "All heads · Wᴼ", "encoding": "Positions",
        },
        default="output",
    )  # fmt: skip
    mask: str = controls.choice("Mask", setting.MASKS)
    hidden: str = controls.text("Hidden keys, counted from 1", default="", longest=200)
    window: int = controls.slider("Tokens in the window", 1, 16, step=1, default=2)
    own_mask: str = own_matrix_field("Your mask")
    ones_hide: bool = controls.switch("In my mask, 1 or True hides a key")
    scale: str = controls.choice("Factor of the scores", setting.SCALES)
    factor: str = controls.text("The factor", default="", longest=30)
    positions: str = controls.choice("Positions within the scores", setting.KINDS)
    base: str = controls.text("Base of the rotation", default=setting.USUAL_BASE, longest=30)
    slope: str = controls.text("Slope (leave empty for the usual one)", default="", longest=30)
    kv_heads: str = controls.choice("Heads of keys and values", setting.KV_HEADS)
    head: str = controls.choice("Which head by itself?", setting.HEADS)
    heads: str = controls.choice("Heads", {"1": "1", "2": "2", "4": "4", "8": "8"})
    answer: str = controls.text_area("Your result", help=entering.FORMATS, placeholder=PASTE)
    steps: bool = controls.switch(
        "I have earlier steps",
        help="Paste the matrices of these steps. The page then finds each wrong step, and says what happened in it.",
    )
    given_q: str = own_matrix_field("Your queries Q")
    given_k: str = own_matrix_field("Your keys K")
    given_v: str = own_matrix_field("Your values V")
    given_scores: str = own_matrix_field("Your scores")
    given_scaled: str = own_matrix_field("Your scaled scores")
    given_weights: str = own_matrix_field("Your attention weights")
    given_concat: str = own_matrix_field("Your heads, side by side")
    given_exponents: str = own_matrix_field("Your exponents, a row")
    given_angles: str = own_matrix_field("Your angles")
    own_x: str = own_matrix_field("X")
    own_w_q: str = own_matrix_field("W_Q")
    own_w_k: str = own_matrix_field("W_K")
    own_w_v: str = own_matrix_field("W_V")
    own_b_q: str = own_matrix_field("b_Q")
    own_b_k: str = own_matrix_field("b_K")
    own_b_v: str = own_matrix_field("b_V")
    own_w_o: str = own_matrix_field("W_O")
    own_q: str = own_matrix_field("Q")
    own_k: str = own_matrix_field("K")
    own_v: str = own_matrix_field("V")
    own_scores: str = own_matrix_field("Scores")


def lesson(parameters: CheckMyMatrix, example):
    st.markdown(
        "Most checkers say “wrong”. This page compares your result with what hundreds of known mistakes give for the "
        "same numbers. If one of them gives your numbers, the page names it."
    )
    given_problem = problem.problem_or_question(parameters, example)
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
            if reading.is_for_this_task(parameters, example):
                diagnosis(parameters, given_problem, reading.read(parameters, "answer"))
            else:
                reading.ask_whether_to_check(parameters, example)


def draw_inputs(parameters):
    """Draw the choice of the inputs and, if the visitor gives the inputs, the fields for them."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "source")
        if parameters.source == "weights":
            widgets.draw(parameters, "heads")
    with reserve_container("own_numbers"):
        _areas(parameters, *problem.needed_texts(parameters))
        if len(problem.needed_texts(parameters)) > 1 and parameters.source == "weights":
            with st.expander("Biases and output weights"):
                _areas(parameters, *problem.ADDED)


def draw_settings(parameters, example):
    """Draw two groups of widgets: which matrix the visitor has computed, and the other settings of the problem."""
    possible = problem.ASKED[parameters.source]
    with reserve_container("asked"):
        if len(possible) > 1:
            widgets.draw_choice_of(parameters, "asked", problem.asked_stage(parameters), possible)
    with reserve_container("setting"):
        setting.draw(parameters, problem.asked_stage(parameters), problem.heads_of(parameters, example))


def result(parameters, given_problem):
    st.markdown(problem.task_text(parameters, given_problem))
    reading.draw_area(parameters, "answer", height=160)
    entering.draw_buttons(parameters, given_problem)
    if parameters.steps:
        _areas(parameters, *(f"given_{stage}" for stage in given_problem.earlier_stages))


def diagnosis(parameters, given_problem, answer):
    """Draw what is wrong with an answer, and the arithmetic of the selected cell (or of `_first_cell_to_check`).

    `given_problem` is the visitor's task, and `answer` is the visitor's matrix, or None if there is none yet.
    """
    cell, note = None, ""
    if answer is not None:
        above = st.container()  # filled later, because the diagnosis takes longer than the numbers
        equation(remedy.answer_lines(given_problem, answer, parameters.source), "answer", parameters, abreast=True)
        found = diagnose_pasted(given_problem, answer, problem.pasted_steps(parameters, given_problem))
        with above:
            verdict.show(parameters, given_problem, answer, found, mending_lines)
        selected = session.visit().cell
        place = selected or _first_cell_to_check(given_problem, answer, found)
        cell = None if selected or place is None else remedy.explain_cell(given_problem, place)
        note = remedy.your_number_text(given_problem, answer, place)
    selected_cell.hint_and_arithmetic(
        given_problem.example.tokens, given_problem.example.key_tokens, parameters,
        cell=cell, editable=parameters.source == "example", note=note,
    )  # fmt: skip


def _first_cell_to_check(given_problem, answer, found):
    """Return the first cell to look at, as (matrix id, row, column). `found` is the diagnosis of `answer`.

    If `found` names a mistake, this is the first cell to correct. Otherwise it is the first wrong cell.
    """
    for mistake in verdict.likely(found, given_problem)[:1]:
        stage, *cell = remedy.place_to_begin(given_problem, answer, mistake)
        return (
            remedy.symbol_of(given_problem) if stage == given_problem.stage else matrix_id_of_stage(stage),
            *cell,
        )
    return remedy.first_wrong_place(given_problem, found)


def _areas(parameters, *names):
    if names:
        with st.container(horizontal=True, gap="small"):
            for name in names:
                reading.draw_area(parameters, name, width=300)


PAGE = Page(
    module=__name__,
    parts=(lesson,),
    code=code,
    parameters=CheckMyMatrix,
    concept="Check my matrix",
    question="Which mistake gives exactly my numbers?",
    sources=(
        "[Brown & Burton 1978, on mistakes as procedures](https://doi.org/10.1207/s15516709cog0202_4)",
        "The notebooks’ errata and the public threads that each mistake names",
    ),
)

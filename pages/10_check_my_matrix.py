"""Check my matrix: paste a result that came out wrong, and read which mistake gives exactly these numbers."""

import streamlit as st

from attention_core.diagnosis.pasted import check, mistaken
from attention_core.reading.matrix_text import MOST_SIDE
from attention_core.slips.rare import every_slip
from pages.shared import controls
from pages.shared.codes.check_my_matrix import code
from pages.shared.equation import equation, selected_cell
from pages.shared.lessons.check_my_matrix import hidden, pasted_equation, problem, reading, remedy, verdict
from pages.shared.notation.symbols import shown_as
from pages.shared.site.page import Page
from pages.shared.state import session, widgets
from pages.shared.state.places import place

FORMATS = (
    "A print-out of NumPy, PyTorch, pandas, R, Octave or Julia, a list, JSON, CSV, cells of a spreadsheet, or LaTeX; "
    "to 64×64."
)
PASTE = "[[0.12 0.88]\n [0.50 0.50]]"


def own(label):
    return controls.text_area(label)


@controls.declare
class CheckMyMatrix(controls.Parameters):
    """What can be set on this page."""

    source: str = controls.choice(
        "Start from",
        {"example": "The example", "weights": "X and W", "queries": "Q, K, V", "scores": "Scores"},
        help="Something else than the example: paste your own.",
    )
    asked: str = controls.choice(
        "What should the result be?",
        {
            "q": "Q", "k": "K", "v": "V", "scores": "Scores", "scaled": "Scaled", "weights": "Weights",
            "output": "Output", "mixed": "All heads · Wᴼ", "encoding": "Positions",
        },
        default="output",
    )  # fmt: skip
    mask: str = controls.choice("Mask", {"none": "None", "causal": "Causal"})
    heads: str = controls.choice("Heads", {"1": "1", "2": "2", "4": "4", "8": "8"})
    answer: str = controls.text_area("Your result", help=FORMATS, placeholder=PASTE)
    steps: bool = controls.switch("I have steps before it", help="The first step that departs is found.")
    given_q: str = own("Your queries Q")
    given_k: str = own("Your keys K")
    given_v: str = own("Your values V")
    given_scores: str = own("Your scores")
    given_scaled: str = own("Your scaled scores")
    given_weights: str = own("Your attention weights")
    given_concat: str = own("Your heads, side by side")
    given_exponents: str = own("Your exponents, a row")
    given_angles: str = own("Your angles")
    own_x: str = own("X")
    own_w_q: str = own("W_Q")
    own_w_k: str = own("W_K")
    own_w_v: str = own("W_V")
    own_b_q: str = own("b_Q")
    own_b_k: str = own("b_K")
    own_b_v: str = own("b_V")
    own_w_o: str = own("W_O")
    own_q: str = own("Q")
    own_k: str = own("K")
    own_v: str = own("V")
    own_scores: str = own("Scores")


def lesson(parameters: CheckMyMatrix, example):
    st.markdown(
        f"Most checkers say “wrong”. This page makes {len(every_slip())} known mistakes with the same numbers, and "
        "many pairs of the usual ones. If one gives your numbers, it is named."
    )
    this = problem.posed(parameters, example)
    with place("given"):
        if not isinstance(this, str):
            editable = parameters.source == "example"
            equation(pasted_equation.given_lines(this, parameters.source), "given", parameters, tools=editable)
    choices(parameters)
    with place("result"):
        if isinstance(this, str):
            st.info(this, icon=":material/edit:")
        else:
            result(parameters, this)
            _hidden(parameters, this)
            diagnosis(parameters, this, reading.read(parameters, "answer"))


def choices(parameters):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "source", "mask")
        if parameters.source == "weights":
            widgets.draw(parameters, "heads")
    with place("own_numbers"):
        _areas(parameters, *problem.needed(parameters))
        if len(problem.needed(parameters)) > 1 and parameters.source == "weights":
            with st.expander("Biases and output weights"):
                _areas(parameters, *problem.ADDED)
    possible = problem.ASKED[parameters.source]
    with place("asked"):
        if len(possible) > 1:
            widgets.draw_choice_of(parameters, "asked", problem.asked(parameters), possible)


def result(parameters, this):
    reading.area(parameters, "answer", height=160)
    empty = not parameters.answer.strip()
    if empty:
        st.caption(parameters.in_layout(f"{FORMATS} A token a row, as “Tokens are” says in the sidebar."))
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if empty:
            _offer(parameters, this)
        if this.earlier:
            widgets.draw(parameters, "steps")
    if parameters.steps:
        _areas(parameters, *(f"given_{stage}" for stage in this.earlier))


def diagnosis(parameters, this, answer):
    """Show the diagnosis of an answer, and the arithmetic of the selected number, or else of the first wrong one."""
    cell, note = None, ""
    if answer is not None:
        above = st.container()  # a diagnosis takes longer than to show the numbers
        equation(pasted_equation.answer_lines(this, answer, parameters.source), "answer", parameters, abreast=True)
        found = check(this, answer, problem.given(parameters, this))
        with above:
            verdict.show(parameters, this, answer, found)
        selected = session.visit().cell
        place = selected or _where(this, found)
        cell = None if selected or place is None else pasted_equation.explained(this, place)
        note = pasted_equation.beside(this, answer, place)
    selected_cell.hint_and_arithmetic(
        this.example.tokens, this.example.key_tokens, parameters,
        cell=cell, editable=parameters.source == "example", note=note,
    )  # fmt: skip


def _where(this, found):
    """Return where a mistake that is named begins, if its arithmetic is known, or else the first wrong number."""
    for slip in verdict.likely(found)[:1]:
        stage, *cell = remedy.first_changed(this, slip)
        begins = (shown_as(stage), *cell)
        if pasted_equation.explained(this, begins):
            return begins
    return pasted_equation.first_wrong(this, found)


def _hidden(parameters, this):
    """Say which mistakes these numbers hide, whatever is pasted."""
    said = hidden.said(this)
    with place("hidden"):
        if said:
            st.caption(parameters.in_layout(said))


def _offer(parameters, this):
    """A wrong result to try it with."""
    wrong = mistaken(this)
    if wrong is None or max(this.right.shape) > MOST_SIDE:
        return
    matrix, slip = wrong
    whose = "a" if all("#" in source for source in slip.sources) else "a notebook’s"
    text = reading.written(parameters, matrix)
    label = f"Try it with {whose} wrong result"
    widgets.step_button(label, "answer", text, icon=":material/science:", disabled=False)


def _areas(parameters, *names):
    if names:
        with st.container(horizontal=True, gap="small"):
            for name in names:
                reading.area(parameters, name, width=300)


PAGE = Page(
    module=__name__,
    parts=(lesson,),
    code=code,
    parameters=CheckMyMatrix,
    concept="Check my matrix",
    question="Which mistake gives exactly my numbers?",
    group="Practice",
    icon="troubleshoot",
    sources=(
        "[Brown & Burton 1978, on mistakes as procedures](https://doi.org/10.1207/s15516709cog0202_4)",
        "The notebooks’ errata and the public threads that each mistake names",
    ),
)

"""How a visitor enters the result: by hand, from a file, from a program; and to which task it belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from attention_core.diagnosis.pasted import Problem, wrong_result_to_try
from attention_core.examples import Example
from attention_core.reading.files import KINDS, text_of_file
from pages.check_my_matrix import mistakes
from pages.check_my_matrix.numbers import TEXTS
from pages.check_my_matrix.problem import needed_texts
from pages.check_my_matrix.reading import literal_quotes
from pages.shared.controls import controls_of
from pages.shared.notation.prose import literal, matrix_as_text
from pages.shared.state import session, widgets
from pages.shared.state.widgets import reserve_container


class Program(NamedTuple):
    """A kind of program that computes attention: the section about it, and lines of code that print its matrices."""

    about: str
    code: str


_QKV = "Q = {qAT}\\nK = {kAT}\\nV = {vAT}\\nmask = causal\\nscale = {q.shape[-1] ** -0.5}\\noutput = {outputAT}"
_OF_ONE, _OF_FIRST = _QKV.replace("AT", ""), _QKV.replace("AT", "[0, 0]")
_NUMPY = f'np.set_printoptions(threshold=10_000, suppress=True, precision=6)\nprint(f"{_OF_ONE}")'
_TORCH = "torch.set_printoptions(threshold=10_000, sci_mode=False, precision=6, linewidth=10_000)"
PROGRAMS = {
    "numpy": Program("about_numpy", _NUMPY),
    "jax": Program("about_jax", _NUMPY),
    "function": Program("about_function", f'{_TORCH}\nprint(f"{_OF_FIRST}")'),
    "layer": Program(
        "about_layer",
        f"{_TORCH}; (w_q, w_k, w_v), (b_q, b_k, b_v) = layer.in_proj_weight.chunk(3), layer.in_proj_bias.chunk(3)\n"
        'print(f"X = {x[0]}\\nW_q = {w_q.T}\\nW_k = {w_k.T}\\nW_v = {w_v.T}\\nb_q = {b_q}\\nb_k = {b_k}\\n'
        "b_v = {b_v}\\nW_o = {layer.out_proj.weight.T}\\nn_heads = {layer.num_heads}\\n"
        'mask = causal\\noutput = {output[0] - layer.out_proj.bias}")',
    ),
    "transformers": Program(
        "about_transformers",
        f'{_TORCH}\nprint("\\n".join(f"{{name}} = {{value.data}}" for name, value in attn.named_parameters()), '
        'f"\\nn_heads = {attn.config.num_attention_heads}\\nn_kv_heads = {attn.config.num_key_value_heads}\\n'
        "mask = causal\\npositions = rotary_halves\\nbase = {attn.config.rope_parameters['rope_theta']}\\n"
        'X = {x[0]}\\noutput = {output[0]}")',
    ),
}


def draw_from_program() -> None:
    """Draw a closed expander with lines of code that print the matrices of a program."""
    title = TEXTS.fill("from_a_program")
    expander = st.expander(title, icon=":material/print:", key="from_program", on_change="rerun")
    if not expander.open:
        return
    with expander:
        named = TEXTS.words("programs")
        chosen = PROGRAMS[st.selectbox(named.label, PROGRAMS, format_func=named.options.__getitem__)]
        st.markdown(TEXTS.fill("how_to_print", about=TEXTS.fill(chosen.about)))
        st.code(chosen.code, language=None, wrap_lines=True)  # the highlighter’s colours lack contrast


MOST_OFFERED = 64  # rows or columns: the text of a larger matrix is too long for a link


def draw_buttons(parameters: Any, problem: Problem) -> None:
    """Draw the buttons that check a result or fill one in, the switch for earlier steps, and the field for a file."""
    is_empty = not parameters.answer.strip()
    if is_empty:
        st.caption(parameters.say(TEXTS, "what_can_be_pasted"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        # A browser sends a text when the visitor leaves its field, so any button will do.
        st.button(TEXTS.fill("check_it"), type="primary", icon=":material/search_check:", key="check_it")
        if is_empty:
            _draw_offer(parameters, problem)
        if problem.earlier_stages:
            widgets.draw(parameters, "steps")
    draw_file(parameters)


def draw_file(parameters: Any) -> None:
    """Draw a field for a file, whose matrix goes to the text area that is chosen, and code that prints a matrix."""
    fields = controls_of(type(parameters))
    labels = {name: fields[name].label for name in ("answer", *needed_texts(parameters))}
    with st.expander(TEXTS.fill("from_a_file"), expanded=bool(st.session_state.get("matrix_file"))):
        to = TEXTS.fill("the_file_goes_to")
        field = st.selectbox(to, labels, format_func=labels.__getitem__, key="file_field")
        came = st.file_uploader(
            TEXTS.fill("a_matrix_or_several"),
            type=list(KINDS),
            max_upload_size=1,
            key="matrix_file",
            on_change=_take_file,
        )
        if came:
            _say_of(labels[field], came.name)
    draw_from_program()


@dataclass(slots=True)
class FileRefusal:
    """Why the last file could not be read, or "" if it could. A file is read once, and not each time it is drawn."""

    why: str = ""


def _take_file() -> None:
    """Write the matrix of a new file into the text area that the visitor has chosen, or keep why it is unreadable."""
    came, refusal = st.session_state.get("matrix_file"), session.visitor_object(FileRefusal)
    if not came:
        return
    try:
        text = text_of_file(came.name, came.getvalue())
    except ValueError as error:
        refusal.why = str(error)
        return
    refusal.why = ""
    session.clear_seen_notices()
    session.set_parameters(**{st.session_state["file_field"]: text})


def _say_of(label: str, name: str) -> None:
    if why := session.visitor_object(FileRefusal).why:
        st.error(literal_quotes(why), icon=":material/error:")
    else:
        st.caption(TEXTS.fill("file_went_to", file=literal(name), field=label))


def draw_hidden_mistakes(parameters: Any, problem: Problem) -> None:
    """Draw a sentence that names the mistakes which no result of this task can show, if there are any."""
    text = mistakes.hidden_mistakes_text(parameters, problem)
    with reserve_container("hidden"):
        if text:
            st.caption(text)


def _draw_offer(parameters: Any, problem: Problem) -> None:
    """Draw a button that fills in a wrong result to try, if there is one that is not too large."""
    wrong = wrong_result_to_try(problem)
    if wrong is None or max(problem.correct_result.shape) > MOST_OFFERED:
        return
    matrix, mistake = wrong
    is_public = all("#" in source for source in mistake.sources)  # a thread, and no notebook
    label = TEXTS.fill("try_a_wrong_result" if is_public else "try_a_notebooks_wrong_result")
    text = matrix_as_text(matrix, columns=parameters.columns)
    widgets.step_button(label, "answer", text, icon=":material/science:", disabled=False)


@dataclass(slots=True)
class PastedResult:
    """The last pasted result, and the task to which it belongs: its given matrices and its example."""

    text: str = ""
    task: tuple[str, str] = ("", "")
    title: str = ""


def is_for_this_task(parameters: Any, example: Example) -> bool:
    """Return whether the pasted result belongs to the present task, perhaps because a button was pressed."""
    held, text = session.visitor_object(PastedResult), parameters.answer.strip()
    if text != held.text:
        held.text, held.task, held.title = text, _task(parameters, example), example.title
    return not text or held.task == _task(parameters, example)


def ask_whether_to_check(parameters: Any, example: Example) -> None:
    """Draw a message that names the task of the pasted result, and a button that checks it for the present task."""
    held = session.visitor_object(PastedResult)

    def check_here() -> None:
        held.task = _task(parameters, example)

    said = TEXTS.fill("pasted_for_another_example", old=held.title, new=example.title)
    st.info(said, icon=":material/swap_horiz:")
    label = TEXTS.fill("check_old_result")
    st.button(label, icon=":material/check:", key="check_old_result", on_click=check_here)


def _task(parameters: Any, example: Example) -> tuple[str, str]:
    return parameters.source, example.name if parameters.source == "example" else ""

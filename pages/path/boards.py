"""The picture of each screen of the path, and how it moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
import streamlit.components.v2 as components

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.experiments.positions import embed_positions
from attention_core.experiments.training import attention_in_two_orders, path_steps
from attention_core.language_model.shipped import shipped_reading
from pages.path.next_word import (
    added_output_lines,
    block_bars_html,
    block_flow_html,
    block_table,
    loss_table,
    next_lines,
    nudge_table,
    probabilities_html,
    query_matrix_lines,
    step_formula,
)
from pages.path.numbers import (
    HEAD,
    HELPER,
    TEXT,
    experiment_bars,
    experiment_table,
    hidden_word_table,
    mistakes_code,
    mistakes_table,
)
from pages.path.story import IT, STORY_BOARDS, TEXTS, TRIALS, Board, bare_matrix, box_lines, draw_boxes
from pages.shared.equation import Line, Matrix, Sign, equation, matrices_of
from pages.shared.equation.matrices import attention_matrices, head_matrices
from pages.shared.equation.model import Labels, labels_of
from pages.shared.notation.prose import code_html
from pages.shared.scene_files.screens import Screen
from pages.shared.state.widgets import reserve_container
from pages.shared.words import words

DRANK = 1


def _heads(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    m, row = head_matrices(example, example.multi_head()), IT if tries % 2 else DRANK
    query = m["q"].row(row, f"q_{row + 1}")
    cut = Line((query, m["k"]), TEXTS.fill("halves_of_heads", token=example.tokens[row]))
    if not revealed:
        return [cut]
    averaged = (m["v"], Sign(TEXTS.fill("averaged"), arrow=True), m["concat"].row(row, f"z_{row + 1}"))
    alone = attention_matrices(example, example.attention())["output"].with_suffix("_alone", ("output",))
    return [
        cut,
        *(_in_one_head(m, head, row) for head in (0, 1)),
        Line(averaged, TEXTS.fill("averages_of_heads")),
        Line((replace(alone.row(row, "z"), computation=None),), TEXTS.fill("one_head_for_comparison")),
    ]


def _in_one_head(m: Mapping[str, Matrix], head: int, row: int) -> Line:
    scores, weights = m[f"scores.{head}"].row(row, f"s_{row + 1}"), m[f"weights.{head}"].row(row, f"a_{row + 1}")
    said = TEXTS.fill("scores_in_one_head", number=head + 1)
    return Line((scores, Sign("÷ √2, softmax", arrow=True), weights), said)


def _order(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    placed = bool(tries % 2)
    orders = attention_in_two_orders(example, positions=placed)
    of_first, of_second = _labels_of_orders(placed=placed)
    first = _output(example, orders.original, "_first", of_first)
    second = _output(_in_other_order(example), orders.shuffled, "_second", of_second)
    return [*_position_rows(example)[:placed], first, *[second] * revealed]


def _labels_of_orders(*, placed: bool) -> tuple[str, str]:
    if placed:
        return TEXTS.fill("first_text_with_positions"), TEXTS.fill("other_order_with_positions")
    return TEXTS.fill("first_text"), TEXTS.fill("other_order")


def _position_rows(example: Example) -> list[Line]:
    encoding = embed_positions(example.x, root=False).encoding
    positions = tuple(TEXTS.fill("position", n=n) for n in range(1, len(encoding) + 1))
    numbered = Labels(row_labels=positions, column_labels=example.names.x)
    return [Line((bare_matrix("sinusoidal", encoding, numbered),), TEXTS.fill("position_rows"))]


@cache_recent
def _in_other_order(example: Example) -> Example:
    """Return the example with its first and third token swapped, so that labels of its matrices are in this order."""
    order = attention_in_two_orders(example, positions=False).order
    tokens, x = tuple(example.tokens[i] for i in order), example.x[list(order)]
    return replace(example, tokens=tokens, x=x, sentence="")


def _output(example: Example, trace: SelfAttentionTrace, suffix: str, label: str) -> Line:
    """Return the equation “weights · values = output” for the word “it”; `suffix` ends the ids of its matrices."""
    m = attention_matrices(example, trace)
    weights, v, output = (m[name].with_suffix(suffix, m) for name in ("weights", "v", "output"))
    return Line((weights.row(IT, "a_5"), "·", v, "=", output.row(IT, "z_5")), label)


def _mask(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    steps = path_steps(example)
    plain = attention_matrices(example, steps.attention)["weights"].with_sums("rows")
    if not revealed:
        return [Line((plain,), TEXTS.fill("without_mask"))]
    if tries % 2:
        late = bare_matrix("weights_late", steps.masked_late, labels_of("scores", example, 0)).with_sums("rows")
        to_0 = Sign(TEXTS.fill("later_words_to_0"), arrow=True)
        return [Line((plain, to_0, late), TEXTS.fill("mask_too_late"))]
    m = attention_matrices(example, steps.masked)
    masked, weights = (m[name].with_suffix("_causal", m) for name in ("masked", "weights"))
    shown = (masked, Sign("softmax", arrow=True), weights.with_sums("rows"))
    return [Line(shown, TEXTS.fill("masked_scores"))]


def _induction(example: Example, revealed: bool, tries: int) -> Sequence[Line]:
    text = shipped_reading(TEXT)
    labels = Labels(row_labels=text.pieces, column_labels=text.pieces)
    weights = bare_matrix("weights_head", text.attention(HEAD).weights, labels)
    if tries % 2:
        helper = bare_matrix("weights_helper", text.attention(HELPER).weights, labels)
        return [
            Line((weights,), TEXTS.fill("weights_of_induction_head", head=HEAD.head, layer=HEAD.layer)),
            Line((helper,), TEXTS.fill("weights_of_helper", head=HELPER.head, layer=HELPER.layer)),
        ]
    last = weights.row(len(text.pieces) - 1, "a_8")
    return [Line((last,), TEXTS.fill("weights_of_last_word", head=HEAD.head, layer=HEAD.layer))] * revealed


LATER_BOARDS: Mapping[str, Board] = {"heads": _heads, "order": _order, "mask": _mask, "induction": _induction}


BOARDS: dict[str, Board] = {**STORY_BOARDS, **LATER_BOARDS, "next": next_lines, "brings": added_output_lines}
LOSS_DECIMALS = 3  # fewer would hide what one step of training changes
FIT_A_PHONE = 7  # columns of two decimals; a phone does not show further columns
KEY = "board"  # the key of the main equation of a screen
ONE_ROW = ("softmax", "random", "loss", "step", "experiment")  # boards that are one row before the guess


def draw_board(screen: Screen, parameters: Any, example: Example, *, revealed: bool, key: str = KEY) -> None:
    """Draw the picture of a screen; before the guess (if not `revealed`), nothing in it can be changed."""
    if screen.board in OTHERS:
        OTHERS[screen.board](parameters, example, revealed)
    elif lines := lines_of(screen, example, revealed=revealed, tries=parameters.tries):
        equation(lines, key, parameters, tools=can_be_changed(lines))
        if any(matrix.values.shape[1] > FIT_A_PHONE for matrix in matrices_of(lines)):
            st.html(f'<p class="swipe">{TEXTS.fill("swipe")}</p>')


def is_above_question(screen: Screen) -> bool:
    """Return whether the picture before the guess is one row. It is above the question, and stays after the guess."""
    return screen.board in ONE_ROW


def draw_further_equations(screen: Screen, parameters: Any, example: Example) -> None:
    """Draw further equations that the visitor can change, if the screen has some."""
    if screen.board in TRIALS:
        equation(TRIALS[screen.board](example), "trial", parameters, tools=True)


def can_be_changed(lines: Sequence[Line]) -> bool:
    """Say whether a visitor can change at least one number of the equations `lines`."""
    return any(matrix.editable for matrix in matrices_of(lines))


def lines_of(screen: Screen, example: Example, *, revealed: bool, tries: int) -> Sequence[Line]:
    """Return the equations of a screen's picture after `tries` presses; if not `revealed`, they cannot be changed."""
    lines = BOARDS[screen.board](example, revealed, tries)
    return lines if revealed else [_without_editing(line) for line in lines]


def _without_editing(line: Line) -> Line:
    return replace(line, items=tuple(item.read_only() if isinstance(item, Matrix) else item for item in line.items))


def _draw_sentence(parameters: Any, example: Example, revealed: bool) -> None:
    # Before the guess, “thirsty” cannot be changed to “sour”, because this change would show the answer.
    shown = example if revealed else replace(example, sentence=example.sentence.replace("{thirsty|sour}", "thirsty"))
    words(shown, attention_matrices(example, example.attention())["weights"], "sentence", parameters)


def _draw_boxes(parameters: Any, example: Example, revealed: bool) -> None:
    draw_boxes(example, parameters.box, revealed=revealed)
    with reserve_container("numbers"):
        if revealed:
            equation(box_lines(example, parameters.box), KEY, parameters, tools=True)


def _draw_mistakes(parameters: Any, example: Example, revealed: bool) -> None:
    st.html(code_html(mistakes_code()))
    if revealed:
        hidden = hidden_word_table(parameters.decimals) if parameters.tries % 2 else ""
        st.markdown(f"{mistakes_table(parameters.decimals)}\n\n{hidden}")


def _draw_experiment(parameters: Any, example: Example, revealed: bool) -> None:
    cut = revealed and bool(parameters.tries % 2)
    st.html(experiment_bars(parameters.decimals, revealed=revealed, cut=cut))
    if revealed:
        st.markdown(experiment_table(parameters.decimals, cut=cut))


def _draw_block(parameters: Any, example: Example, revealed: bool) -> None:
    whole = revealed and bool(parameters.tries % 2)
    st.html(block_bars_html(whole=whole) if revealed else block_flow_html())
    st.markdown(block_table(revealed=revealed, whole=whole))


def _draw_loss(parameters: Any, example: Example, revealed: bool) -> None:
    decimals = max(parameters.decimals, LOSS_DECIMALS)
    st.markdown(loss_table(decimals, revealed=revealed, tries=parameters.tries))


def _draw_step(parameters: Any, example: Example, revealed: bool) -> None:
    decimals = max(parameters.decimals, LOSS_DECIMALS)
    if not revealed:
        st.markdown(nudge_table(decimals))  # it stays above the question
    else:
        equation(query_matrix_lines(), KEY, parameters)
        st.markdown(TEXTS.fill("one_step", formula=step_formula(decimals)))
        st.html(probabilities_html(parameters.tries, decimals))


# The functions that draw pictures with no equation, or with several.
OTHERS: Mapping[str, Callable[[Any, Example, bool], None]] = {
    "sentence": _draw_sentence,
    "boxes": _draw_boxes,
    "block": _draw_block,
    "loss": _draw_loss,
    "step": _draw_step,
    "mistakes": _draw_mistakes,
    "experiment": _draw_experiment,
}


_HERE = Path(__file__).parent
N_SMOOTH = 16  # frames of a change without natural steps

Cell = tuple[str, int, int]  # a matrix by its id, a row and a column

_player = components.component(
    "attention_lab_path_motion",
    html='<div class="motion"></div>',
    css=(_HERE / "motion.css").read_text(encoding="utf-8"),
    js=(_HERE / "motion.js").read_text(encoding="utf-8"),
)


class Frame(NamedTuple):
    """One picture of an animation: the cells that are highlighted, and the numbers that some cells show in it."""

    lit: tuple[Cell, ...]
    shown: tuple[tuple[Cell, float], ...]


def draw_motion(screen: Screen, example: Example, tries: int) -> None:
    """Draw the button that plays the animation of the answer, if there is one, and “Try it” was not pressed yet."""
    frames = frames_of(screen.board, example) if not tries else ()
    if frames:
        _player(key="path_motion", data=[{"frames": frames, "label": TEXTS.words("motions").options[screen.board]}])


@cache_recent
def frames_of(board: str, example: Example) -> Sequence[Frame]:
    """Return the frames of the animation for the picture `board` of a screen; the last frame shows the answer."""
    return _MOTIONS[board](example) if board in _MOTIONS else ()


def _products_add_up(example: Example) -> Sequence[Frame]:
    """Return the frames in which the products of queries and keys are added, one feature after the other."""
    trace, n = path_steps(example).attention, len(example.tokens)
    sums = np.cumsum(trace.q[:, None, :] * trace.k[None, :, :], axis=-1)
    return [
        Frame(tuple((name, token, c) for name in "qk" for token in range(n)), _cells_of("scores", sums[..., c]))
        for c in range(trace.q.shape[-1])
    ]


def _powers_shrink(example: Example) -> Sequence[Frame]:
    """Return the frames in which the powers of “it” are divided by a number that grows from 1 to their sum."""
    powers = path_steps(example).powers[IT]
    total = float(powers.sum())
    if not np.isfinite(total) or total <= 0:
        return ()
    return [
        Frame((), tuple((("weights_plain", IT, j), float(p / total**t)) for j, p in enumerate(powers)))
        for t in _progress()
    ]


def _values_flow(example: Example) -> Sequence[Frame]:
    """Return the frames in which the values, each times its weight, are added one token after the other."""
    trace = path_steps(example).attention
    sums = np.cumsum(trace.weights[IT][:, None] * trace.v, axis=0)
    return [
        Frame(
            (("weights", IT, j), *(("v", j, c) for c in range(trace.v.shape[1]))),
            tuple((("output", IT, c), float(value)) for c, value in enumerate(row)),
        )
        for j, row in enumerate(sums)
    ]


def _output_is_added(example: Example) -> Sequence[Frame]:
    """Return the frames in which attention adds more and more to the row of “it”."""
    steps, width = path_steps(example), example.x.shape[1]
    lit = tuple(("mixed", IT, c) for c in range(width) if steps.mixed[IT, c])
    return [
        Frame(lit, tuple((("summed", IT, c), float(example.x[IT, c] + t * steps.mixed[IT, c])) for c in range(width)))
        for t in _progress()
    ]


_MOTIONS: Mapping[str, Callable[[Example], Sequence[Frame]]] = {
    "score": _products_add_up,
    "softmax": _powers_shrink,
    "mixture": _values_flow,
    "residual": _output_is_added,
}


def _cells_of(name: str, values: Array) -> tuple[tuple[Cell, float], ...]:
    return tuple(((name, int(i), int(j)), float(values[i, j])) for i, j in np.ndindex(*values.shape))


def _progress() -> Iterable[float]:
    return (n / N_SMOOTH for n in range(N_SMOOTH + 1))

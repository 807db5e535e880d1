"""The equation of a task with its blank cells, and its hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from attention_core.arithmetic import explain as explained
from attention_core.tasks.seeded import Task
from pages.shared.equation import Line, Matrix, Sign, selected_cell
from pages.shared.equation.computation import Computation
from pages.shared.equation.model import Labels
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX, RIGHT_SUFFIX, TASK
from pages.shared.notation.latex import Said, cell_with_tokens_as_columns, latex
from pages.shared.notation.records import Record
from pages.shared.notation.symbols import SYMBOLS, matrix_id_of_stage, symbol_of_matrix
from pages.shared.task_block.answering import (
    TEXTS,
    Sheet,
    TaskParameters,
    blank_id,
    current_task,
    keep,
    marks_of,
    select,
    sheet_of,
)

POSITIONS = Record("pos", TEXTS.fill("positions"), "n × 1", TEXTS.fill("meaning_of_positions"))
NAMES: Mapping[str, Record] = {**SYMBOLS, "positions": POSITIONS}


def tokens_of(task: Task) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return two tuples of labels for the matrices of a task: one for the tokens that attend, one for the keys."""
    if task.concept == "positional_encoding":
        rows = _number_labels("token_number", len(task.trace.x))
        return rows, rows
    rows, keys = len(task.trace.x), len(task.trace.context)
    if task.concept == "cross_attention":
        return _number_labels("asking_number", rows), _number_labels("answering_number", keys)
    return _number_labels("token_number", rows), _number_labels("token_number", keys)


def lines(task: Task, sheet: Sheet, columns: bool = False) -> list[Line]:
    """Return the equation of a task, with the learner's entries in its blank matrix.

    `columns` says whether its labels are written for tokens as columns.
    """
    m = {name: _given_matrix(task, name) for name in task.given} | {"blank": _blank(task, sheet)}
    return _LINES[task.concept, task.difficulty](m, task, lambda section: TEXTS.fill(section, 2, columns))


def given_lines(task: Task, columns: bool = False) -> list[Line]:
    """Return the equation of a task without its blank matrix. A question that asks for one number shows this."""
    shown = [(line, tuple(item for item in line.items if not _is_blank(item))) for line in empty_lines(task, columns)]
    return [replace(line, items=items) for line, items in shown if items]


def _is_blank(item: Matrix | Sign | str) -> bool:
    return isinstance(item, Matrix) and item.blank is not None


def empty_lines(task: Task, columns: bool = False) -> list[Line]:
    """Return the equation of a task with an empty blank matrix."""
    return lines(task, _empty_sheet(task), columns)


def _rules_of_hint(task: Task, column: int) -> tuple[str, ...] | None:
    """Return rules such as "v[:,j]": the cells that light up while a hint is about a cell in the column `column`.

    Return None if the usual cells light up: those that the blank matrix is computed from.
    """
    if "positions" in task.given:  # in the calculation, a position is a number that is not in a matrix
        return tuple(f"{name}{TASK}[i,{'0' if name == 'positions' else 'j'}]" for name in task.given)
    if task.asked == "concat":  # each head has its own columns
        head = column * len(task.trace.heads.output) // task.correct_answer.shape[1]
        return f"weights{TASK}.{head}[i,:]", f"v{TASK}[:,j]"
    if task.asked == "kept":  # words that are left out have logits too
        return (f"logits{TASK}[i,:]",)
    return None


def _id_in_task(id: str) -> str:
    name, dot, head = id.partition(".")
    return f"{name}{TASK}{dot}{head}"


def _given_matrix(task: Task, name: str) -> Matrix:
    values = task.matrix(name)
    values = values.T if name == "positions" else values
    plain, _, head = name.partition(".")
    symbol, words, *_ = NAMES[plain]
    if head:
        which = int(head) + 1
        symbol = f"{'head' if plain == 'heads' else symbol}_{which}"
        words = TEXTS.fill("name_of_head", words=words, number=which)
    return Matrix(
        id=_id_in_task(name), symbol=symbol, name=TEXTS.fill("name_given", words=words.capitalize()),
        values=values, tint=NAMES[plain].tint, hue=NAMES[plain].hue,
        **_labels(task, plain, values.shape[1]),
    )  # fmt: skip


def _blank(task: Task, sheet: Sheet) -> Matrix:
    """Return the matrix that the learner fills in, with the learner's entries and their marks."""
    asked = NAMES[
        symbol_of_matrix(matrix_id_of_stage(task.asked), task.given and ("concat",) * (task.concept == "multi_head"))
    ]
    hinted = (0, 0) if sheet.done else sheet.hinted
    result = {"marks": marks_of(task, sheet), "right": task.correct_answer if sheet.done else None}
    return Matrix(
        id=blank_id(task), symbol=asked.symbol, name=asked.words.capitalize(), hue=asked.hue, tint="plain",
        values=np.full(task.correct_answer.shape, np.nan), blank=sheet.entries,
        lights=_rules_of_hint(task, hinted[1]) if hinted else (), **result,
        computation=Computation(task.worked, rename=_id_in_task), origin=(matrix_id_of_stage(task.asked),),
        **_labels(task, matrix_id_of_stage(task.asked), task.correct_answer.shape[1]),
    )  # fmt: skip


def answer_and_correct_matrix(task: Task, answer: np.ndarray) -> tuple[Matrix, Matrix]:
    """Return two matrices to show next to each other: a student's answer, and the correct one."""
    wrong, right = (
        replace(
            _plain_blank(task),
            id=f"{matrix_id_of_stage(task.asked)}{suffix}",
            values=values,
            tint="signed",
        )
        for suffix, values in ((MISTAKE_SUFFIX, answer), (RIGHT_SUFFIX, task.correct_answer))
    )
    return wrong.paired_with(right), right


def _plain_blank(task: Task) -> Matrix:
    return replace(_blank(task, _empty_sheet(task)), blank=None, computation=None, origin=("",))


def _empty_sheet(task: Task) -> Sheet:
    return Sheet((("",) * task.correct_answer.shape[1],) * task.correct_answer.shape[0])


def _labels(task: Task, name: str, columns: int) -> Labels:
    tokens, keys = tokens_of(task)
    features = tuple(str(i + 1) for i in range(columns))
    rows = {"tokens": tokens, "keys": keys}.get(NAMES[name].labels_of(0), ())
    if name == "positions":
        return Labels(row_labels=rows)
    return Labels(row_labels=rows, column_labels=keys if NAMES[name].labels_of(1) == "keys" else features)


def _number_labels(section: str, n: int) -> tuple[str, ...]:
    return tuple(TEXTS.fill(section, number=i + 1) for i in range(n))


# --- the equation of each concept and difficulty ---

Matrices = Mapping[str, Matrix]
Says = Callable[[str], Said]  # says a section in the layout of the page
Writes = Callable[[Matrices, Task, Says], list[Line]]


def _from_scores(sign: str) -> Writes:
    return lambda m, task, say: [Line((m["scores"], Sign(say(sign), arrow=True), m["blank"]))]


def _two_line_writer(given_label: str, blank_label: str) -> Writes:
    def write(m: Matrices, task: Task, say: Says) -> list[Line]:
        return [Line(tuple(m[name] for name in task.given), say(given_label)), Line((m["blank"],), say(blank_label))]

    return write


def _product(*names: str) -> Writes:
    def write(m: Matrices, task: Task, say: Says) -> list[Line]:
        left, right, *added = (m[name] for name in names)
        right = right.transpose("K^T") if names[1] == "k" else right
        return [Line((left, "·", right, *(part for matrix in added for part in ("+", matrix)), "=", m["blank"]))]

    return write


def _masked_line(m: Matrices, task: Task, say: Says) -> list[Line]:
    return [Line((m["scaled"], Sign(say("mask_and_softmax"), arrow=True), m["blank"]))]


def _encoded(sign: str, *names: str) -> Writes:
    def write(m: Matrices, task: Task, say: Says) -> list[Line]:
        label = TEXTS.fill("base_and_width", base=task.base, width=task.correct_answer.shape[1])
        return [Line((*(m[name] for name in names), Sign(say(sign), arrow=True), m["blank"]), label)]

    return write


def _logits_line(m: Matrices, task: Task, say: Says) -> list[Line]:
    return [Line((m["summed"], "·", m["vocabulary"].transpose("Vocab^T"), "=", m["blank"]))]


def _chances(sign: str) -> Writes:
    def write(m: Matrices, task: Task, say: Says) -> list[Line]:
        product = (m["summed"], "·", m["vocabulary"].transpose("Vocab^T"))
        return [Line((*product, Sign(say(sign), arrow=True), m["blank"]))]

    return write


_LINES: Mapping[tuple[str, int], Writes] = {
    ("softmax_axes", 1): _from_scores("attention_weights_base_two"),
    ("softmax_axes", 2): _from_scores("attention_weights"),
    ("softmax_axes", 3): _from_scores("attention_weights"),
    ("queries_keys_values", 1): _product("x", "w_q"),
    ("queries_keys_values", 2): _product("q", "k"),
    ("queries_keys_values", 3): _two_line_writer("weights_keys_values", "the_outputs"),
    ("scaling", 1): _from_scores("scale"),
    ("scaling", 2): _from_scores("scale"),
    ("scaling", 3): _from_scores("scale_and_softmax"),
    ("attention", 1): _product("weights", "v"),
    ("attention", 2): _masked_line,
    ("attention", 3): _two_line_writer("scaled_scores_and_values", "the_outputs"),
    ("multi_head", 1): _two_line_writer("output_of_each_head", "output_of_both"),
    ("multi_head", 2): _two_line_writer("output_of_each_head", "output_of_both"),
    ("multi_head", 3): _two_line_writer("weights_of_each_head", "outputs_side_by_side"),
    ("positional_encoding", 1): _encoded("encoding", "positions"),
    ("positional_encoding", 2): _encoded("encoding", "positions"),
    ("positional_encoding", 3): _encoded("first_layer", "x", "positions"),
    ("cross_attention", 1): _product("weights", "v"),
    ("cross_attention", 2): _from_scores("scale_and_softmax"),
    ("cross_attention", 3): _two_line_writer("scores_and_values", "the_outputs"),
    ("training_step", 1): _two_line_writer("weights_and_gradient", "gradient_of_one_token"),
    ("training_step", 2): _two_line_writer("gradient_and_queries", "gradient_of_the_keys"),
    ("training_step", 3): _two_line_writer("tokens_and_gradient", "value_weights_afterwards"),
    ("next_word", 1): _logits_line,
    ("next_word", 2): _chances("halve_and_softmax"),
    ("next_word", 3): _chances("halve_and_keep_three"),
}


STAGES = 3  # words, formula, calculation


def hint() -> None:
    """Give the learner a hint for the first cell that is empty or wrong."""
    task = current_task()
    if task is None:
        return
    sheet = sheet_of(task)
    place = _next_cell(task, sheet) or sheet.hinted or (0, 0)
    stage = min(sheet.stage + 1, STAGES) if place == sheet.hinted else 1
    keep(task, replace(sheet, hinted=place, stage=stage))
    select(task, place)


def _next_cell(task: Task, sheet: Sheet) -> tuple[int, int] | None:
    empty = np.array(sheet.entries) == ""
    wrong = ~task.correct_cells(sheet.numbers) & ~sheet.unmarked
    places = np.argwhere(empty if empty.any() else wrong).tolist()
    return (places[0][0], places[0][1]) if places else None


def hint_text(task: Task, place: tuple[int, int], stage: int, parameters: TaskParameters) -> str:
    """Return the hint for a cell: a sentence that says how the cell is computed and, from stage 2 on, the formula."""
    cell = explained(task.worked, matrix_id_of_stage(task.asked), place)
    words, *_ = selected_cell.arithmetic_text(cell, *tokens_of(task), parameters).partition("\n\n$$")
    if stage == 1:
        return words
    as_shown = cell_with_tokens_as_columns(cell) if parameters.columns else cell
    return f"{words}\n\n$$\n{latex(as_shown.term, 'names')}\n$$"

"""What the diagnosis found, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from attention_core.diagnosis.answer import Diagnosis, Finding, HiddenKeys
from attention_core.diagnosis.other_keys import rows_with_other_keys
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at
from attention_core.reading.matrix_text import MatrixText
from attention_core.rotation import PositionTrace
from pages.check_my_matrix.numbers import join_names, matrix_name, place_text
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import typeset

# The pattern of a word in a verdict, and its explanation. {d_k}, {d_v} and {d_model} are the widths of the task.
EXPLANATIONS: Mapping[str, str] = {
    r"\bd_k\b": "$d_k$ is the width of a query and of a key{d_k}",
    r"\bd_v\b": "$d_v$ is the width of a value{d_v}",
    r"\bd_\{?\\?(?:text\{)?model|\bd_model": r"$d_{{\text{{model}}}}$ is the width of a row of $X${d_model}",
    r"[Cc]ausal": "a causal mask hides all keys that come later than the query",
    r"\battends?\b": "a token attends to a key if its weight for this key is not 0",
    r"[Pp]adding": "padding tokens fill a short text up to the length of a longer one",
    r"W\^O|Wᴼ": "$W^O$ is the matrix that mixes the outputs of the heads",
    r"[Ss]igmoid": "the sigmoid of $x$ is $1 / (1 + e^{{-x}})$",
    r"[Ll]ayer norm": "layer norm makes the mean of each row 0 and its variance 1",
    r"keepdims": "`keepdims=True` keeps the sums of the rows as a column",
    r"RMS norm": "RMS norm divides each row by the root of the mean of its squares",
    r"ALiBi": "ALiBi lowers each score by the distance of its two tokens",
    r"[Rr]otat(?:ed|ion)|RoPE": "rotary positions rotate pairs of numbers by an angle that grows with the position",
}


def explained_words(text: str, problem: Problem) -> str:
    """Return a line that explains the technical words in `text`, or "" if there are none."""
    widths = _widths(problem)
    found = [said.format(**widths) for pattern, said in EXPLANATIONS.items() if re.search(pattern, text)]
    return f"Words: {'; '.join(found)}." if found else ""


def _widths(problem: Problem) -> dict[str, str]:
    """Return the widths d_k, d_v and d_model of a task as texts such as " (here 4)".

    The text is "" if the task does not have this width.
    """
    sizes = {"d_model": np.shape(problem.example.x)[-1]} if "q" not in problem.known else {}
    if not isinstance(problem.trace, PositionTrace) and not problem.gives_scores:
        heads = problem.example.n_heads if matrix_at(problem.trace, "scores").ndim == 3 else 1
        sizes |= {f"d_{name}": matrix_at(problem.trace, name).shape[-1] // heads for name in ("k", "v")}
    if isinstance(problem.trace, PositionTrace):
        sizes = {"d_model": np.shape(problem.example.x)[-1]}
    return {name: f" (here {sizes[name]})" if name in sizes else "" for name in ("d_k", "d_v", "d_model")}


ROUNDED = {
    "root": "√d_k",
    "powers": "powers",
    "powers_from_the_maximum": "powers",
    "v": "queries, keys and values",
}  # besides the matrices
PERCENT = 100
MOST_ROWS = 2  # the most rows whose keys are listed
MOST_COMPARED = 4  # the most numbers that are listed of a row to compare
FEWEST_IN_REVERSE = 3  # rows: two rows in reverse order count as swapped rows
LARGEST_FOR_EXP = 709  # exp of a larger float64 number is ∞


def nan_text(problem: Problem) -> str:
    """Return sentences that say where NaN comes from in a softmax, and what to do to find out."""
    return (
        f"{_where_nan_comes_from(problem)} Look at your steps in order, and search for the mistake in the first step "
        "that has a NaN."
    )


def _where_nan_comes_from(problem: Problem) -> str:
    """Return sentences that say where NaN comes from, and whether a correct score of this task is too large for exp."""
    largest = "" if isinstance(problem.trace, PositionTrace) else _largest_score(problem)
    return (
        "NaN (not a number) comes, for example, from 0/0, ∞/∞, ∞ − ∞ or 0 · ∞. A softmax gives a row of NaN "
        "if every key of the row is hidden, or if a score of the row is already NaN or ∞. A softmax that does not "
        f"subtract the maximum of the row also gives NaN if a score is too large "
        f"for exp: more than {LARGEST_FOR_EXP}, or more than 88 in float32."
        f"{largest}"
    )


def _largest_score(problem: Problem) -> str:
    scaled = matrix_at(problem.trace, "scaled")
    largest = float(scaled[np.isfinite(scaled)].max(initial=-np.inf))
    if not np.isfinite(largest) or largest > LARGEST_FOR_EXP:
        return ""
    return f" In this task, no correct score is too large: the largest scaled score is ${number(largest)}$."


def finding_sentences(finding: Finding, problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    """Return sentences about `finding`, the first explanation of an answer. `found` is the whole diagnosis."""
    return {
        "right": lambda: ["Every number is correct."],
        "rounded": lambda: [f"Every number is correct, to {finding.decimals} decimals."],
        "rounded_inputs": lambda: [
            f"Every number is correct if the inputs are rounded to {finding.decimals} decimals, as this page shows "
            "them. The inputs have more digits: set “Digits” above to 8, or copy each matrix with the button beside "
            "its name."
        ],
        "few_numbers": lambda: [],
        "copied_row": lambda: [_copied_row(finding, problem)],
        "one_factor": lambda: [_one_factor(finding)],
        "no_numbers": lambda: [no_numbers_text(finding, problem)],
        "on_the_way": lambda: [_on_the_way(finding)],
        "coarse": lambda: [_coarse(finding)],
        "near": lambda: [_near(finding)],
        "transposed": lambda: ["Every number is correct, but rows and columns are swapped. Transpose your matrix."],
        "reordered": lambda: [_reordered(finding, problem)],
        "other_step": lambda: [_other_step(finding, problem)],
        "hidden_keys": lambda: _other_mask_sentences(finding.keys, problem, answer) if finding.keys else [],
        "dropped_out": lambda: [_dropout(finding)],
        "other_scale": lambda: [_other_scale(finding, problem, found)],
        "all_equal": lambda: [_all_equal(finding)],
        "other_end": lambda: [
            "Every number is correct if the last query belongs to the last key, as with a cache of earlier keys. Here, "
            "the first query belongs to the first key, so the causal mask hides other keys. Check which of the two "
            "your task means."
        ],
        "follow_through": lambda: [],
        "mistakes": lambda: _mistakes(finding, problem),
        "one_number": lambda: [],
        "one_free": lambda: [],
    }[finding.kind]()


def _copied_row(finding: Finding, problem: Problem) -> str:
    row, source = (place + 1 for place in finding.order)
    look = "Look for an index that did not change in your code, or for a row that you copied twice."
    if len(finding.stages) < 2:
        name = matrix_name(finding.step)
        return f"Your numbers fit if row {row} of your {name} is a copy of row {source} of your {name}. {look}"
    names = join_names([matrix_name(stage) for stage in finding.stages], "or")
    return (
        f"Your numbers fit if row {row} is a copy of row {source} in one of these matrices: your {names}. "
        f"{_compare_row(finding.stages[0], row - 1, problem)} {look}"
    )


def _compare_row(stage: str, row: int, problem: Problem) -> str:
    """Return a sentence that names the first row to compare in the matrix `stage`, with its first correct numbers."""
    right = matrix_at(problem.trace, stage)[row]
    numbers = ", ".join(f"${number(float(value))}$" for value in right[:MOST_COMPARED])
    dots = ", …" if len(right) > MOST_COMPARED else ""
    return f"First compare row {row + 1} of your {matrix_name(stage)}: it should be {numbers}{dots}."


def _dropout(finding: Finding) -> str:
    rate = 1 - 1 / finding.factor
    example = f", for example the weight in {_place_of_weight(finding.dropped)}," if finding.dropped else ""
    return (
        f"Your numbers fit if some attention weights are 0{example} and all other weights are multiplied by "
        f"${number(finding.factor)} = 1 / (1 - p)$ with $p = {number(rate)}$. Dropout does this in training: it sets "
        "each weight to 0 with the probability $p$. Switch it off. In PyTorch, a library for neural networks, call "
        "`model.eval()`, and where you pass `dropout_p` yourself, set it to 0."
    )


def _place_of_weight(place: Sequence[int]) -> str:
    *head, row, column = place
    return f"{place_text((row, column))}{f' of head {head[0] + 1}' if head else ''}"


def no_numbers_text(finding: Finding, problem: Problem, stage: str = "") -> str:
    """Return sentences about a matrix that has only NaN or ∞.

    `stage` is the pasted step in which this begins, or "" if only the result is pasted.
    """
    told = (
        f"All numbers of your {matrix_name(stage)} are NaN or ∞. So the mistake is in this step, or in a step before "
        f"it that you did not paste. {_where_nan_comes_from(problem)}"
        if stage
        else f"All your numbers are NaN or ∞, so they do not show where the mistake is. {nan_text(problem)}"
    )
    titles = (
        join_names([f"“{typeset(mistake.title)}”" for mistake in finding.further_mistakes])
        if finding.further_mistakes
        else ""
    )
    return f"{told} In this task, for example, {titles} can give such numbers." if titles else told


def _one_factor(finding: Finding) -> str:
    by = finding.factor
    as_percent = " Did you write the numbers in percent?" if abs(by - PERCENT) < 1 else ""
    return (
        f"Each of your numbers is ${number(by)}$ times the correct number.{as_percent} Look for a factor that you "
        "multiplied by, or for a division that you forgot."
    )


def _coarse(finding: Finding) -> str:
    if not finding.further_mistakes:
        return "These numbers are correct, but with fewer than two decimals they prove nothing. Paste two decimals."
    titles = join_names([f"“{typeset(mistake.title)}”" for mistake in finding.further_mistakes[:MOST_ROWS]])
    more = f" and {len(finding.further_mistakes) - MOST_ROWS} more" if len(finding.further_mistakes) > MOST_ROWS else ""
    gives = "gives" if len(finding.further_mistakes) == 1 else "give"
    places = "1 decimal" if finding.decimals == 1 else "no decimals" if not finding.decimals else f"{finding.decimals}"
    return (
        f"{titles}{more} {gives} these numbers, rounded to {places}. So few decimals prove nothing. Paste two decimals."
    )


def _on_the_way(finding: Finding) -> str:
    steps = join_names([ROUNDED.get(step) or matrix_name(step) for step in finding.rounded])
    if finding.decimals is None:
        return f"Every number follows from your own {steps}. These are correct, up to rounding."
    return f"Every number is correct, if the {steps} are rounded to {finding.decimals} decimals before the next step."


def _near(finding: Finding) -> str:
    if finding.decimals is None:
        return (
            f"Your {join_names([matrix_name(step) for step in finding.rounded])} differ from the correct numbers by so "
            "little that rounding may explain it. But a small mistake may be hidden in this difference. Paste more "
            "decimals of your earlier steps. Then I can find out."
        )
    return (
        f"If you round every step to {finding.decimals} decimals, you can get numbers like these. Perhaps a small "
        "mistake or one wrong digit can also give them. Paste more decimals. Then I can find out."
    )


def _other_step(finding: Finding, problem: Problem) -> str:
    if finding.head is not None:
        return (
            f"Every number is correct for head {finding.head + 1} alone. But the task asks for the "
            f"{matrix_name(problem.stage)} of all heads. Continue from your numbers."
        )
    return (
        f"Every number is correct for the {matrix_name(finding.step)}. But the task asks for the "
        f"{matrix_name(problem.stage)}. Choose the {matrix_name(finding.step)} above, or continue from your numbers."
    )


def _other_mask_sentences(keys: HiddenKeys, problem: Problem, answer: MatrixText) -> list[str]:
    """Return sentences about an answer that fits another mask than the correct one.

    They say which keys the rows of the answer used (`keys`), and which keys these rows should use.
    """
    if keys.empty and np.isnan(answer.values[list(keys.empty)]).all():
        return [_rows_of_nan(keys, problem)]
    masked = matrix_at(problem.trace, "masked")
    allowed = np.isfinite(masked if masked.ndim == 2 else masked[0])  # the same in all heads
    if keys.mask_clause:
        weight = _weight_example_text(keys, allowed, problem)
        told = f"Your numbers fit if {keys.mask_clause}. That is not the mask of the task.{weight}"
    else:
        told = " ".join(_row(row, keys, allowed[row]) for row in rows_with_other_keys(keys, allowed)[:MOST_ROWS])
    empty = join_names([str(row + 1) for row in keys.empty]) if keys.empty else ""
    none = (
        f" In row {empty}, every key is hidden. So its softmax divides 0 by 0, or makes all weights equal."
        if empty
        else ""
    )
    return [
        f"{told}{none} Print your mask, and compare it with the mask of the task, row by row. A hidden key has the "
        "weight 0."
    ]


def _rows_of_nan(keys: HiddenKeys, problem: Problem) -> str:
    rows = join_names([str(row + 1) for row in keys.empty])
    which = f"Row {rows} is NaN" if len(keys.empty) == 1 else f"Rows {rows} are NaN"
    return f"{which}. Perhaps your mask hides every key there, so that the softmax divides 0 by 0. {nan_text(problem)}"


def _weight_example_text(keys: HiddenKeys, allowed: np.ndarray, problem: Problem) -> str:
    """Return a sentence about the first weight that only one of two masks hides, or "" if there is none.

    `keys` are the keys that the visitor's mask allows, and `allowed` is the correct mask.
    """
    weights = matrix_at(problem.trace, "weights")
    for row in (row for row in rows_with_other_keys(keys, allowed) if keys.rows[row]):
        for key in sorted({*keys.rows[row]} ^ {*map(int, np.flatnonzero(allowed[row]))}):
            place = (0, row, key) if weights.ndim == 3 else (row, key)
            right = number(float(weights[place]))
            is_used = key in keys.rows[row]
            what_it_is = "not 0" if is_used else "0"
            return (
                f" For example, the weight in {_place_of_weight(place)} should be ${right}$, but with this mask it is "
                f"{what_it_is}."
            )
    return ""


def _row(row: int, keys: HiddenKeys, allowed: np.ndarray) -> str:
    right = [str(int(key) + 1) for key in np.flatnonzero(allowed)]
    used = [str(key + 1) for key in keys.rows[row]]
    if not used:
        return f"Row {row + 1} used no key, but it should use {_keys(right)}."
    return f"Row {row + 1} used only {_keys(used)}, but it should use {_keys(right)}."


def _keys(numbers: Sequence[str]) -> str:
    if not numbers:
        return "none"
    return f"key {numbers[0]}" if len(numbers) == 1 else f"keys {join_names(numbers)}"


def _other_scale(finding: Finding, problem: Problem, found: Diagnosis) -> str:
    by = f"${number(finding.factor)}$"
    if problem.gives_scores:
        return (
            f"Your weights are the softmax of {by} times these scores. Did you scale the scores? This page takes the "
            "scores as they are. If your task scales them, your weights are correct."
        )
    certain = {step.stage for step in found.steps[:-1] if step.kind == "right"} | {*problem.known}
    earlier = [matrix_name(stage) for stage in ("q", "k") if stage not in certain] if "scores" not in certain else []
    also = f" They also fit if all your {join_names(earlier, 'or all your')} are multiplied by {by}." if earlier else ""
    check = _scale_to_check(finding, problem)
    return f"Your numbers fit if each scaled score is {by} times the correct one.{also} {check}"


def _scale_to_check(finding: Finding, problem: Problem) -> str:
    """Return sentences that say which factor or divisor of the scores to check in the code, and what it should be."""
    if problem.setting.scale is not None:
        right = problem.setting.scale
        return (
            "Look in your code for the number that multiplies the scores. It should be "
            f"${number(right)}$, and your numbers fit ${number(right * finding.factor)}$."
        )
    root = float(np.sqrt(matrix_at(problem.trace, "q").shape[-1]))
    return (
        r"Look in your code for the number that divides the scores. It should be $\sqrt{d_k} = "
        rf"{number(root)}$, and your numbers fit ${number(root / finding.factor)}$."
    )


def _reordered(finding: Finding, problem: Problem) -> str:
    order = (
        f"but the order is reversed: your first row is the correct row {finding.order[0] + 1}."
        if is_reversed(finding)
        else f"but the order is not: your rows are the correct rows {_list(finding.order)}, in this order."
    )
    if len(finding.stages) < 2:
        return f"Every row is correct, {order} Look for the place in your code where the rows change their order."
    names = join_names([matrix_name(stage) for stage in finding.stages], "or")
    moved = next(row for row, source in enumerate(finding.order) if row != source)
    return (
        f"Every row is correct, {order} Your numbers fit if the rows are in this order in one of these matrices: your "
        f"{names}. Perhaps the rows of your input are in this order. "
        f"{_compare_row(finding.stages[0], moved, problem)}"
    )


def is_reversed(finding: Finding) -> bool:
    """Return whether an answer has all correct rows in reverse order."""
    order = finding.order
    return (
        finding.kind == "reordered" and len(order) >= FEWEST_IN_REVERSE and order == tuple(reversed(range(len(order))))
    )


def _all_equal(finding: Finding) -> str:
    which = finding.step
    of = "token" if which == "rows" else "feature"
    to = f" to the correct {which[:-1]} {finding.order[0] + 1}" if finding.order else ""
    return (
        f"All your {which} are equal{to}. But each {of} has its own numbers. Look for an index that does not "
        "change in the loop, or for broadcasting, where NumPy repeats one row or column."
    )


def _mistakes(finding: Finding, problem: Problem) -> list[str]:
    told = []
    if finding.rounded == ("inputs",):
        told = [
            f"Your numbers fit if the inputs are also rounded to {finding.decimals} decimals, as this page shows them."
        ]
    elif finding.rounded:
        told = [f"Your numbers fit if a step before the result is also rounded to {finding.decimals} decimals."]
    if finding.step == "concat":
        told += [
            "Your numbers are correct up to the step before the last one: they are the outputs of the heads, side by "
            f"side. The task asks for the {matrix_name(problem.stage)}."
        ]
    elif finding.step:
        told += [
            f"Your numbers are the correct {matrix_name(finding.step)}. "
            f"The task asks for the {matrix_name(problem.stage)}."
        ]
    return told


def _list(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)

"""What the diagnosis found, as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attention_core.diagnosis.answer import Finding, HiddenKeys
from attention_core.diagnosis.other_keys import rows_with_other_keys
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at
from attention_core.rotation import PositionTrace
from pages.check_my_matrix.numbers import TEXTS, Case, join_names, matrix_name, place_text
from pages.shared.notation.numbers import number

# The pattern of a word in a verdict, and the section with its explanation.
EXPLANATIONS: Mapping[str, str] = {
    r"\bd_k\b": "word_d_k",
    r"\bd_v\b": "word_d_v",
    r"\bd_\{?\\?(?:text\{)?model|\bd_model": "word_d_model",
    r"[Cc]ausal": "word_causal",
    r"\battends?\b": "word_attend",
    r"[Pp]adding": "word_padding",
    r"W\^O|Wᴼ": "word_w_o",
    r"[Ss]igmoid": "word_sigmoid",
    r"[Ll]ayer norm": "word_layer_norm",
    r"keepdims": "word_keepdims",
    r"RMS norm": "word_rms_norm",
    r"ALiBi": "word_alibi",
    r"[Rr]otat(?:ed|ion)|RoPE": "word_rotary",
}


def explained_words(case: Case, text: str) -> str:
    """Return a line that explains the technical words in `text`, or "" if there are none."""
    widths, explained = _widths(case.problem), list[str]()
    for section in (section for pattern, section in EXPLANATIONS.items() if re.search(pattern, text)):
        word, width = case.say(section), widths.get(section)
        explained.append(word if width is None else case.say("with_width", word=word, width=width))
    return case.say("words_explained", words="; ".join(explained)) if explained else ""


def _widths(problem: Problem) -> dict[str, int]:
    """Return those of the widths d_k, d_v and d_model that a task has, by the section of their word."""
    if isinstance(problem.trace, PositionTrace):
        return {"word_d_model": np.shape(problem.example.x)[-1]}
    sizes = {"word_d_model": np.shape(problem.example.x)[-1]} if "q" not in problem.known else {}
    if not problem.gives_scores:
        heads = problem.example.n_heads if matrix_at(problem.trace, "scores").ndim == 3 else 1
        sizes |= {f"word_d_{name}": matrix_at(problem.trace, name).shape[-1] // heads for name in ("k", "v")}
    return sizes


PERCENT = 100
MOST_ROWS = 2  # the most rows whose keys are listed
MOST_COMPARED = 4  # the most numbers that are listed of a row to compare
FEWEST_IN_REVERSE = 3  # rows: two rows in reverse order count as swapped rows
LARGEST_FOR_EXP = 709  # exp of a larger float64 number is ∞


def nan_text(case: Case) -> str:
    """Return sentences that say where NaN comes from in a softmax, and what to do to find out."""
    return case.say("search_for_nan", where=_where_nan_comes_from(case))


def _where_nan_comes_from(case: Case) -> str:
    if isinstance(case.problem.trace, PositionTrace):
        return case.say("where_nan_comes_from", largest_for_exp=LARGEST_FOR_EXP)
    scaled = matrix_at(case.problem.trace, "scaled")
    largest = float(scaled[np.isfinite(scaled)].max(initial=-np.inf))
    is_small = np.isfinite(largest) and largest <= LARGEST_FOR_EXP
    section = "no_score_too_large" if is_small else "where_nan_comes_from"
    return case.say(section, largest_for_exp=LARGEST_FOR_EXP, largest=largest)


def no_numbers_text(case: Case, finding: Finding, stage: str = "") -> str:
    """Return sentences about a matrix that has only NaN or ∞, perhaps from the pasted step `stage` on."""
    told = case.say("no_numbers", nan=nan_text(case))
    if stage:
        told = case.say("no_numbers_in_step", name=matrix_name(stage), where=_where_nan_comes_from(case))
    if not finding.further_mistakes:
        return told
    return case.say("titles_can_give_such_numbers", told=told, titles=join_names(quoted_titles(case, finding)))


def quoted_titles(case: Case, finding: Finding) -> list[str]:
    """Return the titles of the further mistakes of a finding, in quotation marks."""
    return [case.say("quoted", title=case.of_core(mistake.title)) for mistake in finding.further_mistakes]


def finding_text(case: Case) -> str:
    """Return sentences about the first explanation of an answer, or "" if other texts explain it."""
    kind = case.first.kind
    if kind in _SAID:
        return case.say(_SAID[kind], decimals=case.first.decimals)
    return _TEXTS_OF[kind](case) if kind in _TEXTS_OF else ""


def _copied_row(case: Case) -> str:
    finding = case.first
    copy, original = (place + 1 for place in finding.order)
    if len(finding.stages) < 2:
        return case.say("copied_row", copy=copy, original=original, name=matrix_name(finding.step))
    names, compare = _one_of(finding), _compare_row(case, copy - 1)
    return case.say("copied_row_somewhere", copy=copy, original=original, names=names, compare=compare)


def _one_of(finding: Finding) -> str:
    return join_names([matrix_name(stage) for stage in finding.stages], "joined_with_or")


def _compare_row(case: Case, row: int) -> str:
    stage = case.first.stages[0]
    right = matrix_at(case.problem.trace, stage)[row]
    numbers = [f"${number(float(value))}$" for value in right[:MOST_COMPARED]]
    listed = ", ".join([*numbers, *(["…"] if len(right) > MOST_COMPARED else [])])
    return case.say("compare_row", n=row + 1, name=matrix_name(stage), numbers=listed)


def _dropout(case: Case) -> str:
    finding = case.first
    if not finding.dropped:
        return case.say("dropout", factor=finding.factor)
    return case.say("dropout_with_example", factor=finding.factor, place=_place_of_weight(case, finding.dropped))


def _place_of_weight(case: Case, place: Sequence[int]) -> str:
    *head, row, column = place
    said = place_text(case.parameters, (row, column))
    return case.say("place_of_head", place=said, head=head[0] + 1) if head else said


def _one_factor(case: Case) -> str:
    factor = case.first.factor
    return case.say("one_factor_percent" if abs(factor - PERCENT) < 1 else "one_factor", factor=factor)


def _coarse(case: Case) -> str:
    finding = case.first
    n = len(finding.further_mistakes)
    if not n:
        return case.say("coarse")
    titles = join_names(quoted_titles(case, finding)[:MOST_ROWS])
    if n > MOST_ROWS:
        titles = case.say("and_more", titles=titles, n=n - MOST_ROWS)
    places = f"{finding.decimals}"
    if finding.decimals in (0, 1, None):
        places = case.say("one_decimal" if finding.decimals == 1 else "no_decimals")
    return case.say("coarse_mistake" if n == 1 else "coarse_mistakes", titles=titles, places=places)


def _on_the_way(case: Case) -> str:
    finding, named = case.first, TEXTS.words("rounded_steps").options
    steps = join_names([named.get(step) or matrix_name(step) for step in finding.rounded])
    section = "follows_from_own_steps" if finding.decimals is None else "correct_if_steps_rounded"
    return case.say(section, steps=steps, decimals=finding.decimals)


def _near(case: Case) -> str:
    if case.first.decimals is not None:
        return case.say("near", decimals=case.first.decimals)
    return case.say("steps_differ_little", steps=join_names([matrix_name(step) for step in case.first.rounded]))


def _other_step(case: Case) -> str:
    if case.first.head is not None:
        return case.say("correct_for_one_head", head=case.first.head + 1, name=case.name)
    return case.say("correct_for_other_step", step=matrix_name(case.first.step), name=case.name)


def _other_mask(case: Case) -> str:
    """Return sentences about an answer that fits another mask than the correct one."""
    keys = case.first.keys
    if keys is None:
        return ""
    empty = [str(row + 1) for row in keys.empty]
    if empty and np.isnan(case.answer.values[list(keys.empty)]).all():
        section = "row_of_nan" if len(empty) == 1 else "rows_of_nan"
        return case.say(section, n=empty[0], which=join_names(empty), nan=nan_text(case))
    masked = matrix_at(case.problem.trace, "masked")
    allowed = np.isfinite(masked if masked.ndim == 2 else masked[0])  # the same in all heads
    if keys.mask_clause:
        clause = case.parameters.in_layout(keys.mask_clause)
        told = [case.say("other_mask", clause=clause), _weight_example_text(case, keys, allowed)]
    else:
        told = [_row(case, row, keys, allowed[row]) for row in rows_with_other_keys(keys, allowed)[:MOST_ROWS]]
    told += [case.say("rows_without_key", which=join_names(empty))] if empty else []
    return " ".join(filter(None, [*told, case.say("print_your_mask")]))


def _weight_example_text(case: Case, keys: HiddenKeys, allowed: np.ndarray) -> str:
    """Return a sentence about the first weight that only one of two masks hides, or "" if there is none."""
    weights = matrix_at(case.problem.trace, "weights")
    for row in (row for row in rows_with_other_keys(keys, allowed) if keys.rows[row]):
        for key in sorted({*keys.rows[row]} ^ {*map(int, np.flatnonzero(allowed[row]))}):
            place = (0, row, key) if weights.ndim == 3 else (row, key)
            section = "weight_with_other_mask" if key in keys.rows[row] else "weight_hidden_by_other_mask"
            return case.say(section, place=_place_of_weight(case, place), right=float(weights[place]))
    return ""


def _row(case: Case, row: int, keys: HiddenKeys, allowed: np.ndarray) -> str:
    right, used = _keys(case, np.flatnonzero(allowed).tolist()), _keys(case, keys.rows[row])
    section = "row_used_only" if keys.rows[row] else "row_used_no_key"
    return case.say(section, n=row + 1, used_keys=used, right_keys=right)


def _keys(case: Case, keys: Sequence[int]) -> str:
    if not keys:
        return case.say("none_of_the_keys")
    named = join_names([str(key + 1) for key in keys])
    return case.say("one_key" if len(keys) == 1 else "several_keys", keys=named)


def _other_scale(case: Case) -> str:
    factor, problem = case.first.factor, case.problem
    if problem.gives_scores:
        return case.say("scaled_given_scores", factor=factor)
    certain = {step.stage for step in case.found.steps[:-1] if step.kind == "right"} | {*problem.known}
    earlier = [matrix_name(stage) for stage in ("q", "k") if stage not in certain] if "scores" not in certain else []
    told = [case.say("other_scale", factor=factor)]
    if earlier:
        names = join_names(earlier, "joined_with_or_all_your")
        told.append(case.say("other_scale_of_steps", names=names, factor=factor))
    if problem.setting.scale is not None:
        return " ".join([*told, case.say("check_factor", right=problem.setting.scale, factor=factor)])
    root = float(np.sqrt(matrix_at(problem.trace, "q").shape[-1]))
    return " ".join([*told, case.say("check_divisor", root=root, factor=factor)])


def _reordered(case: Case) -> str:
    finding = case.first
    listed = ", ".join(str(place + 1) for place in finding.order)
    section = "reversed_order" if is_reversed(finding) else "other_order"
    order = case.say(section, n=finding.order[0] + 1, order=listed)
    if len(finding.stages) < 2:
        return f"{order} {case.say('where_rows_change_order')}"
    moved = next(row for row, source in enumerate(finding.order) if row != source)
    return f"{order} {case.say('order_of_one_matrix', names=_one_of(finding), compare=_compare_row(case, moved))}"


def is_reversed(finding: Finding) -> bool:
    """Return whether an answer has all correct rows in reverse order."""
    order = finding.order
    return (
        finding.kind == "reordered" and len(order) >= FEWEST_IN_REVERSE and order == tuple(reversed(range(len(order))))
    )


def _all_equal(case: Case) -> str:
    finding = case.first
    alone, to_a_right_one = ("equal_rows", "equal_rows_to")
    if finding.step != "rows":
        alone, to_a_right_one = ("equal_columns", "equal_columns_to")
    return case.say(to_a_right_one, n=finding.order[0] + 1) if finding.order else case.say(alone)


def _mistakes(case: Case) -> str:
    finding, told = case.first, list[str]()
    if finding.rounded:
        section = "fit_with_rounded_inputs" if finding.rounded == ("inputs",) else "fit_with_rounded_step"
        told.append(case.say(section, decimals=finding.decimals))
    if finding.step == "concat":
        told.append(case.say("correct_up_to_heads", name=case.name))
    elif finding.step:
        told.append(case.say("correct_earlier_step", step=matrix_name(finding.step), name=case.name))
    return "\n\n".join(told)


# The kinds of findings about which one text says everything, and those with functions.
_SAID: Mapping[str, str] = {
    "right": "every_number_correct",
    "rounded": "correct_when_rounded",
    "digits": "correct_to_all_digits",
    "rounded_inputs": "correct_with_rounded_inputs",
    "transposed": "correct_but_swapped",
    "other_end": "correct_with_other_end",
}
_TEXTS_OF: Mapping[str, Callable[[Case], str]] = {
    "copied_row": _copied_row,
    "one_factor": _one_factor,
    "no_numbers": lambda case: no_numbers_text(case, case.first),
    "on_the_way": _on_the_way,
    "coarse": _coarse,
    "near": _near,
    "reordered": _reordered,
    "other_step": _other_step,
    "hidden_keys": _other_mask,
    "dropped_out": _dropout,
    "other_scale": _other_scale,
    "all_equal": _all_equal,
    "mistakes": _mistakes,
}

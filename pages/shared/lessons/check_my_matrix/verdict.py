"""The diagnosis in words: whether the numbers are right, which mistake gives them, and where to read more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core.checks import Array, greatest_difference
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.explaining import left_out
from attention_core.diagnosis.finding import Diagnosis, Finding
from attention_core.diagnosis.pasted import Problem
from attention_core.reading.matrix_text import MatrixText
from attention_core.slips import WITH_SWITCH, Slip
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix import findings_said, remedy, steps
from pages.shared.lessons.check_my_matrix.places import cell, what
from pages.shared.notation.latex import number
from pages.shared.notation.prose import typeset
from pages.shared.site.catalogue import page_named
from pages.shared.site.links import link
from pages.shared.slips import source_of

AT = {"q": "projections", "heads": "heads", "encoding": "encoding"}
MOST_NAMED, MOST_MENDED = 6, 2  # how many mistakes with the same numbers are named, and how many are mended
LEFT_OUT = {"pairs": "two mistakes together", "one_number": "single changed numbers in some matrices"}
HEADLINES = {
    "coarse": "Too few decimals to tell",
    "near": "As near as rounding on the way explains",
    "transposed": "The right numbers in other places",
    "reordered": "The right numbers in other places",
    "follow_through": "Right from there on",
    "one_number": "One number is off",
}


def show(parameters: Parameters, problem: Problem, answer: MatrixText, found: Diagnosis) -> None:
    """Write the diagnosis, what mends it, its sources, and links to the pages that explain it."""
    text = "\n\n".join(filter(None, [*_said(problem, answer, found), steps.said(found.steps)]))
    st.markdown(parameters.in_layout(f"## {_headline(found)}\n\n{text}"))
    slips = likely(found)
    for slip in slips[:MOST_MENDED]:
        remedy.show(parameters, problem, slip, several=len(slips) > 1)
    for slip in slips[:MOST_NAMED]:
        _link(slip, parameters)
    seen = ", ".join(dict.fromkeys(source_of(source) for slip in slips[:MOST_NAMED] for source in slip.sources))
    if seen:
        st.caption(f"Seen in: {seen}")


def _headline(found: Diagnosis) -> str:
    if not found.findings:
        return "No known mistake gives these numbers"
    first = found.findings[0]
    if found.right:
        return "Right" if not first.rows else "Right, as far as it goes"
    return HEADLINES.get(first.kind) or _of_mistakes(_likely(found.findings))


def likely(found: Diagnosis) -> list[Slip[Any]]:
    """Return the mistakes that are named in full."""
    return _each(_likely(found.findings))


def _likely(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that name usual mistakes alone, or, if there are none, all that name a mistake."""
    told = [finding for finding in findings if finding.slips]
    return [finding for finding in told if all(slip.rank == "usual" for slip in finding.slips)] or told


def _of_mistakes(findings: Sequence[Finding]) -> str:
    ways, together = len(findings), len(findings[0].slips) > 1
    if ways > 1:
        return f"Two mistakes together, of {ways} pairs" if together else f"One of {ways} mistakes"
    return "Two mistakes together" if together else "One mistake"


def _said(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    if not found.findings:
        return _unknown(problem, answer, found)
    first = found.findings[0]
    part = f"You gave {_rows(first.rows)} of {len(problem.right)}." if first.rows else ""
    return [
        *findings_said.of(first), part, *findings_said.of_numbers(found.findings), *_mistakes(found.findings),
        *_damage(problem, answer, found),
    ]  # fmt: skip


def _mistakes(findings: Sequence[Finding]) -> list[str]:
    told = _likely(findings)
    if not told:
        return []
    rarer = _rarer([finding for finding in findings if finding.slips and finding not in told])
    if len(told) == 1:
        return [*(_paragraph(slip) for slip in told[0].slips), *rarer]
    names = "\n".join(f"- {_named(finding)}" for finding in told[:MOST_NAMED])
    more = f"\n\nAnd {len(told) - MOST_NAMED} more." if len(told) > MOST_NAMED else ""
    together = {slip.name for slip in told[0].slips}.intersection(*({s.name for s in f.slips} for f in told[1:]))
    shared = [_paragraph(slip) for slip in told[0].slips if slip.name in together]
    same = f"{len(told)} mistakes give these numbers, and the result alone cannot tell them apart:"
    return [*shared, f"{same}\n\n{names}{more}", *rarer]


def _rarer(findings: Sequence[Finding]) -> list[str]:
    """Name the less usual mistakes that give the same numbers, without explaining them."""
    titles = [typeset(slip.title) for slip in _each(findings)]
    if not titles:
        return []
    more = f", and {len(titles) - MOST_NAMED} more" if len(titles) > MOST_NAMED else ""
    many = "A rarer mistake gives" if len(titles) == 1 else "Rarer mistakes give"
    return [f"{many} the same numbers here: {'; '.join(titles[:MOST_NAMED])}{more}."]


def _named(finding: Finding) -> str:
    rows = f" ({_rows(finding.rows)})" if finding.rows else ""
    return "; and ".join(_paragraph(slip) for slip in finding.slips) + rows


def _paragraph(slip: Slip[Any]) -> str:
    where = AT.get(slip.stage) or what(slip.stage)
    return f"**{typeset(slip.title)}**, at the {where}. {typeset(slip.why)}"


def _damage(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    kinds = {finding.kind for finding in found.findings}
    if found.right or kinds & {"coarse", "near"} or answer.values.shape != problem.right.shape:
        return []
    off, place = greatest_difference(answer.values, problem.right), found.first_wrong_cell
    first = f"The first number of yours that is wrong is {_place(*place)}." if place else ""
    worst = "Some are no numbers." if off != off else f"The greatest difference is ${number(off)}$."
    return [f"{first} {worst}".strip()]


def _unknown(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    right, shape = problem.right, answer.values.shape
    told = ""
    if found.first_wrong_cell:
        stage, row, column = found.first_wrong_cell
        told = f"The first wrong number is {_place(stage, row, column)}; below is how the right one comes about."
    if shape != right.shape:
        told = f"The {what(problem.stage)} must be {_size(right)}; yours is {_size(answer.values)}."
        told += _whose_rows(problem, len(answer.values))
    advice = "Paste an earlier step too: then the first that is wrong is found."
    some = _left_out(left_out(edited_run_of(problem.trace), problem.stage))
    return [told, advice if problem.earlier else "Check what you pasted against the numbers above.", some]


def _left_out(kinds: Sequence[str]) -> str:
    """Say what is not looked for on large matrices."""
    said = [LEFT_OUT[kind] for kind in kinds if kind != "rare"]
    some = ["only the more usual mistakes are tried"] * ("rare" in kinds)
    some += [f"{' and '.join(said)} are not looked for"] * bool(said)
    return f"On matrices as large as these, {', and '.join(some)}." if some else ""


def _whose_rows(problem: Problem, n_rows: int) -> str:
    """Say where a wrong number of rows may come from."""
    asks, answers = len(problem.example.tokens), len(problem.example.key_tokens)
    if n_rows == answers != asks:
        return " That is a row for each token of the context; there should be one for each token that asks."
    return ""


def _link(slip: Slip[Any], parameters: Any) -> None:
    """Lead to the page of a slip, with the slip switched on if it has a switch there."""
    page = page_named(slip.concept)
    state = {"slip": slip.name} if slip in WITH_SWITCH else {}
    if slip.concept == "attention" and parameters.mask != "none":
        state["mask"] = parameters.mask
    link(page.name, f"{slip.title}, on “{page.concept}”", state, icon=page.icon)


def _each(findings: Sequence[Finding]) -> list[Slip[Any]]:
    return list({slip.name: slip for finding in findings for slip in finding.slips}.values())


def _place(stage: str, row: int, column: int) -> str:
    return f"{cell((row, column))} of the {what(stage)}"


def _size(values: Array) -> str:
    return "×".join(map(str, values.shape))


def _rows(rows: Sequence[int]) -> str:
    return f"row {rows[0] + 1}" if len(rows) == 1 else f"rows {rows[0] + 1} to {rows[-1] + 1}"

"""The diagnosis in words: what the pasted numbers are, which mistake gives them, and where to read more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from attention_core.checks import Array, greatest_difference
from attention_core.diagnosis.checking import Problem
from attention_core.diagnosis.diagnose import Diagnosis, Finding
from attention_core.reading.matrix_text import MatrixText
from attention_core.slips import Slip
from pages.shared.controls import Parameters
from pages.shared.notation.latex import number
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import SYMBOLS, shown_as
from pages.shared.site.catalogue import page_named
from pages.shared.site.links import link
from pages.shared.slips import source_of

AT = {"q": "projections", "heads": "heads", "concat": "concatenation", "exponents": "exponents", "angles": "angles"}
AT |= {"encoding": "encoding"}
MOST_NAMED = 6  # mistakes that give the same numbers


def show(parameters: Parameters, problem: Problem, answer: MatrixText, found: Diagnosis) -> None:
    """Write the diagnosis, its sources, and links to the pages that explain it."""
    text = "\n\n".join(_said(problem, answer, found))
    st.markdown(parameters.says(f"## {_headline(found)}\n\n{text}"))
    slips = _each(found.findings)
    for slip in slips[:MOST_NAMED]:
        _link(slip, parameters)
    if slips:
        seen = ", ".join(dict.fromkeys(source_of(source) for slip in slips[:MOST_NAMED] for source in slip.sources))
        st.caption(f"Seen in: {seen}")


def _headline(found: Diagnosis) -> str:
    if not found.findings:
        return "None of the mistakes that are known here"
    first = found.findings[0]
    if found.right:
        return "Right" if not first.rows else "Right, as far as it goes"
    if first.kind in ("transposed", "reordered"):
        return "The right numbers in other places"
    if first.kind == "follow_through":
        return "Right from there on"
    ways, together = len(found.findings), len(first.slips) > 1
    if ways > 1:
        return f"Two mistakes together, of {ways} pairs" if together else f"One of {ways} mistakes"
    return "Two mistakes together" if together else "One mistake"


def _said(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    if not found.findings:
        return _unknown(problem, answer, found)
    first = found.findings[0]
    said = {
        "right": lambda: ["Every number is right."],
        "rounded": lambda: [f"Every number is right, to {first.decimals} decimals."],
        "transposed": lambda: ["Every number is right, and rows and columns are swapped: transpose it."],
        "reordered": lambda: [f"Every row is right and stands in another place. Yours are rows {_list(first.order)}."],
        "follow_through": lambda: _since(first),
        "slips": lambda: [],
    }[first.kind]()
    part = f"You gave {_rows(first.rows)} of {len(problem.right)}." if first.rows else ""
    return [*said, *filter(None, [part]), *_mistakes(found.findings), *_damage(problem, answer, found)]


def _since(finding: Finding) -> list[str]:
    where = SYMBOLS[finding.since][1]
    why = "" if finding.slips else " What happened to them is none of the mistakes that are known here."
    return [f"What you did with your {where} is right. The {where} themselves are not.{why}"]


def _mistakes(findings: Sequence[Finding]) -> list[str]:
    told = [finding for finding in findings if finding.slips]
    if not told:
        return []
    if len(told) == 1:
        return [_paragraph(slip) for slip in told[0].slips]
    names = "\n".join(f"- {_named(finding)}" for finding in told[:MOST_NAMED])
    more = f"\n\nAnd {len(told) - MOST_NAMED} more." if len(told) > MOST_NAMED else ""
    together = {slip.name for slip in told[0].slips}.intersection(*({s.name for s in f.slips} for f in told[1:]))
    shared = [_paragraph(slip) for slip in told[0].slips if slip.name in together]
    same = f"{len(told)} explanations give exactly these numbers, and this example cannot tell them apart:"
    return [*shared, f"{same}\n\n{names}{more}"]


def _named(finding: Finding) -> str:
    rows = f" ({_rows(finding.rows)})" if finding.rows else ""
    return "; and ".join(_paragraph(slip) for slip in finding.slips) + rows


def _paragraph(slip: Slip[Any]) -> str:
    where = AT.get(slip.stage) or SYMBOLS[slip.stage][1]
    return f"**{typeset(slip.title)}**, at the {where}. {typeset(slip.why)}"


def _damage(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    if found.right or answer.values.shape != problem.right.shape:
        return []
    off, place = greatest_difference(answer.values, problem.right), found.departs
    first = f"The first number that departs is {_place(*place)}." if place else ""
    worst = "Some are no numbers." if off != off else f"Your numbers are off by up to ${number(off)}$."
    return [f"{first} {worst}".strip()]


def _unknown(problem: Problem, answer: MatrixText, found: Diagnosis) -> list[str]:
    right, shape = problem.right, answer.values.shape
    told = ""
    if found.departs:
        stage, row, column = found.departs
        told = f"The first number that departs is {_place(stage, row, column)}; below is how it comes about."
    if shape != right.shape:
        told = f"The {_what(problem.stage)} must be {_size(right)}; yours is {_size(answer.values)}."
    advice = "Paste a step before it as well, and the first one that departs is found."
    return [told, advice if problem.earlier else "Check what you pasted against the numbers above."]


def _link(slip: Slip[Any], parameters: Any) -> None:
    """Lead to the page that explains a slip, with it switched on."""
    page = page_named(slip.concept)
    state = {"slip": slip.name}
    if slip.concept == "attention" and parameters.mask != "none":
        state["mask"] = parameters.mask
    link(page.name, f"{slip.title}, on “{page.concept}”", state, icon=page.icon)


def _each(findings: Sequence[Finding]) -> list[Slip[Any]]:
    return list({slip.name: slip for finding in findings for slip in finding.slips}.values())


def _what(stage: str) -> str:
    return SYMBOLS[shown_as(stage)][1]


def _place(stage: str, row: int, column: int) -> str:
    return f"row {row + 1}, column {column + 1} of the {_what(stage)}"


def _size(values: Array) -> str:
    return "×".join(map(str, values.shape))


def _list(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)


def _rows(rows: Sequence[int]) -> str:
    return f"row {rows[0] + 1}" if len(rows) == 1 else f"rows {rows[0] + 1} to {rows[-1] + 1}"

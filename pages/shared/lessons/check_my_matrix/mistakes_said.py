"""Known mistakes in words: the commonest that gives these numbers, how many others do, and what tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_core.diagnosis.apart import told_apart_by
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.finding import Diagnosis, Finding
from attention_core.diagnosis.pasted import Problem
from attention_core.mistakes import Mistake
from pages.shared.lessons.check_my_matrix.places import what
from pages.shared.notation.prose import typeset

AT = {"q": "projections", "heads": "heads", "encoding": "encoding"}
MOST_NAMED = 6


def findings_that_name(found: Diagnosis) -> list[Finding]:
    """Return the findings that name a mistake, those of usual mistakes alone first."""
    named = [finding for finding in found.findings if finding.mistakes]
    return sorted(named, key=lambda finding: any(mistake.rank != "usual" for mistake in finding.mistakes))


def likely(found: Diagnosis) -> list[Mistake[Any]]:
    """Return the mistakes that are explained: the commonest one, or the commonest two that were made together.

    Where another mask gives the same numbers, that is explained.
    """
    is_mask = found.findings and found.findings[0].kind == "hidden_keys"
    return list(findings_that_name(found)[0].mistakes) if findings_that_name(found) and not is_mask else []


def headline(found: Diagnosis) -> str:
    """Say how many known mistakes give these numbers."""
    ways, together = len(findings_that_name(found)), len(findings_that_name(found)[0].mistakes) > 1
    if ways > 1:
        return f"Two mistakes together, of {ways} pairs" if together else f"One of {ways} mistakes"
    return "Two mistakes together" if together else "One mistake"


def mistake_paragraphs(problem: Problem, found: Diagnosis) -> list[str]:
    """Explain the commonest mistake, or the commonest two that were made together; tell of the others."""
    findings = findings_that_name(found)
    if not likely(found):
        return []
    return [*(paragraph(mistake) for mistake in findings[0].mistakes), *_others(problem, findings)]


def _others(problem: Problem, findings: Sequence[Finding]) -> list[str]:
    if len(findings) == 1:
        return []
    many = f"{len(findings)} mistakes" if len(findings[0].mistakes) == 1 else f"{len(findings)} pairs of mistakes"
    step = told_apart_by(edited_run_of(problem.trace), findings, problem.earlier)
    apart = (
        f"Your {what(step)} would tell some of them apart: paste them as well."
        if step
        else "No step that can be pasted here tells them apart; a problem with other numbers can."
    )
    return [f"{many} give exactly these numbers, and this is the commonest. {apart}"]


def mistake_list(found: Diagnosis) -> list[str]:
    """List all mistakes that give the same numbers, the usual ones with their reasons."""
    findings = findings_that_name(found)
    usual = [each for each in findings if all(mistake.rank == "usual" for mistake in each.mistakes)]
    if not findings:
        return []
    open_one = findings[0] if likely(found) else None
    return [_usual(usual), _rarer([each for each in findings if each not in usual and each is not open_one])]


def _usual(findings: Sequence[Finding]) -> str:
    if len(findings) < 2:
        return ""
    names = "\n".join(
        f"- {' And: '.join(paragraph(mistake) for mistake in each.mistakes)}" for each in findings[:MOST_NAMED]
    )
    more = f"\n\nAnd {len(findings) - MOST_NAMED} more." if len(findings) > MOST_NAMED else ""
    same = f"{len(findings)} mistakes give these numbers, and the result alone cannot tell them apart:"
    return f"{same}\n\n{names}{more}"


def _rarer(findings: Sequence[Finding]) -> str:
    """Name the less usual mistakes that give the same numbers, without explaining them."""
    titles = [" and ".join(f"{typeset(mistake.title)}" for mistake in each.mistakes) for each in findings]
    if not titles:
        return ""
    more = f", and {len(titles) - MOST_NAMED} more" if len(titles) > MOST_NAMED else ""
    many = "A rarer mistake gives" if len(titles) == 1 else "Rarer mistakes give"
    return f"{many} the same numbers here: {'; '.join(titles[:MOST_NAMED])}{more}."


def also(found: Diagnosis) -> str:
    """Name rare mistakes that give the same numbers as something plainer."""
    rare = list(dict.fromkeys(typeset(mistake.title) for finding in found.findings for mistake in finding.also))
    if not rare:
        return ""
    more = f", and {len(rare) - MOST_NAMED} more" if len(rare) > MOST_NAMED else ""
    return f"A rare mistake gives the same numbers: {'; '.join(rare[:MOST_NAMED])}{more}."


def paragraph(mistake: Mistake[Any]) -> str:
    """Name a mistake, with its place and its reason."""
    where = AT.get(mistake.stage) or what(mistake.stage)
    return f"**{typeset(mistake.title)}**, at the {where}. {typeset(mistake.why)}"

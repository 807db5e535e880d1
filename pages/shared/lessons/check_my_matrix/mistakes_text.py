"""Sentences about known mistakes: the commonest that gives these numbers, the others, and what distinguishes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attention_core.diagnosis.apart import example_that_tells_apart, step_that_tells_apart
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.finding import Diagnosis, Finding
from attention_core.diagnosis.pasted import Problem
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.code_lines import lines_of
from pages.shared.lessons.check_my_matrix.places import join_names, what
from pages.shared.notation.prose import typeset

AT = {"heads": "", "encoding": "encoding"}  # the stage of heads is both their split and their output
PROJECTED = ("q", "k", "v")
MOST_NAMED = 6


def findings_that_name(found: Diagnosis) -> list[Finding]:
    """Return the findings that name a mistake: usual mistakes first, and of these the most frequently seen first."""
    named = [finding for finding in found.findings if finding.mistakes]
    return sorted(named, key=lambda finding: (not _is_usual(finding), -n_sources(finding)))


def _is_usual(finding: Finding) -> bool:
    return all(mistake.rank == "usual" for mistake in finding.mistakes)


def n_sources(finding: Finding) -> int:
    """Return in how many notebooks and public threads a finding's mistake was seen. Of two mistakes, take the rarer."""
    return min(len(mistake.sources) for mistake in finding.mistakes)


def likely(found: Diagnosis) -> list[Mistake[Any]]:
    """Return the mistakes to explain: the commonest one, or the commonest pair that was made together.

    Where another mask gives the same numbers, that is explained. Where several steps are wrong, these are the mistakes
    in each of them.
    """
    if len(found.wrong_steps) > 1:
        return [mistake for step in found.wrong_steps for each in step.why[:1] for mistake in each.mistakes]
    is_mask = found.findings and found.findings[0].kind == "hidden_keys"
    return list(findings_that_name(found)[0].mistakes) if findings_that_name(found) and not is_mask else []


def headline(found: Diagnosis) -> str:
    """Say how many known mistakes give these numbers."""
    if any(finding.changed for finding in found.findings):
        return "Several causes are possible"
    ways, together = len(findings_that_name(found)), len(findings_that_name(found)[0].mistakes) > 1
    if ways > 1:
        return (
            f"{ways} pairs of known mistakes give these numbers"
            if together
            else f"{ways} known mistakes give these numbers"
        )
    return f"{'Two known mistakes together give' if together else 'One known mistake gives'} these numbers"


def mistake_paragraphs(problem: Problem, found: Diagnosis) -> list[str]:
    """Explain the commonest mistake, or the commonest pair of mistakes, and mention the others."""
    findings = findings_that_name(found)
    if not likely(found):
        return []
    return [*(paragraph(mistake) for mistake in findings[0].mistakes), *_others(problem, findings)]


def _others(problem: Problem, findings: Sequence[Finding]) -> list[str]:
    if len(findings) == 1:
        return []
    many = f"{len(findings)} mistakes" if len(findings[0].mistakes) == 1 else f"{len(findings)} pairs of mistakes"
    return [f"{many} give exactly these numbers. {_why_this_one(findings)} {_what_tells_apart(problem, findings)}"]


def _why_this_one(findings: Sequence[Finding]) -> str:
    """Say why the first of several findings is the one that is explained."""
    first, second = n_sources(findings[0]), max(map(n_sources, findings[1:]))
    if first > second:
        cases = "1 public case" if first == 1 else f"{first} public cases"
        of_others = f"{second} of" if second else "no case of"
        others = "the other one" if len(findings) == 2 else f"the other {len(findings) - 1}"
        if second and len(findings) > 2:
            of_others = f"at most {second} of each of"
        return f"I explain this one because I know {cases} of it, and {of_others} {others}."
    others = "the other one" if len(findings) == 2 else "the others"
    return f"I explain one of them here. You find {others} under “More about this verdict”."


def _what_tells_apart(problem: Problem, findings: Sequence[Finding]) -> str:
    """Say which step, or which example of this page, distinguishes the first finding from others, if one does."""
    step = step_that_tells_apart(edited_run_of(problem.trace), findings, problem.earlier)
    if step:
        return f"Paste your {what(step)} as well. Then I can exclude some of these mistakes."
    found = example_that_tells_apart(problem, findings)
    if found is None:
        return "I found no other example that shows the difference between them."
    title, n_apart = found
    n_others = len(findings) - 1
    which = f"all the other {n_others}" if n_apart == n_others else f"{n_apart} of the other {n_others}"
    others = f"this mistake gives other numbers than {which}"
    differ = "the two mistakes give different numbers" if len(findings) == 2 else others
    return f"In the example “{title}”, {differ}. Choose that example above, and check your code there."


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
    more = _further(findings[MOST_NAMED:])
    same = f"{len(findings)} mistakes give these numbers. The result alone cannot show which one it is:"
    return f"{same}\n\n{names}{more}"


def _further(findings: Sequence[Finding]) -> str:
    titles = [" and ".join(typeset(mistake.title) for mistake in each.mistakes) for each in findings]
    return f"\n\nThese mistakes also give the same numbers: {'; '.join(titles)}." if titles else ""


def _rarer(findings: Sequence[Finding]) -> str:
    """Name the less usual mistakes that give the same numbers, without explaining them."""
    titles = [" and ".join(f"{typeset(mistake.title)}" for mistake in each.mistakes) for each in findings]
    if not titles:
        return ""
    many = "A rarer mistake gives" if len(titles) == 1 else f"{len(titles)} rarer mistakes give"
    return f"{many} the same numbers here: {'; '.join(titles)}."


def rare_mistakes_text(found: Diagnosis) -> str:
    """Name rare mistakes that give the same numbers as a simpler explanation."""
    findings = [
        finding for finding in found.findings if finding.kind not in ("coarse", "no_numbers")
    ]  # which are told already
    rare = list(dict.fromkeys(typeset(mistake.title) for finding in findings for mistake in finding.also))
    if not rare:
        return ""
    gives = "A rare mistake gives" if len(rare) == 1 else f"{len(rare)} rare mistakes give"
    return f"{gives} the same numbers: {'; '.join(rare)}."


def paragraph(mistake: Mistake[Any]) -> str:
    """Name a mistake, with its place and its reason."""
    where = f", in the {_where(mistake)}" if _where(mistake) else ""
    return f"**{typeset(mistake.title)}**{where}. {typeset(mistake.why)}"


def _where(mistake: Mistake[Any]) -> str:
    """Name the matrices that a mistake changes first: of queries, keys and values, those that its code computes."""
    computed = {name for line in lines_of(mistake.code) for name in line.gives}
    projected = [what(name) for name in PROJECTED if name in computed and mistake.stage in PROJECTED]
    return join_names(projected) if projected else AT.get(mistake.stage, what(mistake.stage))

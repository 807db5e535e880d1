"""The words of a task: the question, the verdict, the score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core.diagnosis.diagnose import Diagnosis, Finding
from attention_core.mistakes import Mistake
from attention_core.tasks.misreadings import Misreading, misreadings
from attention_core.tasks.seeded_tasks import Task
from pages.shared.notation.prose import typeset
from pages.shared.task_block.sheets import Practice, Sheet, numbers_of

SIZES = " There are {n} tokens, each {d_model} wide; their queries and keys are {d_k} wide."
WEIGHTS = "Turn the scores into attention weights. A calculator helps with the powers of e."
TO_SIZE = f"Bring the scores to size.{SIZES}"
TOGETHER = "Two heads have done their work. Put it together: what is the output?"
ENCODE = "Encode these positions as the paper does, sines and cosines taking turns."
ACROSS = "Two ask, three answer. Queries and keys are {d_k} wide."
BACK = "On the way back:"

# By concept and difficulty.
ASKS: Mapping[str, tuple[str, str, str]] = {
    "softmax_axes": (
        "Turn the scores into attention weights, with powers of 2 where you would take powers of e.",
        WEIGHTS,
        WEIGHTS,
    ),
    "queries_keys_values": (
        "What does each token ask? Work out the queries.",
        "How well does each query match each key? Work out the scores.",
        "The weights are known. What does each token take away?",
    ),
    "scaling": (TO_SIZE, TO_SIZE, f"Bring the scores to size and turn them into weights.{SIZES}"),
    "attention": (
        "The weights are known. Mix the values: what does each token take away?",
        "No token may look at what comes after it. Which weights are left?",
        "No token may look at what comes after it. What does each take away?",
    ),
    "multi_head": (TOGETHER, TOGETHER, "Two heads, each with values of its own. What do they find, side by side?"),
    "positional_encoding": (
        ENCODE,
        ENCODE,
        "What reaches the first layer: the tokens’ rows, and where they stand?",
    ),
    "cross_attention": (
        "Two ask, three answer. The weights are known: what does each that asks take away?",
        f"{ACROSS} How does each that asks share out its attention?",
        f"{ACROSS} What does each that asks take away?",
    ),
    "training_step": (
        f"{BACK} one token’s weights were made by a softmax. What reaches its scaled scores?",
        f"{BACK} the scores were divided by √d_k, and queries and keys are {{d_k}} wide. What reaches the keys?",
        f"{BACK} the outputs were averages of the values, and $W^V$ made these of the tokens. What is $W^V$ after "
        "one step with a learning rate of {rate:g}?",
    ),
    "next_word": (
        "Attention has added to these rows. How well does each word go on? Work out the logits.",
        "The next word is drawn with a temperature of 2. What is the chance of each word, for each row?",
        "The temperature is 2, and the 3 likeliest words are kept. With which chance is each of the 4 drawn?",
    ),
}


def question_text(task: Task) -> str:
    """Say what the task asks for."""
    d_model, d_k = task.trace.x.shape[-1], getattr(task.trace, "k", task.right).shape[-1]
    sizes = {"n": len(task.trace.x), "d_model": d_model, "d_k": d_k, "rate": getattr(task.trace, "rate", 0)}
    return ASKS[task.concept][task.difficulty - 1].format(**sizes)


def verdict(task: Task, sheet: Sheet) -> str:
    """Say how many cells were right at the last marking. If not all were, name the mistake that gives these numbers."""
    numbers = numbers_of(sheet.checked) if sheet.checked and not sheet.done else sheet.numbers
    marks = task.marks(numbers)
    if marks.all():
        return "**All right.** Every cell is what it should be, as far as honest rounding on the way can tell."
    count = f"{int(marks.sum())} of {marks.size} cells are right."
    again = "" if sheet.done else " Mend what is marked ✗, and commit again."
    return f"{_misread(task, numbers) or _finding_title(task.diagnose(numbers))} {count}{again}"


def misreading_of(task: Task, numbers: np.ndarray) -> Misreading | None:
    """Return the mistake, possible in this task only, that gives these numbers, or None."""
    return next((each for each in misreadings(task) if task.fits(each.answer, numbers)), None)


def _misread(task: Task, numbers: np.ndarray) -> str:
    found = misreading_of(task, numbers)
    return f"**Your numbers are those of a known mistake.** *{found.title}.* {typeset(found.why)}" if found else ""


def missing(sheet: Sheet) -> str:
    """Say why a task cannot be marked yet."""
    cells = "1 cell is" if sheet.missing == 1 else f"{sheet.missing} cells are"
    return f":material/info: {cells} still empty. Fill in the rest, then commit; a hint shows where to look."


def score(practice: Practice) -> str:
    """Say how many tasks were right in this visit."""
    streak = f", {practice.streak} in a row" if practice.streak > 1 else ""
    return f"This visit: **{practice.right} of {practice.done}** right{streak}."


def _finding_title(found: Diagnosis) -> str:
    mistakes = [finding for finding in found.findings if finding.mistakes]
    if len(mistakes) > 1:
        each = "\n".join(f"- {_finding_text(finding)}" for finding in mistakes)
        return f"**These numbers fit several mistakes**, which this task cannot tell apart.\n\n{each}\n\n"
    if mistakes:
        return f"**Your numbers are those of a known mistake.** {_finding_text(mistakes[0])}"
    if any(finding.kind == "transposed" for finding in found.findings):
        return "**The right numbers, transposed.** What stands in a row should stand in a column."
    for finding in found.findings:
        if finding.kind == "reordered":
            places = ", ".join(str(place + 1) for place in finding.order)
            return f"**The right rows, in another order.** From the top you have rows {places}."
    return "**No usual mistake gives these numbers**, nor do two together: look at the first cell that is off."


def _finding_text(finding: Finding) -> str:
    if len(finding.mistakes) == 1:
        return _mistake(finding.mistakes[0])
    return "Two together: " + " And: ".join(_mistake(mistake) for mistake in finding.mistakes)


def _mistake(mistake: Mistake) -> str:
    return f"*{typeset(mistake.title)}.* {typeset(mistake.why)}"

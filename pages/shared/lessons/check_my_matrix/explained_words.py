"""Words of a verdict that may be new to the reader, each explained in half a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at
from attention_core.position_trace import PositionTrace

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

"""The code of the page “Check my matrix”, and the lines that correct a mistake."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core import attend, multi_head_attention, self_attention, sinusoidal
from attention_core.diagnosis.answer import MOST_DECIMALS
from attention_core.diagnosis.diagnose import diagnose
from attention_core.diagnosis.pasted import ALL_HEADS, POSITIONS, Problem
from attention_core.diagnosis.stages import matrix_at
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.mistake import repair
from attention_core.mistakes.engine.named_traces import places_of
from attention_core.reading.matrix_text import MatrixText
from attention_core.rotation import PositionTrace
from pages.check_my_matrix import computed, problem
from pages.check_my_matrix.numbers import TEXTS
from pages.check_my_matrix.reading import read
from pages.check_my_matrix.remedy import YOURS, symbol_of
from pages.shared.codes.pieces import (
    IN_HEADS,
    MIX,
    OUTPUT,
    PROJECT,
    SAYS_ENCODING,
    SAYS_OUTPUT,
    SAYS_PROJECT,
    SAYS_SCORES,
    SAYS_SOFTMAX,
    SCORES,
    SOFTMAX,
    SPLIT_INTO_HEADS,
    TAKE,
    Both,
    both_of,
    for_example,
    join,
    rename_name,
    same,
    tailor,
    without_mask,
)
from pages.shared.takehome.code import Block, Code, given_of, start_of
from pages.shared.takehome.screen import EXACT

_ANGLES: Both = (
    "    angles = positions[:, None] * base ** (-np.arange(0, d, 2) / d)",
    "    angles = base ** (-np.arange(0, d, 2)[:, None] / d) * positions",
)
_PAIRS: dict[str, Both] = {
    "rotary_pairs": ("    a, b = m[..., ::2], m[..., 1::2]", "    a, b = m[..., ::2, :], m[..., 1::2, :]"),
    "rotary_halves": (
        "    a, b = m[..., : d // 2], m[..., d // 2 :]",
        "    a, b = m[..., : d // 2, :], m[..., d // 2 :, :]",
    ),
}
_JOINED: dict[str, Both] = {
    "rotary_pairs": (
        "    return np.stack([first, second], axis=-1).reshape(m.shape)",
        "    return np.stack([first, second], axis=-2).reshape(m.shape)",
    ),
    "rotary_halves": (
        "    return np.concatenate([first, second], axis=-1)",
        "    return np.concatenate([first, second], axis=-2)",
    ),
}
SHARED: Both = (
    """\
def share(m):                      # each head of keys or values serves some heads of queries that stand together
    return np.repeat(m.reshape(len(m), n_kv_heads, -1).swapaxes(0, 1), n_heads // n_kv_heads, axis=0)""",
    """\
def share(m):                      # each head of keys or values serves some heads of queries that stand together
    return np.repeat(m.reshape(n_kv_heads, -1, m.shape[-1]), n_heads // n_kv_heads, axis=0)""",
)


def rotation(problem: Problem, q: str, k: str) -> list[Both]:
    """Return the code that rotates the queries and keys by their positions (RoPE), or [] if there is no rotation."""
    places = places_of(problem.trace)
    if places is None or places.kind == "alibi":
        return []
    pairs, joined = _PAIRS[places.kind], _JOINED[places.kind]
    defined = tuple(
        "\n".join([
            f"def rotate(m, positions, base={places.base!r}):        # each pair of features by its angle",
            f"    d = m.shape[{axis}]", _ANGLES[side], pairs[side],
            "    first, second = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)",
            joined[side],
        ])
        for side, axis in ((0, -1), (1, -2))
    )  # fmt: skip
    turned = (
        f"{q}_turned, {k}_turned = rotate({q}, {_positions(places.queries)}), rotate({k}, {_positions(places.keys)})"
    )
    return [(defined[0], defined[1]), same(turned)]


def penalty(problem: Problem) -> list[Both]:
    """Return the line that subtracts from each score the ALiBi penalty for the distance, or [] if there is none."""
    places = places_of(problem.trace)
    if places is None or places.kind != "alibi":
        return []
    of_heads = isinstance(problem.trace, MultiHeadTrace)
    slope = (
        f"np.array({places.slopes.tolist()})[:, None, None]" if of_heads else repr(float(places.slopes[places.head]))
    )
    queries, keys = _positions(places.queries), _positions(places.keys)
    return [
        (
            f"lowered = scaled - {slope} * np.abs({queries}[:, None] - {keys})",
            f"lowered = scaled - {slope} * np.abs({queries} - {keys}[:, None])",
        )
    ]


def of_turned(code: Both, q: str, k: str) -> Both:
    """Return code that reads the rotated queries and keys: the names `q` and `k` get the ending "_turned".

    >>> of_turned(("q @ k.T", "k.T @ q"), "q", "k")
    ('q_turned @ k_turned.T', 'k_turned.T @ q_turned')
    """
    rows, columns = (re.sub(rf"\b({q}|{k})\b", r"\1_turned", text) for text in code)
    return rows, columns


def shares_keys(problem: Problem) -> bool:
    """Return whether several heads of queries share one head of keys and values."""
    return isinstance(problem.trace, MultiHeadTrace) and problem.trace.shares_keys


def _positions(numbers: NDArray[np.int_]) -> str:
    return f"np.arange({int(numbers[0])}, {int(numbers[-1]) + 1})"


SCALE: Both = ("(1 / np.sqrt(q.shape[-1]))", "(1 / np.sqrt(len(q)))")
SCALE_OF_HEADS: Both = ("(1 / np.sqrt(q_heads.shape[-1]))", "(1 / np.sqrt(q_heads.shape[-2]))")
MIXED = join(TAKE, MIX)
# For masks that may leave a whole row empty.
SOFTMAX_OF_LITTLE: Both = (
    """\
def softmax(scores):                                                # each row sums to 1, or to 0 if nothing is seen
    greatest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(greatest > -np.inf, greatest, 0))
    totals = powers.sum(axis=-1, keepdims=True)
    return powers / (totals + (totals == 0))""",
    """\
def softmax(scores):                                                # each column sums to 1, or to 0 if nothing is seen
    greatest = scores.max(axis=-2, keepdims=True)
    powers = np.exp(scores - np.where(greatest > -np.inf, greatest, 0))
    totals = powers.sum(axis=-2, keepdims=True)
    return powers / (totals + (totals == 0))""",
)
ATTENTION: Both = (
    """\
def attention(q, k, v):
    scaled = q @ k.T * (1 / np.sqrt(q.shape[-1]))
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ v""",
    """\
def attention(q, k, v):
    scaled = k.T @ q * (1 / np.sqrt(len(q)))
    powers = np.exp(scaled - scaled.max(axis=-2, keepdims=True))
    return v @ (powers / powers.sum(axis=-2, keepdims=True))""",
)
ENCODED: Both = (
    """\
base, positions = 10000.0, np.arange(n)
even = width + width % 2                                      # an odd width leaves out the last cosine
exponents = ((np.arange(width) - np.arange(width) % 2) / even)[None]
angles = positions[:, None] * base ** -exponents
sinusoidal = np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))""",
    """\
base, positions = 10000.0, np.arange(n)
even = width + width % 2                                      # an odd width leaves out the last cosine
exponents = ((np.arange(width) - np.arange(width) % 2) / even)[:, None]
angles = base ** -exponents * positions
sinusoidal = np.where(np.arange(width)[:, None] % 2 == 0, np.sin(angles), np.cos(angles))""",
)
PROJECTED = ("example", "weights")  # with these sources, queries, keys and values are computed from x


def code(parameters, example) -> Code:
    """Return the code of the matrix that the visitor checks, or the code of attention if no matrix is chosen yet."""
    given_problem = computed.problem_or_question(parameters, example)
    if isinstance(given_problem, str):
        title = parameters.say(TEXTS, "code_of_attention")
        block = Block(title=title, says=str(given_problem), **both_of(ATTENTION))
        return Code(name="nothing_yet", given={}, blocks=(block,), core=(attend,))
    asked, answer, name = problem.asked_stage(parameters), read(parameters, "answer"), symbol_of(given_problem)
    *before, last = _blocks(parameters, asked, given_problem)
    given = _given_matrices(parameters, asked, given_problem) | _given_mask(given_problem)
    return Code(
        name=asked,
        given=given if answer is None else given | {f"{name}_{YOURS}": answer.values},
        **(start_of(given_problem.example) if asked != POSITIONS else {}),
        blocks=(
            *before,
            replace(last, key="answer"),
            *([] if answer is None else [_comparison(parameters, name, given_problem, answer)]),
        ),
        core=(*_core(asked, given_problem), diagnose),
    )


def mending_lines(mistake: Mistake[Any], problem: Problem) -> str:
    """Return the code of a mistake in the visitor's problem: `-` before a wrong line, `+` before a correct line."""
    return repair(mistake, partial(_in_this_task, problem))


def _in_this_task(problem: Problem, code: str) -> str:
    if isinstance(problem.trace, PositionTrace):
        return rename_name(code, "d_model", "width")
    code = for_example(code, problem.example)
    if not np.isneginf(matrix_at(problem.trace, "masked")).any():
        with suppress(ValueError):  # the mistake may be one of a mask
            return without_mask(code.replace("allowed & ", ""))
    return rename_name(code, "allowed", "mask")


def _core(asked: str, problem: Problem) -> tuple:
    if asked == POSITIONS:
        return (sinusoidal,)
    if asked == ALL_HEADS:
        return (multi_head_attention, attend)
    return (attend,) if problem.gives_scores else (self_attention, attend)


def _given_matrices(parameters, asked: str, problem: Problem) -> dict[str, Any]:
    if asked == POSITIONS:
        n, width = problem.example.x.shape
        return {"n": n, "width": width}
    if parameters.source == "scores":
        scores = read(parameters, "own_scores")
        return {} if scores is None else {"scores": scores.values}
    if parameters.source == "queries":
        return {name: getattr(problem.trace, name) for name in ("q", "k", "v")}
    if asked == ALL_HEADS:
        shared = {"n_kv_heads": problem.setting.n_kv_heads} if shares_keys(problem) else {}
        return given_of(problem.example) | {"n_heads": problem.example.n_heads} | shared
    return given_of(problem.example, "w_o")


def _given_mask(problem: Problem) -> dict[str, Any]:
    masked = problem.stage in ("weights", "output") and problem.setting.mask not in ("none", "causal")
    return {"mask": np.isfinite(_masked_of_one(problem))} if masked else {}


def _masked_of_one(problem: Problem) -> Any:
    masked = matrix_at(problem.trace, "masked")
    return masked if masked.ndim == 2 else masked[0]


def _scale(problem: Problem, usual: Both) -> Both:
    scale = problem.setting.scale
    return usual if scale is None else same(repr(scale))


def _blocks(parameters, asked: str, problem: Problem) -> list[Block]:
    if asked == POSITIONS:
        return [Block(title=parameters.say(TEXTS, "code_of_encoding"), says=SAYS_ENCODING, **both_of(ENCODED))]
    project: list[Block] = []
    if parameters.source in PROJECTED:
        title = parameters.say(TEXTS, "code_of_projections")
        project.append(Block(title=title, says=SAYS_PROJECT, **tailor(PROJECT, problem.example)))
    if asked in ("q", "k", "v"):
        return project
    if asked == ALL_HEADS:
        return [*project, *_blocks_with_heads(parameters, problem)]
    return [*project, *_blocks_with_one_head(parameters, asked, problem)]


def _blocks_with_one_head(parameters, asked: str, problem: Problem) -> list[Block]:
    """Return the blocks of code with one head."""
    say = partial(parameters.say, TEXTS)
    rows, columns = _scale(problem, SCALE)
    scaled: Both = (f"scaled = scores * {rows}", f"scaled = scores * {columns}")
    rotated = rotation(problem, "q", "k")
    scores = of_turned(SCORES, "q", "k") if rotated else SCORES
    met = [] if problem.gives_scores else [*rotated, scores, *([scaled] if asked != "scores" else [])]
    blocks = [Block(title=say("code_of_scores"), says=SAYS_SCORES, **both_of(join(*met)))] if met else []
    if asked in ("weights", "output"):
        lowered = penalty(problem)
        from_scores = "scores" if problem.gives_scores else "lowered" if lowered else "scaled"
        softmax = SOFTMAX_OF_LITTLE if problem.gives_scores else SOFTMAX
        shares = join(softmax, *lowered, *_mask("scores", from_scores, problem))
        blocks.append(Block(title=say("code_of_softmax"), says=SAYS_SOFTMAX, **both_of(shares)))
    if asked == "output":
        blocks.append(Block(title=say("code_of_output"), says=SAYS_OUTPUT, **both_of(OUTPUT)))
    return blocks


def _split_and_scores(problem: Problem, *, is_rotated: bool) -> tuple[Both, Both]:
    """Return the line that splits matrices into heads, and the line that computes the heads' scaled scores."""
    (split, rows), (_, columns) = (text.split("\n") for text in IN_HEADS)
    scales = zip((rows, columns), _scale(problem, SCALE_OF_HEADS), strict=True)
    by_rows, by_columns = (line.replace("SCALE", scale) for line, scale in scales)
    if shares_keys(problem):
        split = split.replace("split(k), split(v)", "share(k), share(v)")
    return same(split), of_turned((by_rows, by_columns), "q_heads", "k_heads") if is_rotated else (by_rows, by_columns)


def _blocks_with_heads(parameters, problem: Problem) -> list[Block]:
    rotated, lowered = rotation(problem, "q_heads", "k_heads"), penalty(problem)
    masked = _mask("scaled[0]", "lowered" if lowered else "scaled", problem)
    split, scaled = _split_and_scores(problem, is_rotated=bool(rotated))
    shared = [SHARED] if shares_keys(problem) else []
    shares = join(SOFTMAX, SPLIT_INTO_HEADS, *shared, split, *rotated, scaled, *lowered, *masked)
    return [
        Block(title=parameters.say(TEXTS, "code_of_heads"), says=SAYS_SOFTMAX, **both_of(shares)),
        Block(title=parameters.say(TEXTS, "code_of_mixed_heads"), says=SAYS_OUTPUT, **both_of(MIXED)),
    ]


def _mask(of_size: str, scores: str, problem: Problem) -> list[Both]:
    """Return the lines that mask the matrix `scores` and compute its softmax; `of_size` has the shape of the mask."""
    if problem.setting.mask == "none":
        return [same(f"weights = softmax({scores})")]
    forbidden = same(f"masked = np.where(mask, {scores}, -np.inf)\nweights = softmax(masked)")
    if problem.setting.mask != "causal":
        return [forbidden]
    says = "   # nobody sees what comes later"
    mask: Both = (
        f"mask = np.tri(*{of_size}.shape, dtype=bool){says}",
        f"mask = np.tri(*{of_size}.T.shape, dtype=bool).T{says}",
    )
    return [mask, forbidden]


def _comparison(parameters, name: str, problem: Problem, answer: MatrixText) -> Block:
    yours, title = f"{name}_{YOURS}", parameters.say(TEXTS, "code_of_comparison")
    if answer.values.shape != problem.correct_result.shape:
        sizes = f'print("Yours is", {yours}.shape, "where", {name}.shape, "is meant.")'
        return Block(title=title, says=parameters.say(TEXTS, "comparison_of_shapes"), rows=sizes, aside=True)
    decimals = MOST_DECIMALS if answer.decimals is None else answer.decimals
    near = EXACT + (0.5 * 10.0**-decimals if decimals < MOST_DECIMALS else 0)
    lines = f"off = np.abs({yours} - {name})\nwrong = ~(off <= {near:g})   # NaN is wrong as well"
    return Block(title=title, says=parameters.say(TEXTS, "comparison_of_numbers"), rows=lines)

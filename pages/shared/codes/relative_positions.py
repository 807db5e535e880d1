"""The code of relative positions: RoPE rotates queries and keys, and ALiBi subtracts a penalty from their scores."""

from __future__ import annotations

from typing import Any

from attention_core import rope_scores
from attention_core.positions import alibi_bias, alibi_slopes, rotary
from pages.shared.codes.pieces import D_K, PROJECT, SAYS_PROJECT, SCORES, SOFTMAX, Both, join, same, tailor
from pages.shared.takehome.code import Block, Code, given_of, start_of

PLACES = 6  # the number of positions to which the query and the key are moved
TURN: Both = (
    """\
def rope(vector, n, base):                     # the same vector at n positions, turned
    even = len(vector) - len(vector) % 2       # an odd last feature has no partner and stays as it is
    angles = np.arange(n)[:, None] * base ** (-np.arange(0, even, 2) / even)
    PAIRS
    return np.concatenate([TURNED, vector[even:] + 0 * angles[:, :1]], axis=1)""",
    """\
def rope(vector, n, base):                     # the same vector at n positions, turned
    even = len(vector) - len(vector) % 2       # an odd last feature has no partner and stays as it is
    angles = np.arange(n)[:, None] * base ** (-np.arange(0, even, 2) / even)
    PAIRS
    return np.concatenate([TURNED, vector[even:] + 0 * angles[:, :1]], axis=1).T""",
)
PAIRS = {
    "halves": (
        "a, b = vector[: even // 2], vector[even // 2 : even]   # pairs are i and i + d/2",
        "a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)",
    ),
    "neighbours": (
        "a, b = vector[0:even:2], vector[1:even:2]              # pairs are 2i and 2i + 1\n"
        "    cos, sin = np.cos(angles), np.sin(angles)",
        "np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(n, even)",
    ),
}
TURNED: Both = (
    "q_turned_rope, k_turned_rope = rope(q[asks], places, base), rope(k[answers], places, base)\n"
    "scores_turned_rope = q_turned_rope @ k_turned_rope.T   # only the distance counts",
    "q_turned_rope, k_turned_rope = rope(q[:, asks], places, base), rope(k[:, answers], places, base)\n"
    "scores_turned_rope = k_turned_rope.T @ q_turned_rope   # only the distance counts",
)
SLOPES = """\
def alibi_slopes(n):                           # 2^(-8/n), 2^(-16/n) …; filled up where n is no power of 2
    below = 2 ** (n.bit_length() - 1)
    powers = [-8 * h / below for h in range(1, below + 1)] + [-4 * h / below for h in range(1, 2 * below, 2)]
    return np.array([2**power for power in powers[:n]])"""
BIAS: Both = (
    """\
slopes_alibi = alibi_slopes(n_heads)[None]
distances = np.abs(np.arange(len(q))[:, None] - np.arange(len(k)))
bias_alibi = -slopes_alibi[0, head] * distances
masked = scaled + bias_alibi""",
    """\
slopes_alibi = alibi_slopes(n_heads)[:, None]
distances = np.abs(np.arange(k.shape[-1])[:, None] - np.arange(q.shape[-1]))
bias_alibi = -slopes_alibi[head, 0] * distances
masked = scaled + bias_alibi""",
)


def rope(parameters, example) -> Code:
    """Return the code of RoPE for one query and one key at several positions."""
    pairs, turned = PAIRS[parameters.pairing]
    turn: Any = tuple(text.replace("PAIRS", pairs).replace("TURNED", turned) for text in TURN)
    given: dict[str, Any] = {
        "asks": parameters.asks,
        "answers": parameters.answers,
        "places": PLACES,
        "base": float(parameters.base),
    }
    says = "RoPE adds nothing to the embeddings. It turns queries and keys by an angle that grows with the position."
    return Code(
        name="rope",
        given=given_of(example, "w_v", "b_v", "w_o") | given,
        **start_of(example),
        core=(rope_scores, rotary),
        blocks=(
            Block(title="Queries and keys", **tailor(_without_values(PROJECT), example)),
            Block(title="Turned at every position", key="rope", says=says, **tailor(join(turn, TURNED), example)),
        ),
    )


def alibi(parameters, example) -> Code:
    """Return the code of ALiBi for the head that is shown."""
    penalty = join((SLOPES, SLOPES), D_K, SCORES, same("scaled = scores * (1 / np.sqrt(d_k))"), BIAS)
    says = "ALiBi subtracts a penalty from each score, which grows with the distance. Queries and keys are not changed."
    shares = join(SOFTMAX, same("weights_plain, weights = softmax(scaled), softmax(masked)"))
    rows, columns = join(penalty, shares)
    heads, head = parameters.heads, min(parameters.head, parameters.heads) - 1
    return Code(
        name=f"alibi_head_{head + 1}",
        given=given_of(example, "w_v", "b_v", "w_o") | {"n_heads": heads, "head": head},
        **start_of(example),
        core=(alibi_slopes, alibi_bias),
        blocks=(
            Block(title="Queries and keys", says=SAYS_PROJECT, **tailor(_without_values(PROJECT), example)),
            Block(title="A penalty of distance", key="alibi", says=says, **tailor((rows, columns), example)),
        ),
    )


def _without_values(both: Both) -> Both:
    rows, columns = ("\n".join(text.split("\n")[:2]) for text in both)
    return rows, columns

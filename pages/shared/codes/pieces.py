"""Parts of code that several pages share, each for tokens as rows and for tokens as columns."""

from __future__ import annotations

from typing import TypedDict

from attention_core.examples import Example
from pages.shared.codes.tailoring import for_example

Both = tuple[str, str]  # with tokens as rows, with tokens as columns


class Texts(TypedDict):
    """The code of a block for tokens as rows (`rows`) and for tokens as columns (`columns`)."""

    rows: str
    columns: str


PROJECT: Both = (
    "q = x @ w_q + b_q\nk = context @ w_k + b_k\nv = context @ w_v + b_v",
    "q = w_q @ x + b_q\nk = w_k @ context + b_k\nv = w_v @ context + b_v",
)
SCORES: Both = ("scores = q @ k.T", "scores = k.T @ q")
SOFTMAX: Both = (
    """\
def softmax(scores):                                                # each row sums to 1
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))    # nothing overflows
    return powers / powers.sum(axis=-1, keepdims=True)""",
    """\
def softmax(scores):                                                # each column sums to 1
    powers = np.exp(scores - scores.max(axis=-2, keepdims=True))    # nothing overflows
    return powers / powers.sum(axis=-2, keepdims=True)""",
)
OUTPUT: Both = ("output = weights @ v", "output = v @ weights")
ENTROPY: Both = (
    """\
def entropy(weights):                                               # in nats; 0 ln 0 is 0
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1, keepdims=True)""",
    """\
def entropy(weights):                                               # in nats; 0 ln 0 is 0
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-2, keepdims=True)""",
)
SINUSOIDAL: Both = (
    """\
def encode(n, d, base=10000.0):
    even = d + d % 2                                         # an odd width leaves out the last cosine
    rates = base ** (-np.arange(0, even, 2) / even)          # 0, 2, 4 … is 2i of the paper: do not double it again
    angles = np.arange(n)[:, None] * rates
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, even)[:, :d]""",
    """\
def encode(n, d, base=10000.0):
    even = d + d % 2                                         # an odd width leaves out the last cosine
    rates = base ** (-np.arange(0, even, 2) / even)          # 0, 2, 4 … is 2i of the paper: do not double it again
    angles = rates[:, None] * np.arange(n)
    return np.stack([np.sin(angles), np.cos(angles)], axis=1).reshape(even, n)[:d]""",
)
MASKS: dict[str, Both] = {
    "causal": (
        "mask = np.tri(len(x), len(context), dtype=bool)   # no token attends to a later one\n",
        "mask = np.tri(x.shape[-1], context.shape[-1], dtype=bool).T   # no token attends to a later one\n",
    ),
    "padding": (
        "mask = np.arange(len(context)) < len(context) - 1   # the last token is a filler\n",
        "mask = (np.arange(context.shape[-1]) < context.shape[-1] - 1)[:, None]   # the last token is a filler\n",
    ),
}
SPLIT_INTO_HEADS: Both = (
    """\
def split(m):                      # (n, heads · d) -> (heads, n, d)
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)""",
    """\
def split(m):                      # (heads · d, n) -> (heads, d, n)
    return m.reshape(n_heads, -1, m.shape[-1])""",
)
IN_HEADS: Both = (
    "q_heads, k_heads, v_heads = split(q), split(k), split(v)\nscaled = q_heads @ k_heads.swapaxes(-1, -2) * SCALE",
    "q_heads, k_heads, v_heads = split(q), split(k), split(v)\nscaled = k_heads.swapaxes(-1, -2) @ q_heads * SCALE",
)
TAKE: Both = ("heads = weights @ v_heads", "heads = v_heads @ weights")
MIX: Both = (
    """\
concat = heads.swapaxes(0, 1).reshape(len(x), -1)
output = concat @ w_o""",
    """\
concat = heads.reshape(-1, x.shape[-1])
output = w_o @ concat""",
)
D_K: Both = ("d_k = w_q.shape[-1]", "d_k = len(w_q)")
SAYS_PROJECT = (
    "The same rows of tokens times three different matrices: what each token looks for, what it can be found by, and "
    "what others take from it."
)
SAYS_SCORES = "Every query times every key: multiply feature by feature, and add."
SAYS_SOFTMAX = "Softmax makes weights from the scores: they are positive, and each row adds up to 1."
SAYS_OUTPUT = "The output of each token: all values, each times its weight, added."
SAYS_ENCODING = (
    "Each position has a row, and each pair of columns its own speed: fast waves distinguish neighbours, slow waves "
    "distinguish positions that are far apart."
)


def tailor(both: Both, example: Example) -> Texts:
    """Return the code of a block for an example, as the keyword arguments `rows` and `columns` of `Block`.

    `both` has the code for tokens as rows and for tokens as columns. If the example has no biases or no context, they
    are removed from the code.
    """
    rows, columns = (for_example(text, example) for text in both)
    return {"rows": rows, "columns": columns}


def join(*parts: Both) -> Both:
    """Return several parts of code below each other, with an empty line after each function, for both layouts."""
    rows, columns = ("".join(_with_space(part[side]) for part in parts).rstrip("\n") for side in (0, 1))
    return rows, columns


def _with_space(text: str) -> str:
    return text + ("\n\n" if text.startswith("def ") else "\n")


def both_of(both: Both) -> Texts:
    """Return the two texts in `both` as the keyword arguments `rows` and `columns` of `Block`."""
    return {"rows": both[0], "columns": both[1]}


def same(text: str) -> Both:
    """Return the same code twice, for tokens as rows and for tokens as columns."""
    return text, text

"""The code of one view of the page “Positional encoding”: three ways to write a position (counting, bits and waves)."""

from __future__ import annotations

from attention_core.experiments.numbering import number_tokens
from attention_core.positions import sinusoidal_at
from pages.shared.codes.pieces import SINUSOIDAL, SOFTMAX, Both, join, tailor
from pages.shared.takehome.code import Block, Code, given_of, start_of

NUMBERED: Both = (
    """\
def scores(places):                                          # of the last token
    placed = x + places
    q, k = placed[-1:] @ w_q + b_q, CONTEXT @ w_k + b_k
    return q @ k.T * (1 / np.sqrt(q.shape[-1]))

n, d = x.shape
positions = np.arange(n)[:, None]
counted, bits = 0 * x + positions + 1, positions // 2.0 ** np.arange(d) % 2
ways = (0 * x, counted, bits, encode(n, d, base))
numbered_scores = np.concatenate([scores(places) for places in ways])
numbered = softmax(numbered_scores)""",
    """\
def scores(places):                                          # of the last token
    placed = x + places
    q, k = w_q @ placed[:, -1:] + b_q, w_k @ CONTEXT + b_k
    return k.T @ q * (1 / np.sqrt(len(q)))

d, n = x.shape
positions = np.arange(n)
counted, bits = 0 * x + positions + 1, positions // 2.0 ** np.arange(d)[:, None] % 2
ways = (0 * x, counted, bits, encode(n, d, base))
numbered_scores = np.concatenate([scores(places) for places in ways], axis=1)
numbered = softmax(numbered_scores)""",
)


def numbering(parameters, example) -> Code:
    """Return the code that computes the last token’s weights once for each way to write positions, such as bits."""
    keys = "context" if example.context is not None else "placed"
    numbered = tuple(text.replace("CONTEXT", keys) for text in NUMBERED)
    says = "Counting outweighs the words, bits jump, and waves do neither. There is a row of weights of the last token "
    "for each way."
    return Code(
        name="numbering",
        given=given_of(example, "w_v", "b_v", "w_o") | {"base": float(parameters.base)},
        **start_of(example),
        core=(number_tokens, sinusoidal_at),
        blocks=(
            Block(
                title="Ways to write a position",
                key="numbering",
                says=says,
                **tailor(join(SINUSOIDAL, SOFTMAX, numbered), example),  # type: ignore[arg-type]
            ),
        ),
    )

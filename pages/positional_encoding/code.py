"""The code of the page “Positional encoding”, for each of its views."""

from __future__ import annotations

from typing import Any

from attention_core import embed_positions, rope_scores, shift_pair, shuffle_tokens, sinusoidal
from attention_core.experiments.positions import compare_formulas, cosine_similarities, new_order, number_tokens
from attention_core.positions import alibi_bias, alibi_slopes, rotary, sinusoidal_at, wavelengths
from attention_core.rotation import shift_rotation
from pages.positional_encoding.encoding import TEXTS
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import (
    D_K,
    PROJECT,
    SAYS_ENCODING,
    SAYS_PROJECT,
    SCORES,
    SINUSOIDAL,
    SOFTMAX,
    Both,
    both_of,
    join,
    same,
    tailor,
)
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
    say = parameters.say
    return Code(
        name="rope",
        given=given_of(example, "w_v", "b_v", "w_o") | given,
        **start_of(example),
        core=(rope_scores, rotary),
        blocks=(
            Block(title=say(TEXTS, "code_of_projection"), **tailor(_without_values(PROJECT), example)),
            Block(
                title=say(TEXTS, "code_of_rope"),
                key="rope",
                says=say(TEXTS, "reason_of_rope"),
                **tailor(join(turn, TURNED), example),
            ),
        ),
    )


def alibi(parameters, example) -> Code:
    """Return the code of ALiBi for the head that is shown."""
    penalty = join((SLOPES, SLOPES), D_K, SCORES, same("scaled = scores * (1 / np.sqrt(d_k))"), BIAS)
    say = parameters.say
    shares = join(SOFTMAX, same("weights_plain, weights = softmax(scaled), softmax(masked)"))
    rows, columns = join(penalty, shares)
    heads, head = parameters.heads, min(parameters.head, parameters.heads) - 1
    return Code(
        name=f"alibi_head_{head + 1}",
        given=given_of(example, "w_v", "b_v", "w_o") | {"n_heads": heads, "head": head},
        **start_of(example),
        core=(alibi_slopes, alibi_bias),
        blocks=(
            Block(
                title=say(TEXTS, "code_of_projection"),
                says=SAYS_PROJECT,
                **tailor(_without_values(PROJECT), example),
            ),
            Block(
                title=say(TEXTS, "code_of_alibi"),
                key="alibi",
                says=say(TEXTS, "reason_of_alibi"),
                **tailor((rows, columns), example),
            ),
        ),
    )


def _without_values(both: Both) -> Both:
    rows, columns = ("\n".join(text.split("\n")[:2]) for text in both)
    return rows, columns


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
    return Code(
        name="numbering",
        given=given_of(example, "w_v", "b_v", "w_o") | {"base": float(parameters.base)},
        **start_of(example),
        core=(number_tokens, sinusoidal_at),
        blocks=(
            Block(
                title=parameters.say(TEXTS, "code_of_numbering"),
                key="numbering",
                says=parameters.say(TEXTS, "reason_of_numbering"),
                **tailor(join(SINUSOIDAL, SOFTMAX, numbered), example),  # type: ignore[arg-type]
            ),
        ),
    )


ATTEND: Both = (
    """\
def attend(x):
    q, k, v = x @ w_q + b_q, context @ w_k + b_k, context @ w_v + b_v
    return softmax(q @ k.T * (1 / np.sqrt(q.shape[-1]))) @ v""",
    """\
def attend(x):
    q, k, v = w_q @ x + b_q, w_k @ context + b_k, w_v @ context + b_v
    return v @ softmax(k.T @ q * (1 / np.sqrt(len(q))))""",
)
PLACED: Both = (
    "sinusoidal = encode(*x.shape, base)\npositioned = EMBEDDED + sinusoidal",
    "sinusoidal = encode(*x.T.shape, base)\npositioned = EMBEDDED + sinusoidal",
)
EMBEDDED: Both = ("embedded = x * np.sqrt(x.shape[-1])", "embedded = x * np.sqrt(len(x))")
BAG: Both = (
    """\
shuffled_bag, moved_bag = attend(EMBEDDED[order]), attend(EMBEDDED)[order]
difference_bag = shuffled_bag - moved_bag                    # nothing but rounding""",
    """\
shuffled_bag, moved_bag = attend(EMBEDDED[:, order]), attend(EMBEDDED)[:, order]
difference_bag = shuffled_bag - moved_bag                    # nothing but rounding""",
)
SHUFFLED: Both = (
    """\
shuffled_placed, moved_placed = attend(EMBEDDED[order] + sinusoidal), attend(positioned)[order]
difference_placed = shuffled_placed - moved_placed""",
    """\
shuffled_placed, moved_placed = attend(EMBEDDED[:, order] + sinusoidal), attend(positioned)[:, order]
difference_placed = shuffled_placed - moved_placed""",
)
WAVELENGTHS: Both = (
    "wavelengths = (2 * np.pi / base ** (-np.arange(0, width, 2) / width))[None]",
    "wavelengths = (2 * np.pi / base ** (-np.arange(0, width, 2) / width))[:, None]",
)
SHIFT: Both = (
    """\
rate = base ** (-2 * pair / width)
start, turn = position * rate, shift * rate
before = np.array([[sin(start), cos(start)]])
rotation = np.array([[cos(turn), -sin(turn)], [sin(turn), cos(turn)]])   # it does not depend on the start
after = before @ rotation""",
    """\
rate = base ** (-2 * pair / width)
start, turn = position * rate, shift * rate
before = np.array([[sin(start)], [cos(start)]])
rotation = np.array([[cos(turn), sin(turn)], [-sin(turn), cos(turn)]])   # it does not depend on the start
after = rotation @ before""",
)
COSINES: Both = (
    """\
def cosines(table):
    lengths = (table**2).sum(axis=1) ** 0.5
    return table @ table.T / np.outer(lengths, lengths)""",
    """\
def cosines(table):
    lengths = (table**2).sum(axis=0) ** 0.5
    return table.T @ table / np.outer(lengths, lengths)""",
)
FORMULAS: Both = (
    """\
def interleaved(sines, cosines):
    return np.stack([sines, cosines], axis=-1).reshape(len(sines), -1)

positions, rates = np.arange(max(n, one + 1, other + 1))[:, None], base ** (-np.arange(0, width, 2) / width)
next_rates = rates**2 * base ** (-2 / width)
paper = interleaved(np.sin(positions * rates), np.cos(positions * rates))
doubled = interleaved(np.sin(positions * rates**2), np.cos(positions * rates**2))
shifted = interleaved(np.sin(positions * rates**2), np.cos(positions * next_rates))
similar = {name: table[one] @ table[other] / (table[one] @ table[one] * (table[other] @ table[other])) ** 0.5
           for name, table in {"paper": paper, "doubled": doubled, "shifted": shifted}.items()}""",
    """\
def interleaved(sines, cosines):
    return np.stack([sines, cosines], axis=1).reshape(-1, sines.shape[-1])

positions, rates = np.arange(max(n, one + 1, other + 1)), base ** (-np.arange(0, width, 2) / width)[:, None]
next_rates = rates**2 * base ** (-2 / width)
paper = interleaved(np.sin(positions * rates), np.cos(positions * rates))
doubled = interleaved(np.sin(positions * rates**2), np.cos(positions * rates**2))
shifted = interleaved(np.sin(positions * rates**2), np.cos(positions * next_rates))
similar = {name: t[:, one] @ t[:, other] / (t[:, one] @ t[:, one] * (t[:, other] @ t[:, other])) ** 0.5
           for name, t in {"paper": paper, "doubled": doubled, "shifted": shifted}.items()}""",
)


def code(parameters, example) -> Code:
    """Return the code of the open view of the page “Positional encoding”."""
    views = {
        "bag": _bag, "numbering": numbering, "encoding": _encoding, "rotation": _rotation,
        "distance": _distance, "formulas": _formulas,
        "rope": rope, "alibi": alibi,
    }  # fmt: skip
    return with_mistake(views[parameters.look](parameters, example), parameters, example)


def _bag(parameters, example) -> Code:
    order = new_order(parameters.order, len(example.tokens), parameters.first, parameters.second)
    own = "embedded" if parameters.root else "x"
    bag, placed, shuffled = (tuple(text.replace("EMBEDDED", own) for text in both) for both in (BAG, PLACED, SHUFFLED))
    alone = join(SOFTMAX, ATTEND, *([EMBEDDED] if parameters.root else []), bag)  # type: ignore[arg-type]
    added = join(SINUSOIDAL, placed, shuffled)  # type: ignore[arg-type]
    say = parameters.say
    return Code(
        name="bag",
        given=given_of(example, "w_o") | {"base": float(parameters.base), "order": list(order)},
        **start_of(example),
        core=(embed_positions, sinusoidal_at, shuffle_tokens),
        blocks=(
            Block(
                title=say(TEXTS, "code_of_shuffle"),
                key="shuffle",
                says=say(TEXTS, "reason_of_shuffle"),
                **tailor(alone, example),
            ),
            Block(
                title=say(TEXTS, "code_of_sum"),
                key="embedding",
                says=say(TEXTS, "reason_of_sum"),
                **tailor(added, example),
            ),
        ),
    )


def _encoding(parameters, example) -> Code:
    rows, columns = join(SINUSOIDAL, same("sinusoidal = encode(n, width, base)"), WAVELENGTHS)
    title = parameters.say(TEXTS, "code_of_encoding")
    block = Block(title=title, key="encoding", says=SAYS_ENCODING, rows=rows, columns=columns)
    return Code(name="encoding", given=_sizes(parameters), core=(sinusoidal_at, wavelengths), blocks=(block,))


def _rotation(parameters, example) -> Code:
    width = parameters.width
    given: dict[str, Any] = {
        "width": width,
        "base": float(parameters.base),
        "pair": min(parameters.pair, width // 2) - 1,
        "position": parameters.position,
        "shift": parameters.shift,
    }
    rows, columns = (f"from math import cos, sin\n\n{text}" for text in SHIFT)
    title, says = parameters.say(TEXTS, "code_of_rotation"), parameters.say(TEXTS, "reason_of_rotation")
    block = Block(title=title, key="rotation", says=says, rows=rows, columns=columns)
    return Code(name="rotation", given=given, core=(shift_rotation, shift_pair), blocks=(block,))


def _distance(parameters, example) -> Code:
    similar = "similarity = cosines(encode(n, width, base))\nsimilarity_four = cosines(encode(8, 4))   # at width 4"
    rows, columns = join(SINUSOIDAL, COSINES, (similar, similar))
    title, says = parameters.say(TEXTS, "code_of_distance"), parameters.say(TEXTS, "reason_of_distance")
    block = Block(title=title, key="similarity", says=says, rows=rows, columns=columns)
    return Code(name="distance", given=_sizes(parameters), core=(cosine_similarities, sinusoidal_at), blocks=(block,))


def _formulas(parameters, example) -> Code:
    given: dict[str, Any] = {
        "n": parameters.length,
        "width": parameters.wide,
        "base": float(parameters.base),
        "one": parameters.one,
        "other": parameters.other,
    }
    title, says = parameters.say(TEXTS, "code_of_formulas"), parameters.say(TEXTS, "reason_of_formulas")
    block = Block(title=title, says=says, **both_of(FORMULAS))
    return Code(name="formulas", given=given, core=(sinusoidal, compare_formulas), blocks=(block,))


def _sizes(parameters) -> dict[str, Any]:
    return {"n": parameters.positions, "width": parameters.width, "base": float(parameters.base)}

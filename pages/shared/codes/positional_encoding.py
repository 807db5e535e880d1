"""The code of the page “Positional encoding”, for each of its views."""

from __future__ import annotations

from typing import Any

from attention_core import embed_positions, shift_pair, shuffle_tokens, sinusoidal
from attention_core.experiments.order import new_order
from attention_core.experiments.position_similarity import compare_formulas, cosine_similarities
from attention_core.positions import sinusoidal_at, wavelengths
from attention_core.rotation import shift_rotation
from pages.shared.codes import relative_positions
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.numbering import numbering
from pages.shared.codes.pieces import SAYS_ENCODING, SINUSOIDAL, SOFTMAX, Both, both_of, join, same, tailor
from pages.shared.takehome.code import Block, Code, given_of, start_of

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
        "rope": relative_positions.rope, "alibi": relative_positions.alibi,
    }  # fmt: skip
    return with_mistake(views[parameters.look](parameters, example), parameters, example)


def _bag(parameters, example) -> Code:
    order = new_order(parameters.order, len(example.tokens), parameters.first, parameters.second)
    own = "embedded" if parameters.root else "x"
    bag, placed, shuffled = (tuple(text.replace("EMBEDDED", own) for text in both) for both in (BAG, PLACED, SHUFFLED))
    alone = join(SOFTMAX, ATTEND, *([EMBEDDED] if parameters.root else []), bag)  # type: ignore[arg-type]
    added = join(SINUSOIDAL, placed, shuffled)  # type: ignore[arg-type]
    says = "Without positions, the output of a token is the same in every order."
    second = "The encoding of its position is added to the row of each token. Now the order matters."
    return Code(
        name="bag",
        given=given_of(example, "w_o") | {"base": float(parameters.base), "order": list(order)},
        **start_of(example),
        core=(embed_positions, sinusoidal_at, shuffle_tokens),
        blocks=(
            Block(title="The same tokens in another order", key="shuffle", says=says, **tailor(alone, example)),
            Block(title="Positions, added", key="embedding", says=second, **tailor(added, example)),
        ),
    )


def _encoding(parameters, example) -> Code:
    rows, columns = join(SINUSOIDAL, same("sinusoidal = encode(n, width, base)"), WAVELENGTHS)
    block = Block(title="The encoding", key="encoding", says=SAYS_ENCODING, rows=rows, columns=columns)
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
    says = "To go on by a number of positions, each pair turns by an angle. The matrix of this rotation does not "
    "depend on the position where it starts."
    block = Block(title="A shift is a rotation", key="rotation", says=says, rows=rows, columns=columns)
    return Code(name="rotation", given=given, core=(shift_rotation, shift_pair), blocks=(block,))


def _distance(parameters, example) -> Code:
    similar = "similarity = cosines(encode(n, width, base))\nsimilarity_four = cosines(encode(8, 4))   # at width 4"
    rows, columns = join(SINUSOIDAL, COSINES, (similar, similar))
    says = "How similar are two positions? Only their distance counts; nearer is not always more similar."
    block = Block(title="How similar positions are", key="similarity", says=says, rows=rows, columns=columns)
    return Code(name="distance", given=_sizes(parameters), core=(cosine_similarities, sinusoidal_at), blocks=(block,))


def _formulas(parameters, example) -> Code:
    given: dict[str, Any] = {
        "n": parameters.length,
        "width": parameters.wide,
        "base": float(parameters.base),
        "one": parameters.one,
        "other": parameters.other,
    }
    says = "In the paper $i$ counts pairs. Code often counts columns, 0, 2, 4 …, and that is $2i$ already."
    block = Block(title="Three formulas, and how similar two positions are", says=says, **both_of(FORMULAS))
    return Code(name="formulas", given=given, core=(sinusoidal, compare_formulas), blocks=(block,))


def _sizes(parameters) -> dict[str, Any]:
    return {"n": parameters.positions, "width": parameters.width, "base": float(parameters.base)}

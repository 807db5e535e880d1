"""The exhibits with several heads or with positions: mistakes in real code."""

from collections.abc import Callable

from attention_core.arithmetic.position_rules import encoding_rules
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.mistakes import sinusoidal_doubled_exponent, sinusoidal_shifted_cosine
from attention_core.museum.exhibit import Exhibit, Outcome, exhibit_of_heads
from attention_core.positions import sinusoidal

HEADS_EXHIBITS: tuple[Exhibit, ...] = (
    exhibit_of_heads(
        "w_o_forgotten",
        example_name="translation",
        name="back_to_the_width",
        title="Back to the width of the tokens",
        task="Queries, keys and values have an axis for the heads. The output should be that of the whole layer.",
        inputs=("q", "k", "v", "w_o"),
        code="""\
scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
heads = softmax(scores, axis=-1) @ v
n_heads, n, d_v = heads.shape
output = heads.swapaxes(0, 1).reshape(n, n_heads * d_v)""",
        wrong_line=4,
        correct_line="output = heads.swapaxes(0, 1).reshape(n, n_heads * d_v) @ w_o",
    ),
    exhibit_of_heads(
        "heads_by_reshape",
        result="heads",
        name="two_heads",
        title="One matrix, two heads",
        task="The cell cuts the projections into heads. Each head computes its own attention.",
        inputs=("x", "w_q", "w_k", "w_v", "n_heads"),
        code="""\
def split(m):
    return m.reshape(n_heads, len(m), -1)
q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
heads = softmax(scores, axis=-1) @ v""",
        wrong_line=2,
        correct_line="    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)",
    ),
    exhibit_of_heads(
        "heads_scaled_by_full_width",
        name="all_heads_at_once",
        title="All heads at once",
        task="Queries, keys and values have an axis for the heads, so one product serves all heads.",
        inputs=("q", "k", "v", "w_q", "w_o"),
        code="""\
scale = w_q.shape[-1] ** -0.5
scores = q @ k.swapaxes(-1, -2) * scale
weights = softmax(scores, axis=-1)
concat = np.hstack(list(weights @ v))
output = concat @ w_o""",
        wrong_line=1,
        correct_line="scale = q.shape[-1] ** -0.5",
    ),
    exhibit_of_heads(
        "heads_averaged",
        name="what_the_heads_found",
        title="The outputs of the heads",
        task="Each head computes its output. Then the cell makes one output of them.",
        inputs=("q", "k", "v", "w_o", "n_heads"),
        code="""\
def attend(h):
    scores = q[h] @ k[h].T / np.sqrt(q.shape[-1])
    return softmax(scores, axis=-1) @ v[h]
heads = np.array([attend(h) for h in range(n_heads)])
concat = np.tile(heads.mean(axis=0), n_heads)
output = concat @ w_o""",
        wrong_line=5,
        correct_line="concat = np.hstack(list(heads))",
    ),
    exhibit_of_heads(
        "heads_slice_the_input",
        example_name="translation",
        name="a_loop_over_heads",
        title="A loop over the heads",
        task="Multi-head attention, one head after the other.",
        inputs=("x", "w_q", "w_k", "w_v", "w_o", "n_heads"),
        code="""\
d_head = w_q.shape[-1] // n_heads
heads = []
for h in range(n_heads):
    own = slice(h * d_head, (h + 1) * d_head)
    q, k, v = (x[:, own] @ w[own, own] for w in (w_q, w_k, w_v))
    weights = softmax(q @ k.T / np.sqrt(d_head), axis=-1)
    heads.append(weights @ v)
output = np.hstack(heads) @ w_o""",
        wrong_line=5,
        correct_line="    q, k, v = (x @ w[:, own] for w in (w_q, w_k, w_v))",
    ),
)


N, D_MODEL = 6, 8  # the sizes in the cells


def _outcome_of_encoding(encoding: Callable[[int, int], Array]) -> Callable[[], Outcome]:
    @cache_recent
    def outcome() -> Outcome:
        wrong, right = {"encoding": encoding(N, D_MODEL)}, {"encoding": sinusoidal(N, D_MODEL)}
        return Outcome(correct_trace=encoding_rules(N, D_MODEL), wrong=wrong, correct=right)

    return outcome


POSITIONS_EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit(
        name="sine_and_cosine",
        title="A sine and a cosine",
        task="The encoding of the paper: pair i of the columns is the sine and cosine of pos / 10000^(2i / d_model).",
        inputs=(),
        code="""\
n, d_model = 6, 8
encoding = np.zeros((n, d_model))
for pos in range(n):
    for i in range(0, d_model, 2):
        angle = pos / 10000 ** (2 * i / d_model)
        encoding[pos, i] = np.sin(angle)
        encoding[pos, i + 1] = np.cos(angle)""",
        wrong_line=5,
        correct_line="        angle = pos / 10000 ** (i / d_model)",
        result="encoding",
        outcome=_outcome_of_encoding(sinusoidal_doubled_exponent),
        why="In the paper, i counts pairs. Here it counts columns (0, 2, 4 …), so it is 2i already. Doubled again, "
        "it is "
        "the paper’s formula with base 10000²: the waves slow down twice as fast, and the last columns hardly change.",
        sources=("001-01",),
        page="positional_encoding",
        state={"mistake": "exponent_doubled"},
    ),
    Exhibit(
        name="no_loop",
        title="Without a loop",
        task="The same encoding, all positions and columns in one go.",
        inputs=(),
        code="""\
n, d_model = 6, 8
position = np.arange(n)[:, None]
column = np.arange(d_model)
angles = position / 10000 ** (2 * column / d_model)
encoding = np.empty((n, d_model))
encoding[:, 0::2] = np.sin(angles[:, 0::2])
encoding[:, 1::2] = np.cos(angles[:, 1::2])""",
        wrong_line=4,
        correct_line="angles = position / 10000 ** (2 * (column // 2) / d_model)",
        result="encoding",
        outcome=_outcome_of_encoding(sinusoidal_shifted_cosine),
        why="A sine and its cosine must have the same wavelength. Here every column has its own. Then the similarity "
        "of "
        "two positions depends on the positions themselves, and not on their distance alone.",
        sources=(
            "SamLynnEvans/Transformer#25",
            "jadore801120/attention-is-all-you-need-pytorch#32",
            "shenweichen/DeepCTR#379",
        ),
        page="positional_encoding",
        state={"mistake": "cosine_shifted"},
    ),
)

"""Cells of code with a mistake in the sinusoidal encoding: a misread index."""

from collections.abc import Callable

from attention_core.arithmetic.position_rules import encoding_rules
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.mistakes import sinusoidal_doubled_exponent, sinusoidal_shifted_cosine
from attention_core.museum.exhibit import Exhibit, Outcome
from attention_core.positions import sinusoidal

N, D_MODEL = 6, 8  # the sizes in the cells


def _outcome_of_encoding(encoding: Callable[[int, int], Array]) -> Callable[[], Outcome]:
    """Return a function that computes two encodings: the wrong one, by `encoding`, and the one of the paper."""

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

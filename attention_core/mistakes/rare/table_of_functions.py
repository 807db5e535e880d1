"""The table of functions that do not belong inside attention, and of the matrices that each may be applied to."""

from __future__ import annotations

from dataclasses import dataclass

NO_ACTIVATION = "Attention has no activation function between its steps, and negative numbers stay negative."
ONE_WAY = (
    "The shape is correct, but the numbers are in other places: you read them column by column, and wrote them row by "
    "row."
)
OTHER_WAY = (
    "The shape is correct, but the numbers are in other places: you read them row by row, and wrote them column by "
    "column."
)
NO_POSITIONS = "Positions are added once, to the embeddings, before attention. Here, the input already contains them."
NO_NORM = (
    "Attention has no normalisation except the softmax of the scaled scores. A norm belongs to the block around "
    "attention."
)
ONE_SOFTMAX = "Use the softmax only on the scaled scores, along each row. Do not use it on another matrix."
PLACES = "The numbers of this matrix are correct, but their order is changed."
OWN_ROW = "Each token has its own row. Here, the same row is used for all tokens."
OWN_COLUMN = "Each feature has its own column. Here, the same column is used for all features."
LEFT_OUT = "One row or column is still 0. Look for a loop that ends one step too early or begins one step too late."
CUT = (
    "Whole numbers are not exact enough: keep the decimals until the end. In NumPy, an array of integers loses all "
    "decimals."
)
SIGN = "A minus sign was lost or added. Check the signs of this matrix."
NOT_RESET = "Set the sum to 0 before each new sum. Otherwise it also contains all sums before it."
SIZE = "The formula does not have this step. It changes the size of the numbers, and so the result."


@dataclass(frozen=True, slots=True)
class Function:
    """A function such as ReLU, with the matrices that somebody may wrongly apply the function to."""

    name: str
    title: str  # {} stands for the matrix, and {be} for the verb “is” or “are” after it
    code: str  # {m} stands for the matrix
    why: str
    on: str  # the names of the matrices that the function may be applied to, separated by spaces


_NORM = "({m} - {m}.mean(axis={a}, keepdims=True)) / np.sqrt({m}.var(axis={a}, keepdims=True) + 1e-5)"
_WITHOUT_ROW = "{m} * np.reshape(np.arange({m}.shape[-2]) %s, (-1, 1))"
_WITHOUT_COLUMN = "{m} * (np.arange({m}.shape[-1]) %s)"
_TWO = "q k v qk qkv"
_ROW_NUMBERS = "np.reshape(np.arange({m}.shape[-2]), (-1, 1))"
_ANGLES = f"{_ROW_NUMBERS} / 10000 ** (np.arange({{m}}.shape[-1]) // 2 * 2 / {{m}}.shape[-1])"
FUNCTIONS: tuple[Function, ...] = (
    Function("relu", "A ReLU is applied to {}", "np.maximum({m}, 0)", NO_ACTIVATION, f"x {_TWO} scores output"),
    Function("tanh", "A tanh is applied to {}", "np.tanh({m})", NO_ACTIVATION,
        f"x {_TWO} scores scaled weights output"),
    Function("sigmoid", "A sigmoid is applied to {}", "1 / (1 + np.exp(-{m}))", NO_ACTIVATION,
        f"{_TWO} scores scaled output"),
    Function(
        "gelu", "A GELU is applied to {}", "{m} / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * ({m} + 0.044715 * {m} ** 3)))",
        NO_ACTIVATION, f"{_TWO} scores scaled output",
    ),
    Function("softmax", "A softmax is applied to {}", "softmax({m})", ONE_SOFTMAX, f"x {_TWO} scores output"),
    Function(
        "softmax_down", "A softmax runs down the columns of {}", "softmax({m}, axis=-2)", ONE_SOFTMAX,
        f"x {_TWO} scores scaled weights output",
    ),
    Function("layer_norm", "A layer norm is applied to {}", _NORM.replace("{a}", "-1"), NO_NORM,
        f"{_TWO} scores scaled output"),
    Function(
        "layer_norm_without_a_small_number", "A layer norm without ε is applied to {}",
        "({m} - {m}.mean(axis=-1, keepdims=True)) / {m}.std(axis=-1, keepdims=True)", NO_NORM,
        f"x {_TWO} scaled output",
    ),
    Function(
        "layer_norm_by_one_less", "A layer norm with n − 1 is applied to {}",
        "({m} - {m}.mean(axis=-1, keepdims=True)) / "
        "np.sqrt({m}.var(axis=-1, keepdims=True) * {m}.shape[-1] / ({m}.shape[-1] - 1))", NO_NORM,
        f"x {_TWO} scaled output",
    ),
    Function(
        "normalised_as_a_whole", "All numbers of {} are normalised together",
        "({m} - {m}.mean(axis=(-2, -1), keepdims=True)) / {m}.std(axis=(-2, -1), keepdims=True)", NO_NORM,
        f"x {_TWO} scores scaled output",
    ),
    Function(
        "by_absolute_sum", "Each row of {} is divided by the sum of its sizes",
        "{m} / np.abs({m}).sum(axis=-1, keepdims=True)", NO_NORM, "x q k v scores output",
    ),
    Function(
        "rms_norm", "An RMS norm is applied to {}", "{m} / np.sqrt(({m} ** 2).mean(axis=-1, keepdims=True) + 1e-5)",
            NO_NORM,
        f"x {_TWO} scores output",
    ),
    Function(
        "batch_norm", "The columns of {} are normalised", _NORM.replace("{a}", "-2"), NO_NORM, f"x {_TWO} scores output"
    ),
    Function(
        "unit_rows", "Each row of {} is divided by its length", "{m} / np.linalg.norm({m}, axis=-1, keepdims=True)",
        NO_NORM, "x q k v qkv scores scaled output",
    ),
    Function(
        "by_sum", "Each row of {} is divided by its sum", "{m} / {m}.sum(axis=-1, keepdims=True)", NO_NORM,
        "x q k v qkv scores scaled output",
    ),
    Function(
        "by_sum_down", "Each column of {} is divided by its sum", "{m} / {m}.sum(axis=-2, keepdims=True)", NO_NORM,
        "x v scores weights output",
    ),
    Function(
        "by_maximum", "Each row of {} is divided by its maximum", "{m} / {m}.max(axis=-1, keepdims=True)", NO_NORM,
        "x q k v scores output",
    ),
    Function(
        "by_maximum_of_all", "{} {be} divided by the maximum of all", "{m} / {m}.max(axis=(-2, -1), keepdims=True)",
        NO_NORM, "x v scores weights output",
    ),
    Function("by_sum_of_all", "{} {be} divided by the sum of all", "{m} / {m}.sum(axis=(-2, -1), keepdims=True)",
        NO_NORM,
        "scores scaled output",
    ),
    Function(
        "from_nought_to_one", "Each row of {} is stretched from 0 to 1",
        "({m} - {m}.min(axis=-1, keepdims=True)) / ({m}.max(axis=-1, keepdims=True) - {m}.min(axis=-1, keepdims=True))",
        NO_NORM, "x v scores weights output",
    ),
    Function("centred", "The mean of each row is subtracted from {}", "{m} - {m}.mean(axis=-1, keepdims=True)", NO_NORM,
        "x q k output",
    ),
    Function(
        "centred_down", "The mean of each column is subtracted from {}", "{m} - {m}.mean(axis=-2, keepdims=True)",
            NO_NORM,
        "x q v output",
    ),
    Function(
        "positions_added", "Positions are added to {}",
        f"{{m}} + np.sin({_ANGLES} + np.arange({{m}}.shape[-1]) % 2 * np.pi / 2)", NO_POSITIONS,
        f"x {_TWO} output",
    ),
    Function("row_numbers_added", "The number of its row is added to {}",
        f"{{m}} + {_ROW_NUMBERS}", NO_POSITIONS, "x qk v"),
    Function("row_numbers_from_one_added", "The number of its row, from 1, is added to {}",
        f"{{m}} + 1 + {_ROW_NUMBERS}",
        NO_POSITIONS, "x qk v"),
    Function("negated", "{} {be} negated", "-{m}", SIGN, "scores output"),
    Function("absolute", "The minus signs of {} are lost", "np.abs({m})", SIGN, f"x {_TWO} scores output"),
    Function("squared", "{} {be} squared", "{m} ** 2", SIZE, "x q k v scores scaled weights output"),
    Function("cubed", "{} {be} raised to the third power", "{m} ** 3", SIZE, "scaled weights"),
    Function("rooted", "The root of {} is taken", "np.sqrt({m})", SIZE, "weights"),
    Function("exponential", "The exponential of {} is taken", "np.exp({m})", SIZE, "v scores scaled weights output"),
    Function("doubled", "{} {be} doubled", "2 * {m}", SIZE, "qk scores output"),
    Function("halved", "{} {be} halved", "{m} / 2", SIZE, "qk scores output"),
    Function("tenfold", "{} {be} multiplied by ten", "10 * {m}", SIZE, "scaled output"),
    Function("a_tenth", "{} {be} divided by ten", "{m} / 10", SIZE, "scaled output"),
    Function("clipped_to_one", "{} {be} kept between 0 and 1", "np.clip({m}, 0, 1)", SIZE, "x v scores scaled output"),
    Function("clipped", "{} {be} kept between −1 and 1", "np.clip({m}, -1, 1)", SIZE, f"x {_TWO} scores scaled output"),
    Function("cut", "{} {be} cut to whole numbers", "np.trunc({m})", CUT, f"x {_TWO} scores scaled weights output"),
    Function("rounded", "{} {be} rounded to whole numbers", "np.round({m})", CUT,
        f"x {_TWO} scores scaled weights output"),
    Function("rounded_down", "{} {be} rounded down to whole numbers", "np.floor({m})", CUT, f"x {_TWO} scores output"),
    Function(
        "rounded_to_one_decimal", "{} {be} rounded to one decimal", "np.round({m}, 1)",
        "You rounded this matrix to one decimal and then went on. So the result "
        "is not right to two decimals.", f"x {_TWO} scores scaled weights",
    ),
    Function("upside_down", "The rows of {} are in reverse order", "{m}[..., ::-1, :]", PLACES, "x k v"),
    Function("mirrored", "The columns of {} are in reverse order", "{m}[..., ::-1]", PLACES, "x q v"),
    Function("one_row_down", "The rows of {} are moved down by one", "np.roll({m}, 1, axis=-2)", PLACES, "x k v"),
    Function("one_row_up", "The rows of {} are moved up by one", "np.roll({m}, -1, axis=-2)", PLACES, "x k v"),
    Function("one_column_right", "The columns of {} are moved right by one", "np.roll({m}, 1, axis=-1)", PLACES,
        "x q v",
    ),
    Function("one_column_left", "The columns of {} are moved left by one", "np.roll({m}, -1, axis=-1)", PLACES,
        "x q v",
    ),
    Function(
        "column_by_column", "{} {be} read column by column", "{m}.T.reshape({m}.shape)",
        ONE_WAY,
        "x q k v",
    ),
    Function(
        "filled_by_columns", "{} {be} filled in column by column", "{m}.reshape({m}.T.shape).T",
        OTHER_WAY, "x q v",
    ),
    Function("turned", "{} {be} transposed", "{m}.T", PLACES, "x q"),
    Function("first_row", "All tokens use the first row of {}", "{m}[..., :1, :] + 0 * {m}", OWN_ROW, "q k v weights"),
    Function("last_row", "All tokens use the last row of {}", "{m}[..., -1:, :] + 0 * {m}", OWN_ROW, "q k v weights"),
    Function("mean_row", "All tokens use the mean row of {}", "{m}.mean(axis=-2, keepdims=True) + 0 * {m}", OWN_ROW,
        "output",
    ),
    Function("first_column", "All features use the first column of {}", "{m}[..., :1] + 0 * {m}", OWN_COLUMN, "v"),
    Function("last_row_nought", "The last row of {} is still 0", _WITHOUT_ROW % "< {m}.shape[-2] - 1", LEFT_OUT,
        "x q k output",
    ),
    Function("first_row_nought", "The first row of {} is still 0", _WITHOUT_ROW % "> 0", LEFT_OUT,
        "x q k output",
    ),
    Function(
        "last_column_nought", "The last column of {} is still 0", _WITHOUT_COLUMN % "< {m}.shape[-1] - 1", LEFT_OUT,
        "output",
    ),
    Function("first_column_nought", "The first column of {} is still 0", _WITHOUT_COLUMN % "> 0", LEFT_OUT,
        "output",
    ),
    Function(
        "diagonal_nought", "The diagonal of {} is set to 0", "{m} * (1 - np.eye(*{m}.shape[-2:]))",
        "A token may attend to itself, so the diagonal stays as it is.", "scores weights",
    ),
    Function(
        "diagonal_alone", "Only the diagonal of {} is kept", "{m} * np.eye(*{m}.shape[-2:])",
        "A token attends to all tokens that the mask allows, and not only to itself.", "scores weights",
    ),
    Function("summed_along", "The sums of {} are not set back to 0 in a row", "np.cumsum({m}, axis=-1)", NOT_RESET,
        "q k scores weights output",
    ),
    Function("summed_down", "The sums of {} are not set back to 0 from row to row", "np.cumsum({m}, axis=-2)",
        NOT_RESET,
        "scores output",
    ),
    Function(
        "less_their_distance", "The distance of the tokens is subtracted from {}",
        "{m} - np.abs(np.reshape(np.arange({m}.shape[-2]), (-1, 1)) - np.arange({m}.shape[-1]))",
        "The distance between two tokens is not part of a score.", "scaled",
    ),
    Function(
        "with_its_transpose", "{} {be} added to its transpose", "{m} + {m}.T",
        "Do not add the transposed matrix. The score of token i for token j can differ from the score of token j for "
        "token i.", "scores weights",
    ),
    Function(
        "with_ones_on_the_diagonal", "1 is added on the diagonal of {}", "{m} + np.eye(*{m}.shape[-2:])",
        "Do not add 1 on the diagonal. The score of a token for itself is a dot product like all "
        "other scores.", "scores scaled",
    ),
)  # fmt: skip

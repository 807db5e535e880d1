"""Cells of code with a mistake in the softmax: along the wrong axis, left out, applied twice, or with an overflow."""

from attention_core.museum.exhibit import Exhibit, exhibit_of_mistake

LARGE_X = ((25, 0, 0, 50, 0), (25, 0, 25, 0, 0), (0, 25, 0, 25, 25))  # x of the example “hand” times 25

SOFTMAX_EXHIBITS: tuple[Exhibit, ...] = (
    exhibit_of_mistake(
        "softmax_over_columns",
        name="three_shares",
        title="Three queries, three shares",
        task="Each of three queries shares out one unit of attention among three keys.",
        inputs=("q", "k", "v"),
        code="""\
scores = q @ k.T / np.sqrt(q.shape[-1])
powers = np.exp(scores - scores.max())
totals = powers.sum(axis=0)
weights = powers / totals
output = weights @ v""",
        wrong_line=3,
        correct_line="totals = powers.sum(axis=-1, keepdims=True)",
    ),
    exhibit_of_mistake(
        "softmax_over_whole_matrix",
        name="one_call",
        title="One call does it",
        task="From tokens to outputs, with SciPy for the softmax.",
        inputs=("x", "w_q", "w_k", "w_v"),
        code="""\
d_k = w_k.shape[-1]
q, k, v = x @ w_q, x @ w_k, x @ w_v
scores = q @ k.T / np.sqrt(d_k)
weights = softmax(scores)
output = weights @ v""",
        wrong_line=4,
        correct_line="weights = softmax(scores, axis=-1)",
    ),
    exhibit_of_mistake(
        "softmax_twice",
        name="a_helper",
        title="A helper for the weights",
        task="A function computes the attention weights, and the cell uses it.",
        inputs=("q", "k", "v"),
        code="""\
def attention_weights(q, k):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return softmax(scores, axis=-1)
shares = attention_weights(q, k)
weights = softmax(shares, axis=-1)
output = weights @ v""",
        wrong_line=5,
        correct_line="weights = shares",
    ),
    exhibit_of_mistake(
        "softmax_without_maximum",
        edits={"x": LARGE_X},
        name="large_inputs",
        title="Large inputs",
        task="The formula of the paper, written out, for tokens that are not normalized.",
        inputs=("q", "k", "v"),
        code="""\
scores = q @ k.T / np.sqrt(q.shape[-1])
powers = np.exp(scores)
totals = powers.sum(axis=-1, keepdims=True)
weights = powers / totals
output = weights @ v""",
        wrong_line=2,
        correct_line="powers = np.exp(scores - scores.max(axis=-1, keepdims=True))",
    ),
)

"""Cells of code with a mistake in the scale: a wrong divisor of the scores, or a wrong step."""

from attention_core.museum.exhibit import Exhibit, exhibit_of_mistake

SCALING_EXHIBITS: tuple[Exhibit, ...] = (
    exhibit_of_mistake(
        "divided_by_d_k",
        name="as_the_paper_says",
        title="As the paper says",
        task="Scaled dot-product attention, with a function for the scores.",
        inputs=("q", "k", "v"),
        code="""\
def scaled_scores(q, k):
    d_k = q.shape[-1]
    return q @ k.T / d_k
weights = softmax(scaled_scores(q, k), axis=-1)
output = weights @ v""",
        wrong_line=3,
        correct_line="    return q @ k.T / np.sqrt(d_k)",
    ),
    exhibit_of_mistake(
        "scaled_after_softmax",
        name="four_lines",
        title="Four short lines",
        task="Scores, scale, softmax, output.",
        inputs=("q", "k", "v"),
        code="""\
root = np.sqrt(q.shape[-1])
scores = q @ k.T
weights = softmax(scores, axis=-1) / root
output = weights @ v""",
        wrong_line=3,
        correct_line="weights = softmax(scores / root, axis=-1)",
    ),
    exhibit_of_mistake(
        "divided_by_root_d_model",
        name="tokens_in",
        title="Tokens in, outputs out",
        task="One head, from its tokens to its output.",
        inputs=("x", "w_q", "w_k", "w_v"),
        code="""\
q, k, v = x @ w_q, x @ w_k, x @ w_v
scores = q @ k.T * x.shape[-1] ** -0.5
weights = softmax(scores, axis=-1)
output = weights @ v""",
        wrong_line=2,
        correct_line="scores = q @ k.T * k.shape[-1] ** -0.5",
    ),
    exhibit_of_mistake(
        "rounded_root",
        example_name="book",
        name="whole_numbers",
        title="Whole numbers",
        task="The ten steps of the book, where all numbers up to the scores are whole.",
        inputs=("q", "k", "v"),
        code="""\
d_k = k.shape[-1]
root = int(d_k**0.5)
scores = q @ k.T / root
weights = softmax(scores, axis=-1)
output = weights @ v""",
        wrong_line=2,
        correct_line="root = d_k**0.5",
    ),
    exhibit_of_mistake(
        "divided_by_root_n",
        name="dot_products",
        title="Dot products, made smaller",
        task="Dot products grow with the number of terms, so the cell divides them by its root.",
        inputs=("q", "k", "v"),
        code="""\
scores = q @ k.T
scores = scores / np.sqrt(len(k))
weights = softmax(scores, axis=-1)
output = weights @ v""",
        wrong_line=2,
        correct_line="scores = scores / np.sqrt(k.shape[-1])",
    ),
)

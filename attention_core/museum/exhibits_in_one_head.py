"""The exhibits with one head: mistakes in real code."""

from attention_core.caching import cache_recent
from attention_core.examples import example
from attention_core.mistakes import outer_scores
from attention_core.museum.exhibit import Exhibit, Outcome, exhibit_of_mistake

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


@cache_recent
def _outcome_of_outer_products() -> Outcome:
    right = example("hand").attention()
    return Outcome(
        correct_trace=right, wrong={"scores": outer_scores(right.q, right.k)}, correct={"scores": right.scores}
    )


QUERIES_KEYS_VALUES_EXHIBITS: tuple[Exhibit, ...] = (
    exhibit_of_mistake(
        "keys_as_values",
        name="three_projections",
        title="Three projections",
        task="Queries, keys and values from the tokens, then attention.",
        inputs=("x", "w_q", "w_k", "w_v"),
        code="""\
q = x @ w_q
k = x @ w_k
v = x @ w_k
weights = softmax(q @ k.T / np.sqrt(q.shape[-1]), axis=-1)
output = weights @ v""",
        wrong_line=3,
        correct_line="v = x @ w_v",
    ),
    exhibit_of_mistake(
        "keys_times_queries",
        name="who_asks_whom",
        title="Queries and keys",
        task="A score for every query and every key. Each token gets one row of weights.",
        inputs=("q", "k", "v"),
        code="""\
root = np.sqrt(q.shape[-1])
match = k @ q.T
weights = softmax(match / root, axis=-1)
output = weights @ v""",
        wrong_line=2,
        correct_line="match = q @ k.T",
    ),
    Exhibit(
        name="columns_of_the_book",
        title="As the book writes it",
        task="The book stores each query and each key as a column. The cell should compute a score for every pair.",
        inputs=("q", "k"),
        code="""\
queries = q[:, :, None]      # each a column
keys = k[:, :, None]
scores = []
for query in queries:
    scores.append([query @ key.T for key in keys])
scores = np.squeeze(scores)""",
        wrong_line=5,
        correct_line="    scores.append([query.T @ key for key in keys])",
        result="scores",
        outcome=_outcome_of_outer_products,
        why="For the shapes (d_k, 1) and (1, d_k), @ computes the outer product, which is a whole matrix. The score "
        "of a "
        "query and a key is one number, the dot product: (1, d_k) @ (d_k, 1). It is the sum of that matrix’s diagonal.",
        sources=("002-02", "002-03"),
        page="queries_keys_values",
        state={"example": "hand"},
    ),
    exhibit_of_mistake(
        "features_weighted",
        example_name="context",
        name="decoder_and_encoder",
        title="A decoder attends to an encoder",
        task="Each state of the decoder (the part of the model that writes) takes from the states of the encoder (the "
        "part of the model that reads). These states are keys and values at once.",
        inputs=("decoder", "encoder"),
        code="""\
contexts = []
for state in decoder:
    scores = encoder @ state / np.sqrt(state.size)
    weights = softmax(scores)
    contexts.append(sum(weights * encoder))
output = np.array(contexts)""",
        wrong_line=5,
        correct_line="    contexts.append(weights @ encoder)",
    ),
    exhibit_of_mistake(
        "one_value_for_every_key",
        name="two_loops",
        title="Two loops and a sum",
        task="The last product, written as two loops, so that you can see every term.",
        inputs=("q", "k", "v"),
        code="""\
weights = softmax(q @ k.T / np.sqrt(q.shape[-1]), axis=-1)
output = np.zeros_like(v)
for i, row in enumerate(weights):
    for j, weight in enumerate(row):
        output[i] += weight * v[i]""",
        wrong_line=5,
        correct_line="        output[i] += weight * v[j]",
    ),
    exhibit_of_mistake(
        "elementwise_scores",
        example_name="book",
        name="a_score_a_pair",
        title="A score for every pair",
        task="The ten steps of the book, up to the output.",
        inputs=("x", "w_q", "w_k", "w_v"),
        code="""\
q = x @ w_q
k = x @ w_k
v = x @ w_v
scores = q * k
weights = softmax(scores / np.sqrt(k.shape[-1]), axis=-1)
output = weights @ v""",
        wrong_line=4,
        correct_line="scores = q @ k.T",
    ),
    exhibit_of_mistake(
        "weights_transposed",
        example_name="translation",
        name="in_one_go",
        title="Projected in one go",
        task="Three projections in one line. The weights have a row for every feature of a token.",
        inputs=("x", "w_q", "w_k", "w_v"),
        code="""\
d_k = w_q.shape[-1]
q, k, v = ((w @ x.T).T for w in (w_q, w_k, w_v))
scores = q @ k.T / np.sqrt(d_k)
weights = softmax(scores, axis=-1)
output = weights @ v""",
        wrong_line=2,
        correct_line="q, k, v = (x @ w for w in (w_q, w_k, w_v))",
    ),
    exhibit_of_mistake(
        "terms_taken_for_outputs",
        example_name="book",
        name="weights_meet_values",
        title="Weights times values",
        task="The output of every token.",
        inputs=("q", "k", "v"),
        code="""\
scores = q @ k.T
scores = scores / np.sqrt(k.shape[-1])
weights = softmax(scores, axis=-1)
output = weights[0].reshape(-1, 1) * v""",
        wrong_line=4,
        correct_line="output = weights @ v",
    ),
)


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


ATTENTION_EXHIBITS: tuple[Exhibit, ...] = (
    exhibit_of_mistake(
        "mask_after_softmax",
        mask="causal",
        name="no_looking_ahead",
        title="A causal mask",
        task="Causal attention: a token must not attend to later tokens.",
        inputs=("q", "k", "v"),
        code="""\
n = len(q)
allowed = np.tril(np.ones((n, n), dtype=bool))
scores = q @ k.T / np.sqrt(q.shape[-1])
weights = np.where(allowed, softmax(scores, axis=-1), 0)
output = weights @ v""",
        wrong_line=4,
        correct_line="weights = softmax(np.where(allowed, scores, -np.inf), axis=-1)",
    ),
    exhibit_of_mistake(
        "mask_inverted",
        mask="padding",
        name="a_filler",
        title="A filler at the end",
        task="The last token only fills up the batch: no token may attend to it.",
        inputs=("q", "k", "v"),
        code="""\
real = np.array([True, True, False])
scores = q @ k.T / np.sqrt(q.shape[-1])
scores[:, real] = -np.inf
weights = softmax(scores, axis=-1)
output = weights @ v""",
        wrong_line=3,
        correct_line="scores[:, ~real] = -np.inf",
    ),
    exhibit_of_mistake(
        "mask_with_zeros",
        mask="causal",
        name="the_future",
        title="The future, set to zero",
        task="Causal attention again: a token must not attend to later tokens.",
        inputs=("q", "k", "v"),
        code="""\
past = np.tril(np.ones((len(q), len(k))))
scores = q @ k.T / np.sqrt(q.shape[-1])
scores = scores * past
weights = softmax(scores, axis=-1)
output = weights @ v""",
        wrong_line=3,
        correct_line="scores = np.where(past, scores, -np.inf)",
    ),
    exhibit_of_mistake(
        "scores_as_weights",
        name="query_by_query",
        title="Query by query",
        task="One query at a time. Each gets a weight for every key.",
        inputs=("q", "k", "v"),
        code="""\
def attention_weights(query, keys):
    return keys @ query
weights = np.array([attention_weights(query, k) for query in q])
output = weights @ v""",
        wrong_line=2,
        correct_line="    return softmax(keys @ query / np.sqrt(query.size))",
    ),
)

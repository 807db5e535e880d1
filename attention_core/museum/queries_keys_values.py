"""Cells of code with a mistake in queries, keys and values: a wrong product, a wrong order, or wrongly used weights."""

from attention_core.caching import cache_recent
from attention_core.examples import example
from attention_core.mistakes import outer_scores
from attention_core.museum.exhibit import Exhibit, Outcome, exhibit_of_mistake


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

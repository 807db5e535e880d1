"""Cells of code with a mistake in attention as a whole: masks, and scores that did not become weights."""

from attention_core.museum.exhibit import Exhibit, exhibit_of_mistake

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

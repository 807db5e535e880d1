"""The code of the page “Scaling”: the same scores with three divisors, and many random scores."""

from __future__ import annotations

from attention_core import attend
from attention_core.experiments.saturation import jacobian_norm
from attention_core.experiments.scores import draw
from attention_core.projection import scales
from pages.scaling.lesson import BY, TEXTS, nudge_of_example, random_scores
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import D_K, PROJECT, SAYS_PROJECT, SAYS_SCORES, SCORES, SOFTMAX, Both, join, same, tailor
from pages.shared.takehome.code import Block, Code, given_of, start_of

SCALES = {"one": "1.0", "root": "d_k ** -0.5", "dk": "1 / d_k"}
DRAWS = {
    "normal": "queries, keys = rng.normal(size=(2, 100, d_k))",
    "uniform": "x, w = rng.random((10, 64)), rng.random((2, 64, d_k))   # none is negative",
    "correlated": "queries, noise = rng.normal(size=(2, 100, d_k))\n"
    "    keys = correlation * queries + np.sqrt(1 - correlation**2) * noise",
}
ONE_ROW = """\
weights_drawn_one = softmax(drawn)
scaled_drawn_root = drawn / np.sqrt(width)
weights_drawn_root = softmax(scaled_drawn_root)
scaled_drawn_dk = drawn / width
weights_drawn_dk = softmax(scaled_drawn_dk)"""
JACOBIAN: Both = (
    "a = weights_root[0]                       # how much a row of weights changes with its scores\n"
    "jacobian = np.diag(a) - np.outer(a, a)\n"
    "norm = np.linalg.norm(jacobian)           # Frobenius: nearly 0 where one weight is nearly 1",
    "a = weights_root[:, 0]                    # how much a column of weights changes with its scores\n"
    "jacobian = np.diag(a) - np.outer(a, a)\n"
    "norm = np.linalg.norm(jacobian)           # Frobenius: nearly 0 where one weight is nearly 1",
)


def code(parameters, example) -> Code:
    """Return the code that computes what the page “Scaling” shows."""
    meet = join(PROJECT, D_K, SCORES)
    divided = join(SOFTMAX, *(_division(name) for name in SCALES))
    taken: Both = (
        "\n".join(f"output_{name} = weights_{name} @ v" for name in SCALES),
        "\n".join(f"output_{name} = v @ weights_{name}" for name in SCALES),
    )
    say = parameters.say
    random_row = {"drawn": random_scores(parameters), "width": parameters.d_k} if parameters.look == "draws" else {}
    made = Code(
        name="divided",
        given=given_of(example, "w_o") | random_row,
        **start_of(example),
        core=(attend, scales, jacobian_norm, draw),
        blocks=(
            Block(
                title=say(TEXTS, "code_of_scores"),
                key="meet",
                says=f"{SAYS_PROJECT} {SAYS_SCORES}",
                **tailor(meet, example),
            ),
            Block(
                title=say(TEXTS, "code_of_divisors"),
                key="divided",
                says=say(TEXTS, "reason_of_divisors"),
                **tailor(divided, example),
            ),
            Block(title=say(TEXTS, "code_of_outputs"), key="taken", **tailor(taken, example)),
            Block(title=say(TEXTS, "code_of_one_weight"), **tailor(_nudge(example), example)),
            Block(title=say(TEXTS, "code_of_all_weights"), **tailor(JACOBIAN, example)),
            *([Block(title=say(TEXTS, "code_of_one_row"), key="random", rows=ONE_ROW)] if random_row else []),
            Block(
                title=say(TEXTS, "code_of_draws"),
                says=say(TEXTS, "reason_of_draws"),
                rows=_draws(parameters),
                aside=True,
            ),
        ),
    )
    return with_mistake(made, parameters, example)


def _division(name: str) -> Both:
    return same(f"scaled_{name} = scores * ({SCALES[name]})\nweights_{name} = softmax(scaled_{name})")


def _nudge(example) -> Both:
    i, j = nudge_of_example(example).token, nudge_of_example(example).key
    tokens = example.tokens[i], example.key_tokens[j]
    return _nudge_at(f"{i}, {j}", *tokens), _nudge_at(f"{j}, {i}", *tokens)


def _nudge_at(place: str, asks: str, answers: str) -> str:
    moved = (f"moved_{name} = (softmax(nudged * ({SCALES[name]})) - weights_{name})[{place}]" for name in SCALES)
    return "\n".join([f"nudged = scores.copy()\nnudged[{place}] += {BY}   # “{asks}” asks “{answers}”", *moved])


def _draws(parameters) -> str:
    correlated = f"correlation = {parameters.correlation:g}\n" if parameters.distribution == "correlated" else ""
    of_runs, of_pairs = "((x @ w[0]) @ (x @ w[1]).T).ravel()", "(queries * keys).sum(axis=1)"
    score = of_runs if parameters.distribution == "uniform" else of_pairs
    return (
        f"rng = np.random.default_rng({parameters.seed})\nn, d_k = {parameters.draws}, {parameters.d_k}\n{correlated}"
        f"products = []\nfor _ in range(n // 100):\n    {DRAWS[parameters.distribution]}\n"
        f"    products.append({score})\n"
        "measured, predicted = np.concatenate(products).std(ddof=1), np.sqrt(d_k)\n"
        "error = measured / np.sqrt(2 * (n - 1))   # where the products are nearly normal\n"
        'print(f"predicted spread {predicted:.4g}, measured {measured:.4g} ± {error:.2g}")'
    )

"""The code of the page “Queries, keys, values”: three projections, and a lookup by content."""

from __future__ import annotations

from attention_core import attend, project
from attention_core.experiments.heads import with_one_matrix
from pages.queries_keys_values.lesson import TEXTS
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import (
    D_K,
    OUTPUT,
    PROJECT,
    SAYS_OUTPUT,
    SAYS_PROJECT,
    SAYS_SCORES,
    SCORES,
    SOFTMAX,
    Both,
    both_of,
    join,
    same,
    tailor,
)
from pages.shared.takehome.code import Block, Code, given_of, start_of

ONE_MATRIX: Both = (
    "scores_one = q @ q.T                         # with W^K = W^Q keys are queries\n"
    "weights_one = softmax(scores_one * scale)",
    "scores_one = q.T @ q                         # with W^K = W^Q keys are queries\n"
    "weights_one = softmax(scores_one * scale)",
)


def code(parameters, example) -> Code:
    """Return the code that computes what the page “Queries, keys, values” shows."""
    say, sharpness = parameters.say, float(parameters.sharpness)
    scale = same(f"scale = {sharpness:g} * d_k ** -0.5" if sharpness != 1 else "scale = d_k ** -0.5")
    look_up = join(SOFTMAX, D_K, scale, SCORES, same("weights = softmax(scores * scale)"), OUTPUT)
    reason = say(TEXTS, "reason_of_look_up", every_query_times_every_key=SAYS_SCORES, weighted_values=SAYS_OUTPUT)
    one = Block(
        title=say(TEXTS, "code_of_one_matrix"),
        key="three",
        says=say(TEXTS, "reason_of_one_matrix"),
        **both_of(ONE_MATRIX),
    )
    made = Code(
        name="look_up",
        given=given_of(example, "w_o") | {"token": parameters.token % len(example.tokens)},
        **start_of(example),
        core=(project, attend),
        blocks=(
            Block(
                title=say(TEXTS, "code_of_projections"),
                key="projections",
                says=SAYS_PROJECT,
                **tailor(PROJECT, example),
            ),
            Block(title=say(TEXTS, "code_of_look_up"), key="lookup", says=reason, **tailor(look_up, example)),
            Block(
                title=say(TEXTS, "code_of_one_token"),
                rows="asked, taken = weights[token], output[token]",
                columns="asked, taken = weights[:, token], output[:, token]",
            ),
            *[one] * (parameters.look == "three" and with_one_matrix(example) is not None),
        ),
    )
    return with_mistake(made, parameters, example)

"""The code of the home page: attention from the tokens to the output."""

from __future__ import annotations

from attention_core import attend, self_attention
from pages.home.lesson import TEXTS
from pages.shared.codes.pieces import (
    D_K,
    OUTPUT,
    PROJECT,
    SAYS_OUTPUT,
    SAYS_PROJECT,
    SAYS_SCORES,
    SAYS_SOFTMAX,
    SCORES,
    SOFTMAX,
    join,
    same,
    tailor,
)
from pages.shared.takehome.code import Block, Code, given_of, start_of


def code(parameters, example) -> Code:
    """Return the code that computes what the home page shows."""
    say = parameters.say
    shares = join(SOFTMAX, same("weights = softmax(scaled)"))
    scores = join(D_K, SCORES, same("scaled = scores * (1 / np.sqrt(d_k))"))
    return Code(
        name="attention",
        given=given_of(example, "w_o"),
        **start_of(example),
        core=(self_attention, attend),
        blocks=(
            Block(title=say(TEXTS, "code_of_projections"), says=SAYS_PROJECT, **tailor(PROJECT, example)),
            Block(title=say(TEXTS, "code_of_scores"), says=SAYS_SCORES, **tailor(scores, example)),
            Block(title=say(TEXTS, "code_of_softmax"), says=SAYS_SOFTMAX, **tailor(shares, example)),
            Block(title=say(TEXTS, "code_of_output"), says=SAYS_OUTPUT, key="all", **tailor(OUTPUT, example)),
        ),
    )

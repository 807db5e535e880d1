"""The code of the page “Cross-attention”: first for one query token, then for all chosen query tokens."""

from __future__ import annotations

from typing import Any

from attention_core import attend, self_attention
from pages.cross_attention.lesson import TEXTS, attending_index, has_one_input
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import (
    D_K,
    OUTPUT,
    SAYS_OUTPUT,
    SAYS_SCORES,
    SCORES,
    SOFTMAX,
    Both,
    both_of,
    join,
    rename_name,
    same,
    tailor,
    without_biases,
)
from pages.shared.takehome.code import Block, Code, given_of, start_of

PROJECT: Both = (
    "q = x @ w_q + b_q            # who asks: in a translation, the states of the decoder\n"
    "k = context @ w_k + b_k      # who answers: the states of the encoder\n"
    "v = context @ w_v + b_v      # what the tokens that ask take from them",
    "q = w_q @ x + b_q            # who asks: in a translation, the states of the decoder\n"
    "k = w_k @ context + b_k      # who answers: the states of the encoder\n"
    "v = w_v @ context + b_v      # what the tokens that ask take from them",
)


def code(parameters, example) -> Code:
    """Return the code that computes what the page “Cross-attention” shows."""
    say, alone = parameters.say, has_one_input(parameters, example)
    asking = 0 if alone or parameters.queries == len(example.tokens) else parameters.queries
    answering = 0 if alone or parameters.keys == len(example.key_tokens) else parameters.keys
    own_context = not alone and (example.context is not None or bool(asking or answering))
    shown = example if own_context else example.as_self_attention()
    given: dict[str, Any] = given_of(example, "w_o", *(["context"] if alone else []))
    given |= {"token": attending_index(parameters, example)}
    start = _context(example, answering) if own_context else []
    both = _without_missing_inputs(join(*start, PROJECT, D_K), example, own_context)
    share = join(SOFTMAX, SCORES, same("scaled = scores * (1 / np.sqrt(d_k))\nweights = softmax(scaled)"))
    takes: Both = ("taken = output[token]", "taken = output[:, token]")
    made = Code(
        name="cross_attention" if own_context else "self_attention",
        given=given,
        **start_of(example),
        core=(self_attention, attend),
        blocks=(
            Block(title=say(TEXTS, "code_of_projections"), **both_of(both)),
            Block(
                title=say(TEXTS, "line_of_scores"),
                key="one",
                says=SAYS_SCORES,
                **tailor(share, shown),
            ),
            Block(
                title=say(TEXTS, "code_of_output"),
                key="handed",
                says=SAYS_OUTPUT,
                **tailor(join(OUTPUT, takes), shown),
            ),
            Block(
                title=say(TEXTS, "code_of_all"), key="all", says=say(TEXTS, "reason_of_all"), **both_of(_first(asking))
            ),
        ),
    )
    return with_mistake(made, parameters, _shown_part(example, alone, asking, answering))


def _shown_part(example, is_self_attention: bool, n_queries: int, n_keys: int):
    if is_self_attention:
        return example.as_self_attention()
    return example.shortened(n_queries or len(example.tokens), n_keys or len(example.key_tokens))


def _context(example, n_keys: int) -> list[Both]:
    source = "x" if example.context is None else "context"
    if n_keys:
        rows, columns = f"context = {source}[:{n_keys}]", f"context = {source}[:, :{n_keys}]"
        return [(f"{rows}   # the first {n_keys} answer", f"{columns}   # the first {n_keys} answer")]
    return [] if example.context is not None else [same("context = x   # all answer")]


def _without_missing_inputs(both: Both, example, own_context: bool) -> Both:
    rows, columns = (without_biases(text, example) for text in both)
    return (rows, columns) if own_context else (rename_name(rows, "context", "x"), rename_name(columns, "context", "x"))


def _first(n_queries: int) -> Both:
    if not n_queries:
        return (
            "sums = weights.sum(axis=-1)   # 1 for each token that asks",
            "sums = weights.sum(axis=0)   # 1 for each token that asks",
        )
    names = "x, q, scores, scaled, weights, output"
    rows = ", ".join(f"{name}[:{n_queries}]" for name in names.split(", "))
    columns = ", ".join(f"{name}[:, :{n_queries}]" for name in names.split(", "))
    return f"{names} = (\n    {rows}\n)", f"{names} = (\n    {columns}\n)"

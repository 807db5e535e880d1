"""The lesson of the page “Cross-attention”: the chosen tokens, their equations, and what its texts say about them."""

from __future__ import annotations

from typing import Any

from attention_core.attention import SelfAttentionTrace
from attention_core.caching import cache_recent
from attention_core.examples import Example
from pages.shared.equation import Line, Sign
from pages.shared.equation.matrices import attention_matrices, projection
from pages.shared.notation.texts import texts_beside
from pages.shared.words.match import best_match

TEXTS = texts_beside(__file__)


def attending_index(parameters: Any, example: Example) -> int:
    """Return the position of the word that attends."""
    return parameters.word % len(example.tokens)


def has_one_input(parameters: Any, example: Example) -> bool:
    """Return whether the example allows that X attends to itself, and the visitor has chosen it."""
    return example.can_be_self_attention and parameters.itself


def chosen_part(parameters: Any, example: Example) -> tuple[Example, SelfAttentionTrace]:
    """Return the example with only the query tokens and key tokens that the visitor chose, and its attention."""
    return _part_of(example, has_one_input(parameters, example), parameters.queries, parameters.keys)


def with_all_queries(parameters: Any, example: Example) -> tuple[Example, SelfAttentionTrace]:
    """Return the example with all its query tokens but only the chosen key tokens, and its attention."""
    return _part_of(example, has_one_input(parameters, example), 0, parameters.keys)


@cache_recent
def _part_of(example: Example, itself: bool, queries: int, keys: int) -> tuple[Example, SelfAttentionTrace]:
    if itself:
        part = example.as_self_attention()
    else:
        part = example.shortened(queries or len(example.tokens), keys or len(example.key_tokens))
    return part, part.attention()


def lines_for_one(parameters: Any, everyone: Example, trace: SelfAttentionTrace, i: int) -> tuple[list[Line], Line]:
    """Return the equations from the query with index `i` to its weights, and the equation of its output."""
    m, say = attention_matrices(everyone, trace), parameters.say
    scores, scaled, weights = m["scores"].row(i, "s"), m["scaled"].row(i, "s'"), m["weights"].row(i, "a")
    to_weights = (Sign("÷ √d_k", arrow=True), scaled, Sign("softmax", arrow=True), weights)
    lines = [
        Line((m["q"].row(i, "q"), "·", m["k"].transpose("K^T"), "=", scores), say(TEXTS, "line_of_scores")),
        Line(to_weights, say(TEXTS, "line_of_weights")),
    ]
    return lines, Line((weights, "·", m["v"], "=", m["output"].row(i, "z")), say(TEXTS, "line_of_output"))


def lines_for_all(parameters: Any, part: Example, trace: SelfAttentionTrace, example: Example) -> list[Line]:
    """Return the equations of all chosen tokens."""
    m, source = attention_matrices(part, trace), "x" if part.context is None else "context"
    say = parameters.say
    if example.context is None and source == "context":
        m = dict(m) | {"context": m["context"].read_only()}  # its rows are rows of x, so they are edited in x
    return [
        projection(m, "x", "q", say(TEXTS, "line_of_all_queries")),
        projection(m, source, "k", say(TEXTS, "line_of_all_keys"), again=source == "x"),
        projection(m, source, "v", "", again=True),
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), say(TEXTS, "line_of_all_scores")),
        Line((m["scores"], Sign(say(TEXTS, "arrow_to_weights"), arrow=True), m["weights"])),
        Line((m["weights"], "·", m["v"], "=", m["output"]), say(TEXTS, "line_of_all_outputs")),
    ]


def why(example: Example, trace: SelfAttentionTrace, i: int, decimals: int) -> str:
    """Return a text that says why one text attends to another, or to itself, and what token `i` attends to most."""
    texts = TEXTS.fill("one_text" if example.context is None else "two_texts")
    return f"{texts} {best_match(example, trace, i, decimals)}".strip()


def inputs_text(parameters: Any, example: Example, part: Example) -> str:
    """Return a text that says how many inputs there are."""
    if has_one_input(parameters, example):
        return parameters.say(TEXTS, "x_is_the_context", n=len(part.tokens))
    if example.context is not None:
        return parameters.say(TEXTS, "two_inputs")
    return parameters.say(TEXTS, "one_input" if part.context is None else "one_input_in_part")

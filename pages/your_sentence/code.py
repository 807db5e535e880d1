"""The code of the page “Your sentence”: random or given vectors of its words, and the weights between the words."""

from __future__ import annotations

from typing import Any

from attention_core import attend, multi_head_attention, sinusoidal
from attention_core.examples import example as example_named
from attention_core.examples.sentence import sentence, token_vector
from pages.shared.codes.pieces import (
    D_K,
    ENTROPY,
    IN_HEADS,
    MIX,
    OUTPUT,
    SAYS_OUTPUT,
    SAYS_PROJECT,
    SAYS_SCORES,
    SCORES,
    SINUSOIDAL,
    SOFTMAX,
    SPLIT_INTO_HEADS,
    TAKE,
    Both,
    both_of,
    join,
    same,
)
from pages.shared.codes.real_head import code_of_a_head
from pages.shared.takehome.code import Block, Code, given_of
from pages.your_sentence.lesson import MODEL, TEXTS

DRAW = {"normal": "normal(size={0})", "uniform": "random({0})"}
PROJECT: Both = ("q, k, v = x @ w_q, x @ w_k, x @ w_v", "q, k, v = w_q @ x, w_k @ x, w_v @ x")
CAUSAL: Both = (
    "mask = np.tri(len(x), len(x), dtype=bool)   # no word attends to a later one\n"
    "scaled = np.where(mask, scaled, -np.inf)",
    "mask = np.tri(x.shape[-1], x.shape[-1], dtype=bool).T   # no word attends to a later one\n"
    "scaled = np.where(mask, scaled, -np.inf)",
)
POSITIONS: Both = ("x = x + encode(*x.shape)", "x = x + encode(*x.T.shape)")


def code(parameters, example) -> Code:
    """Return the code that computes what the page “Your sentence” shows."""
    if parameters.source == MODEL:
        return code_of_a_head(example, name="your_sentence")
    say, several, typed = parameters.say, parameters.heads != "1", parameters.source == "typed"
    positions = Block(title=say(TEXTS, "code_of_positions"), **both_of(join(SINUSOIDAL, POSITIONS)))
    blocks = [positions] if parameters.positions else []
    blocks.append(Block(title=say(TEXTS, "code_of_projections"), says=SAYS_PROJECT, **both_of(PROJECT)))
    blocks += _heads(parameters) if several else _one(parameters)
    start: dict[str, Any] = (
        _drawn_numbers(parameters, example) if typed else {"given": _printed_numbers(example, several, parameters)}
    )
    return Code(
        name=f"{example.n_heads}_heads" if several else "who_looks_at_whom",
        **start,
        blocks=tuple(blocks),
        core=(
            *((token_vector, sentence) if typed else ()),
            *((sinusoidal,) if parameters.positions else ()),
            *((multi_head_attention,) if several else ()),
            attend,
        ),
    )


def _one(parameters) -> list[Block]:
    scale = "scaled = scores * (1 / np.sqrt(d_k))" if parameters.scaled else "scaled = scores"
    masked = [CAUSAL] if parameters.causal else []
    shares = join(SOFTMAX, ENTROPY, D_K, SCORES, same(scale), *masked, same("weights = softmax(scaled)"))
    mixed = join(OUTPUT, same("entropies = entropy(weights)[None]   # of one head"))
    reason = f"{SAYS_SCORES} {parameters.say(TEXTS, 'reason_of_random_weights')}"
    title, title_of_output = (parameters.say(TEXTS, name) for name in ("code_of_weights", "code_of_output"))
    return [
        Block(title=title, says=reason, key="computed", **both_of(join(shares, OUTPUT))),
        Block(title=title_of_output, says=SAYS_OUTPUT, key="who", **both_of(mixed)),
    ]


def _heads(parameters) -> list[Block]:
    scales = ("(1 / np.sqrt(q_heads.shape[-1]))", "(1 / np.sqrt(q_heads.shape[-2]))")
    rows, columns = (
        text.replace("SCALE", scale) if parameters.scaled else text.replace(" * SCALE", "")
        for text, scale in zip(IN_HEADS, scales, strict=True)
    )
    masked = [CAUSAL] if parameters.causal else []
    weights = same("weights = softmax(scaled)\nentropies = entropy(weights)")
    shares = join(SOFTMAX, ENTROPY, SPLIT_INTO_HEADS, (rows, columns), *masked, weights)
    reason = parameters.say(TEXTS, "reason_of_random_weights")
    title, title_of_mix = (parameters.say(TEXTS, name) for name in ("code_of_heads", "side_by_side"))
    return [
        Block(title=title, says=reason, key="who", **both_of(shares)),
        Block(title=title_of_mix, says=SAYS_OUTPUT, key="computed", **both_of(join(TAKE, MIX))),
    ]


def _printed_numbers(example, several: bool, parameters) -> dict[str, Any]:
    given = given_of(example, *([] if several else ["w_o"]))
    if parameters.positions:
        given["x"] = example_named("cat").x
    return given | ({"n_heads": example.n_heads} if several else {})


def _drawn_numbers(parameters, example) -> dict[str, Any]:
    width = int(parameters.width)
    vector, matrix = (DRAW[parameters.draw].format(size) for size in ("d_model", "(d_model, d_model)"))
    shrink = "d_model**-0.5 * " if parameters.draw == "normal" else ""
    text = f"""\
import hashlib

def vector(token):      # the same token, the same vector, wherever it stands
    digest = hashlib.sha256(f"{{seed}} {{token}}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest)).{vector}

draw = np.random.default_rng(seed)
w_q, w_k, w_v, w_o = ({shrink}draw.{matrix} for _ in range(4))
x = np.stack([vector(token) for token in tokens])"""
    given: dict[str, Any] = {"tokens": example.tokens, "d_model": width, "seed": parameters.seed}
    given |= {"n_heads": example.n_heads} if parameters.heads != "1" else {}
    return {"given": given, "drawn": text, "drawn_names": ("x", "w_q", "w_k", "w_v", "w_o")}

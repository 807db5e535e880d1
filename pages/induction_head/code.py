"""The code of the page “Induction head”, a model of two heads that copies: how letters pass through its layers."""

from __future__ import annotations

from typing import Any

from attention_core import attend, causal_mask
from attention_core.induction.model import D_MODEL, previous_matrix, run, uniform_matrix
from attention_core.induction.training import as_thousandths, train_step
from pages.induction_head.lesson import NAMES, TEXTS, model_of, next_symbols, trace_of
from pages.shared.codes.pieces import SAYS_SCORES, SOFTMAX, Both, both_of, join, packed_code, same
from pages.shared.takehome.code import Block, Code

MATRICES = ("w_q", "w_k", "w_v", "w_o")
TRAINED = """\
def trained(digits, rows=32):              # learned numbers, written as whole thousandths of two bytes each
    return np.frombuffer(bytes.fromhex(digits), "<i2").reshape(rows, -1) / 1000"""
MASK: Both = (
    "mask = np.tri(len(x_first), len(x_first), dtype=bool)   # no letter attends to a later one",
    "mask = np.tri(x_first.shape[-1], x_first.shape[-1], dtype=bool).T   # no letter attends to a later one",
)
HEAD: Both = (
    """\
q_L, k_L, v_L = x_L @ w_q_L, x_L @ w_k_L, x_L @ w_v_L
scores_L = q_L @ k_L.T
scaled_L = scores_L / np.sqrt(d_model)
masked_L = np.where(mask, scaled_L, -np.inf)
weights_L = softmax(masked_L)
INSTEAD
output_L = weights_L @ v_L
x_NEXT = x_L + output_L @ w_o_L            # the head adds what it has found""",
    """\
q_L, k_L, v_L = w_q_L @ x_L, w_k_L @ x_L, w_v_L @ x_L
scores_L = k_L.T @ q_L
scaled_L = scores_L / np.sqrt(d_model)
masked_L = np.where(mask, scaled_L, -np.inf)
weights_L = softmax(masked_L)
INSTEAD
output_L = v_L @ weights_L
x_NEXT = x_L + w_o_L @ output_L            # the head adds what it has found""",
)
PARTS: Both = (
    """
scores_brought = q_second @ ((x_second - x_first) @ w_k_second).T   # by what the first head has added
scores_own = q_second @ (x_first @ w_k_second).T                    # by the letters and their places""",
    """
scores_brought = (w_k_second @ (x_second - x_first)).T @ q_second   # by what the first head has added
scores_own = (w_k_second @ x_first).T @ q_second                    # by the letters and their places""",
)
INSTEAD = {
    "trained": same(""),
    "previous": (
        "weights_L = np.eye(len(mask))[[max(i - 1, 0) for i in range(len(mask))]]   # instead: one place back",
        "weights_L = np.eye(len(mask))[:, [max(i - 1, 0) for i in range(len(mask))]]   # instead: one place back",
    ),
    "uniform": same("weights_L = softmax(np.where(mask, 0.0, -np.inf))   # instead: the same to all"),
}
GUESS: Both = (
    "shares = softmax(x_last @ unembedding)\nguesses = shares[np.arange(len(following)), following][:, None]",
    "shares = softmax(unembedding @ x_last)\nguesses = shares[following, np.arange(len(following))][None]",
)
CODE_OF_HEAD = {"first": "code_of_first_head", "second": "code_of_second_head"}


def code(parameters, example) -> Code:
    """Return the code that computes how the letters pass through the layers of the model on the page."""
    trace = trace_of(parameters)
    names = NAMES[: len(trace.layers)]
    heads = [_head(parameters, name, names) for name in names]
    return Code(
        name=parameters.look,
        given={"following": next_symbols(trace).tolist(), "d_model": D_MODEL},
        drawn=_numbers_as_code(parameters, names),
        drawn_names=("x_first", *(f"{m}_{name}" for name in names for m in MATRICES), "unembedding"),
        core=(run, attend, causal_mask, previous_matrix, uniform_matrix, train_step),
        blocks=(
            Block(title=TEXTS.fill("code_of_all_heads"), **both_of(join(SOFTMAX, MASK))),
            *heads,
            Block(
                title=TEXTS.fill("code_of_guesses"),
                says=TEXTS.fill("reason_of_guesses"),
                key="who",
                **both_of(GUESS),
            ),
        ),
    )


def _head(parameters, name: str, names: tuple[str, ...]) -> Block:
    first = name == NAMES[0]
    says = SAYS_SCORES if first else TEXTS.fill("reason_of_second_head")
    instead = INSTEAD[parameters.first if first else "trained"]
    following = names[names.index(name) + 1] if name != names[-1] else "last"
    rows, columns = (
        text.replace("\nINSTEAD", f"\n{own}" if own else "").replace("_L", f"_{name}").replace("_NEXT", f"_{following}")
        for text, own in zip(HEAD if first else join(HEAD, PARTS), instead, strict=True)
    )
    return Block(title=TEXTS.fill(CODE_OF_HEAD[name]), says=says, key=name, rows=rows, columns=columns)


def _numbers_as_code(parameters, names: tuple[str, ...]) -> str:
    """Return code that defines the model's matrices from bytes: “w_q_first” is W^Q of the layer “first”."""
    model, trace = model_of(parameters), trace_of(parameters)
    matrices: dict[str, Any] = {"x_first": trace.x}
    matrices |= {
        f"{m}_{name}": getattr(layer, m) for name, layer in zip(names, model.layers, strict=True) for m in MATRICES
    }
    matrices["unembedding"] = model.unembedding
    return packed_code(TRAINED, {name: as_thousandths(m).astype("<i2") for name, m in matrices.items()}, rows=D_MODEL)

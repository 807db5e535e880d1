"""The code of the page “Multi-head and Wᴼ”: several heads, with the changes that the visitor has chosen."""

from __future__ import annotations

from typing import Any

from attention_core import multi_head_attention, split_heads
from attention_core.experiments.heads import pool_heads, swap_heads, without_heads
from pages.multi_head.lesson import TEXTS
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import MIX, PROJECT, TAKE, Both, both_of, join, tailor
from pages.shared.takehome.code import Block, Code, given_of, start_of

SWAP: Both = (
    """\
def swapped(m):                    # heads 1 and 2 exchange their blocks of columns
    blocks = m.reshape(*m.shape[:-1], n_heads, -1)
    return blocks[..., [1, 0, *range(2, n_heads)], :].reshape(m.shape)""",
    """\
def swapped(m):                    # heads 1 and 2 exchange their blocks of rows
    blocks = m.reshape(n_heads, -1, m.shape[-1])
    return blocks[[1, 0, *range(2, n_heads)]].reshape(m.shape)""",
)
POOL: Both = (
    """\
def pooled(m):                     # heads that share get the mean of what they had
    blocks = m.reshape(*m.shape[:-1], n_kv_heads, n_heads // n_kv_heads, -1)
    return blocks.mean(axis=-2).reshape(*m.shape[:-1], -1)""",
    """\
def pooled(m):                     # heads that share get the mean of what they had
    blocks = m.reshape(n_kv_heads, n_heads // n_kv_heads, -1, m.shape[-1])
    return blocks.mean(axis=1).reshape(-1, m.shape[-1])""",
)
OFF: Both = (
    "w_o = w_o * np.repeat(on, len(w_o) // n_heads, axis=0)[:, None]   # heads that are off: their rows become 0",
    "w_o = w_o * np.repeat(on, w_o.shape[1] // n_heads, axis=0)        # heads that are off: their columns become 0",
)
SPLIT: Both = (
    """\
def split(m, n):                   # (n, heads · d) -> (heads, n, d): never a reshape alone
    return m.reshape(len(m), n, -1).swapaxes(0, 1)""",
    """\
def split(m, n):                   # (heads · d, n) -> (heads, d, n)
    return m.reshape(n, -1, m.shape[-1])""",
)
ATTEND: Both = (
    """\
q_heads, k_heads, v_heads = split(q, n_heads), split(k, n_kv_heads), split(v, n_kv_heads)
REPEAT
scores = q_heads @ k_heads.swapaxes(-1, -2)
scaled = scores * (1 / np.sqrt(q_heads.shape[-1]))
powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
weights = powers / powers.sum(axis=-1, keepdims=True)""",
    """\
q_heads, k_heads, v_heads = split(q, n_heads), split(k, n_kv_heads), split(v, n_kv_heads)
REPEAT
scores = k_heads.swapaxes(-1, -2) @ q_heads
scaled = scores * (1 / np.sqrt(q_heads.shape[-2]))
powers = np.exp(scaled - scaled.max(axis=-2, keepdims=True))
weights = powers / powers.sum(axis=-2, keepdims=True)""",
)
REPEAT = "k_heads, v_heads = (np.repeat(m, n_heads // n_kv_heads, axis=0) for m in (k_heads, v_heads))\n"
SHARES: Both = (
    """\
shares = heads @ w_o.reshape(n_heads, -1, w_o.shape[-1])   # each head times its own rows of W^O
same = shares.sum(axis=0)                                  # equal to the output, but for rounding""",
    """\
shares = w_o.reshape(len(w_o), n_heads, -1).swapaxes(0, 1) @ heads   # each head times its own columns of W^O
same = shares.sum(axis=0)                                            # equal to the output, but for rounding""",
)
AROUND: Both = (
    """\
summed = x + output                                    # the input stays
means = summed.mean(axis=-1, keepdims=True)
spreads = (summed.var(axis=-1, keepdims=True) + 1e-5) ** 0.5
normed = (summed - means) / spreads""",
    """\
summed = x + output                                    # the input stays
means = summed.mean(axis=0, keepdims=True)
spreads = (summed.var(axis=0, keepdims=True) + 1e-5) ** 0.5
normed = (summed - means) / spreads""",
)


def code(parameters, example) -> Code:
    """Return the code that computes what the page “Multi-head and Wᴼ” shows."""
    say, n_heads = parameters.say, parameters.heads or example.n_heads
    shared = {"own": n_heads, "grouped": n_heads if n_heads % 2 else n_heads // 2, "all": 1}[parameters.sharing]
    off = [head for head in parameters.off if head < n_heads]
    given: dict[str, Any] = given_of(example) | {"n_heads": n_heads, "n_kv_heads": shared}
    repeat = REPEAT if shared != n_heads else ""
    rows, columns = (text.replace("REPEAT\n", repeat) for text in ATTEND)
    switched = _rewiring(parameters, example, n_heads, shared, off)
    blocks = [
        *switched,
        Block(
            title=say(TEXTS, "code_of_blocks"),
            key="blocks",
            says=say(TEXTS, "reason_of_blocks"),
            **tailor(PROJECT, example),
        ),
        Block(title=say(TEXTS, "code_of_weights"), key="attentions", **both_of(join(SPLIT, (rows, columns)))),
        Block(title=say(TEXTS, "code_of_heads"), key="x_ray", **both_of(TAKE)),
        Block(title=say(TEXTS, "code_of_mix"), key="mixed", says=say(TEXTS, "reason_of_mix"), **both_of(MIX)),
        Block(title=say(TEXTS, "code_of_shares"), key="shares", says=say(TEXTS, "reason_of_shares"), **both_of(SHARES)),
        Block(title=say(TEXTS, "code_around"), key="around", says=say(TEXTS, "reason_around"), **both_of(AROUND)),
    ]
    made = Code(
        name=f"{n_heads}_heads",
        given=given,
        **start_of(example),
        blocks=tuple(blocks),
        core=(multi_head_attention, split_heads, *_core(parameters, off)),
    )
    return with_mistake(made, parameters, example, n_heads=n_heads, first=bool(switched))


def _core(parameters, off: list[int]) -> list:
    wanted = {
        swap_heads: parameters.rewire in ("swap", "swap_alone"),
        without_heads: bool(off),
        pool_heads: parameters.sharing != "own",
    }
    return [function for function, is_used in wanted.items() if is_used]


def _rewiring(parameters, example, n_heads: int, shared: int, off: list[int]) -> list[Block]:
    parts: list[Both] = []
    if parameters.rewire == "identity":
        parts.append(("w_o = np.eye(*w_o.shape)", "w_o = np.eye(*w_o.shape)"))
    elif parameters.rewire != "own" and n_heads > 1:
        parts += [SWAP, _each(example, "swapped", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v")]
        parts += [("w_o = swapped(w_o.T).T", "w_o = swapped(w_o.T).T")] * (parameters.rewire == "swap")
    if off:
        on = f"on = np.array({[int(head not in off) for head in range(n_heads)]})"
        parts += [(on, on), OFF]
    if shared != n_heads:
        parts += [POOL, _each(example, "pooled", "w_k", "w_v", "b_k", "b_v")]
    return [Block(title=parameters.say(TEXTS, "code_of_changes"), **both_of(join(*parts)))] if parts else []


def _each(example, function: str, *names: str) -> Both:
    own = [name for name in names if getattr(example, name) is not None]
    line = f"{', '.join(own)} = {', '.join(f'{function}({name})' for name in own)}"
    return line, line

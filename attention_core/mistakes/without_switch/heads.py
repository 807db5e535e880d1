"""Mistakes of several heads that the diagnosis names: heads cut, merged or mixed in a wrong way."""

from __future__ import annotations

from typing import Any

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.without_switch.projection import RESIDUAL


def several(trace: MultiHeadTrace) -> bool:
    """Say whether there is more than one head."""
    return trace.n_heads > 1


def _heads(name: str, title: str, code: str, why: str, stage: Any, **more: Any) -> Mistake[Any]:
    return Mistake(
        name=name, concept="multi_head", stage=stage, title=title, code=code, why=why, shows=several,
        needs="It takes more than one head.", **more,
    )  # fmt: skip


MERGED = ("jsbaan/transformer-from-scratch#6", "ajhalthor/Transformer-Neural-Network#4")

MERGING_MISTAKES: tuple[Mistake[Any], ...] = (
    _heads(
        "merged_without_transposing", "Heads merged without transposing", "concat = heads.reshape(len(x), -1)",
        "The first axis counts heads, the second tokens. Without a swap of the two, a row mixes tokens of one head. "
        "Swap "
        "the first two axes before you reshape.", "concat", sources=MERGED,
    ),
    _heads(
        "split_without_transposing", "Heads split without transposing",
        "q_heads, k_heads, v_heads = (m.reshape(n_heads, len(m), -1) for m in (q, k, v))",
        "The shape is right and the numbers are not: a head gets pieces of a few tokens. Reshape to (n, n_heads, d), "
        "then swap the first two axes.", "heads", sources=("reczoo/FuxiCTR#30",),
    ),
    _heads(
        "softmax_over_heads", "Softmax over the heads", "weights = softmax(masked, axis=0)",
        "The heads together add up to 1 for each pair of tokens. Instead, each row of each head should add up to 1.",
        "weights",
    ),
    _heads(
        "softmax_over_heads_and_keys", "Softmax over the keys of all heads together",
        "weights = softmax(masked, axis=(0, 2))",
        "All heads of a token together add up to 1. Instead, each head should add up to 1.", "weights",
        sources=("facebookresearch/detr#247",),
    ),
    _heads(
        "attention_across_heads", "Attention across the heads of a token",
        "q_heads, k_heads, v_heads = (m.reshape(len(m), n_heads, -1) for m in (q, k, v))\n"
        "concat = heads.reshape(len(x), -1)",
        "The axes were never swapped, so the heads of one token attend to each other, and no token sees another.",
        "heads",
    ),
    _heads(
        "tokens_cut_into_heads", "The tokens cut into heads, and not the features",
        "q_heads, k_heads, v_heads = (np.stack(np.split(m, n_heads)) for m in (q, k, v))\n"
        "scaled = scores / np.sqrt(q.shape[-1])\n"
        "concat = heads.reshape(-1, v.shape[-1])",
        "A cut along the first axis gives each head some of the tokens with all features, so tokens of different heads "
        "never meet. Cut along the last axis.", "heads", rank="rare",
    ),
    _heads(
        "heads_summed", "Heads summed, without W^O", "output = heads.sum(axis=0)",
        "A sum mixes the outputs of all heads in the same way. Put them side by side, and let W^O mix them.", "output",
        sources=("awf/functional-transformer#8",),
    ),
    _heads(
        "heads_averaged_without_w_o", "Heads averaged, without W^O", "output = heads.mean(axis=0)",
        "A mean mixes the outputs of all heads in the same way. Put them side by side, and let W^O mix them.", "output",
    ),
    _heads(
        "heads_summed_and_repeated", "Heads summed where they belong side by side",
        "concat = np.concatenate([heads.sum(axis=0)] * n_heads, axis=1)",
        "Every head has its own rows of W^O. A sum mixes the outputs of all heads in the same way.", "concat",
    ),
    Mistake(
        name="merged_interleaved", concept="multi_head", stage="concat", title="Heads interleaved when merged",
        code="concat = heads.transpose(1, 2, 0).reshape(len(x), -1)",
        why="The columns of the heads take turns; each head’s columns belong together, as its rows of W^O do.",
        shows=lambda trace: trace.n_heads > 1 and trace.heads.output.shape[-1] > 1,
        needs="It takes several heads, each wider than one number.",
    ),
    _heads(
        "split_interleaved", "Heads split by taking turns",
        "q_heads, k_heads, v_heads = (m.reshape(len(m), -1, n_heads).transpose(2, 0, 1) for m in (q, k, v))",
        "A head has a block of columns that stand together, not every second or third one.", "heads",
    ),
    _heads(
        "split_and_merged_interleaved", "Heads split and merged by taking turns",
        "q_heads, k_heads, v_heads = (m.reshape(len(m), -1, n_heads).transpose(2, 0, 1) for m in (q, k, v))\n"
        "concat = heads.transpose(1, 2, 0).reshape(len(x), -1)",
        "A head has a block of columns that stand together, not every second or third one.", "heads",
    ),
    _heads(
        "not_split", "Not split into heads",
        "q_heads, k_heads, v_heads = q[None], k[None], v[None]\nscaled = scores / np.sqrt(q.shape[-1])",
        "There is one set of weights, from all features. Each head makes its own, from its own columns of Q, K and V, "
        "so that heads can attend to different tokens.", "heads",
    ),
    _heads(
        "not_split_but_scaled_by_a_head", "Not split into heads, but scaled as one of them",
        "q_heads, k_heads, v_heads = q[None], k[None], v[None]",
        "There is one set of weights, from all features, where each head makes its own. And scores that are sums over "
        "all features were divided by the root of one head’s width: they are too large.", "heads",
    ),
    _heads(
        "one_head_without_w_o", "Not split into heads, and W^O forgotten",
        "q_heads, k_heads, v_heads = q[None], k[None], v[None]\nscaled = scores / np.sqrt(q.shape[-1])\n"
        "output = concat",
        "This is the attention of a single head. Cut the projections into heads, and mix their outputs by W^O.",
        "heads",
    ),
    _heads(
        "input_added_to_all_heads", "The input added to the output, after W^O", "output = output + x",
        RESIDUAL, "output",
    ),
    _heads(
        "heads_in_reverse", "Heads put together in reverse",
        "concat = heads[::-1].swapaxes(0, 1).reshape(len(x), -1)",
        "Head 1 comes first: W^O has its rows in that order.", "concat",
    ),
    _heads(
        "heads_chained", "Each head given the output of the head before it",
        "def chained(weights, values):\n"
        "    made = [values]\n"
        "    for of_head in weights:\n"
        "        made.append(of_head @ made[-1])\n"
        "    return np.stack(made[1:])\n\n"
        "heads = chained(weights, v_heads[0])",
        "A loop such as `values = head(values)` overwrites the values, so the second head mixes what the first one has "
        "made. Every head starts from its own columns of V.", "heads", rank="rare",
    ),
)  # fmt: skip

"""Mistakes with several heads that the diagnosis names: heads are cut, merged or mixed in a wrong way."""

from __future__ import annotations

from typing import Any

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.without_switch.projection import RESIDUAL


def has_more_than_one_head(trace: MultiHeadTrace) -> bool:
    """Return whether a trace has more than one head."""
    return trace.n_heads > 1


def _heads_mistake(name: str, title: str, code: str, why: str, stage: Any, **more: Any) -> Mistake[Any]:
    return Mistake(
        name=name, concept="multi_head", stage=stage, title=title, code=code, why=why, shows=has_more_than_one_head,
        needs="It takes more than one head.", **more,
    )  # fmt: skip


MERGED = ("jsbaan/transformer-from-scratch#6", "ajhalthor/Transformer-Neural-Network#4")

MERGING_MISTAKES: tuple[Mistake[Any], ...] = (
    _heads_mistake(
        "merged_without_transposing", "The heads are merged without transposing", "concat = heads.reshape(len(x), -1)",
        "The first axis is for heads, and the second axis is for tokens. If you do not "
        "swap them, the rows of the result do not belong to one token each. Swap "
        "the first two axes before you reshape.", "concat", sources=MERGED,
    ),
    _heads_mistake(
        "split_without_transposing", "The heads are split without transposing",
        "q_heads, k_heads, v_heads = (m.reshape(n_heads, len(m), -1) for m in (q, k, v))",
        "The shape is correct, but the numbers are not: each head gets parts of a few tokens only. Reshape to (n, "
        "n_heads, d), and then swap the first two axes.", "heads", sources=("reczoo/FuxiCTR#30",),
    ),
    _heads_mistake(
        "softmax_over_heads", "The softmax runs over the heads", "weights = softmax(masked, axis=0)",
        "The heads together add up to 1 for each pair of tokens. Instead, each row of each head should add up to 1.",
        "weights",
    ),
    _heads_mistake(
        "softmax_over_heads_and_keys", "The softmax runs over the keys of all heads together",
        "weights = softmax(masked, axis=(0, 2))",
        "All heads of a token together add up to 1. Instead, each head should add up to 1.", "weights",
        sources=("facebookresearch/detr#247",),
    ),
    _heads_mistake(
        "attention_across_heads", "The heads of a token attend to each other",
        "q_heads, k_heads, v_heads = (m.reshape(len(m), n_heads, -1) for m in (q, k, v))\n"
        "concat = heads.reshape(len(x), -1)",
        "You did not swap the axes. So the heads of one token attend to each other, and no token attends to another "
        "token.",
        "heads",
    ),
    _heads_mistake(
        "tokens_cut_into_heads", "The tokens are split into heads, not the features",
        "q_heads, k_heads, v_heads = (np.stack(np.split(m, n_heads)) for m in (q, k, v))\n"
        "scaled = scores / np.sqrt(q.shape[-1])\n"
        "concat = heads.reshape(-1, v.shape[-1])",
        "You split along the first axis, so each head has all features of some tokens, and tokens of different heads "
        "cannot attend to each other. Split along the last axis.", "heads", rank="rare",
    ),
    _heads_mistake(
        "heads_summed", "The heads are added, and W^O is missing", "output = heads.sum(axis=0)",
        "You added the outputs of the heads. Put them side by side instead, and multiply them by W^O.", "output",
        sources=("awf/functional-transformer#8",),
    ),
    _heads_mistake(
        "heads_averaged_without_w_o", "The heads are averaged, and W^O is missing", "output = heads.mean(axis=0)",
        "You averaged the outputs of the heads. Put them side by side instead, and multiply them by W^O.", "output",
    ),
    _heads_mistake(
        "heads_summed_and_repeated", "The heads are added, not put side by side",
        "concat = np.concatenate([heads.sum(axis=0)] * n_heads, axis=1)",
        "You added the outputs of the heads. Put them side by side instead, because each head has its own rows of "
        "W^O.", "concat",
    ),
    Mistake(
        name="merged_interleaved", concept="multi_head", stage="concat",
            title="The heads are merged column by column in turn",
        code="concat = heads.transpose(1, 2, 0).reshape(len(x), -1)",
        why="You took one column of each head in turn. The columns of one head should stand side by side, because its "
            "rows of W^O also stand together.",
        shows=lambda trace: trace.n_heads > 1 and trace.heads.output.shape[-1] > 1,
        needs="It takes several heads, each wider than one number.",
    ),
    _heads_mistake(
        "split_interleaved", "Each head gets every second or third column",
        "q_heads, k_heads, v_heads = (m.reshape(len(m), -1, n_heads).transpose(2, 0, 1) for m in (q, k, v))",
        "A head has a block of neighbouring columns. It does not have every second or third column.", "heads",
    ),
    _heads_mistake(
        "split_and_merged_interleaved", "The heads are split and merged column by column in turn",
        "q_heads, k_heads, v_heads = (m.reshape(len(m), -1, n_heads).transpose(2, 0, 1) for m in (q, k, v))\n"
        "concat = heads.transpose(1, 2, 0).reshape(len(x), -1)",
        "A head has a block of neighbouring columns. It does not have every second or third column.", "heads",
    ),
    _heads_mistake(
        "not_split", "The features are not split into heads",
        "q_heads, k_heads, v_heads = q[None], k[None], v[None]\nscaled = scores / np.sqrt(q.shape[-1])",
        "You computed one matrix of weights from all features. Each head should compute its own weights from its own "
        "columns of Q and K. Then heads can attend to different tokens.", "heads",
    ),
    _heads_mistake(
        "not_split_but_scaled_by_a_head", "The features are not split into heads, but scaled as in one head",
        "q_heads, k_heads, v_heads = q[None], k[None], v[None]",
        "You computed one matrix of weights from all features. Each head should compute its own weights from its own "
        "columns. Also, your scores are too large: they are sums over all features, but you divided them by the "
        "square root of the width of one head.", "heads",
    ),
    _heads_mistake(
        "one_head_without_w_o", "The features are not split into heads, and W^O is missing",
        "q_heads, k_heads, v_heads = q[None], k[None], v[None]\nscaled = scores / np.sqrt(q.shape[-1])\n"
        "output = concat",
        "This is attention with a single head. Split Q, K and V into heads, and multiply the outputs of the heads by "
        "W^O.",
        "heads",
    ),
    Mistake(  # one head has W^O, too
        name="input_added_to_all_heads", concept="multi_head", stage="output",
        title="The input is added to the output, after W^O", code="output = output + x", why=RESIDUAL,
    ),
    _heads_mistake(
        "heads_in_reverse", "The heads stand side by side in reverse order",
        "concat = heads[::-1].swapaxes(0, 1).reshape(len(x), -1)",
        "The order of the heads is reversed. Head 1 comes first, because the rows of W^O have that order.", "concat",
    ),
    _heads_mistake(
        "heads_chained", "Each head after the first uses the output of the head before it as its values",
        "def one_head_after_the_other(weights, values):\n"
        "    outputs = []\n"
        "    for weights_of_head in weights:\n"
        "        values = weights_of_head @ values\n"
        "        outputs.append(values)\n"
        "    return np.stack(outputs)\n\n"
        "heads = one_head_after_the_other(weights, v_heads[0])",
        "A loop such as `values = head(values)` overwrites the values. So the second head uses the output of the "
        "first head as its values. Every head should use its own columns of V.", "heads", rank="rare",
    ),
)  # fmt: skip

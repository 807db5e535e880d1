"""Test the core against ONNX, PyTorch and transformers.

Every case of tests/data/public whose features the core has is run.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from attention_core import (
    MultiHeadProjections,
    alibi_slopes,
    attend,
    causal_mask,
    layer_norm,
    merge_heads,
    multi_head_attention,
    project,
    repeat_heads,
    rope,
    rotary,
    sinusoidal,
    softmax,
    split_heads,
)
from notebooks import DATA
from strategies import read_only

PUBLIC = DATA / "public"
CASES = {case["name"]: case for case in json.loads((PUBLIC / "manifest.json").read_text(encoding="utf-8"))["cases"]}

# The cases that the core has no feature for. Each reason names a feature, or the level, that the case itself declares.
LEFT_OUT = {
    # scores that are limited by tanh: the papers that are taught here do not have them
    "softcap": """onnx/attention_3d_gqa_softcap onnx/attention_4d_diff_heads_sizes_softcap onnx/attention_4d_softcap
        onnx/attention_4d_softcap_neginf_mask onnx/attention_4d_softcap_neginf_mask_poison
        onnx/attention_local_window_gqa_rank4_mask""",
    # keys and values that are kept from earlier calls: they belong to running a model, not to attention itself
    "kv_cache": """onnx/attention_3d_with_past_and_present onnx/attention_3d_with_past_and_present_qk_matmul
        onnx/attention_3d_with_past_and_present_qk_matmul_bias onnx/attention_3d_with_past_and_present_qk_matmul_softcap
        onnx/attention_3d_with_past_and_present_qk_matmul_softmax onnx/attention_4d_diff_heads_with_past_and_present
        onnx/attention_4d_gqa_with_past_and_present onnx/attention_4d_with_past_and_present
        onnx/attention_4d_with_past_and_present_qk_matmul_bias_3d_mask
        onnx/attention_4d_with_past_and_present_qk_matmul_bias_4d_mask""",
    # the same cache, filled from outside of the call
    "nonpad_kv_seqlen": """onnx/attention_4d_causal_nonpad_batch_prefill
        onnx/attention_4d_causal_nonpad_negative_offset_structural_empty
        onnx/attention_4d_gqa_causal_nonpad_decode_fp16 onnx/attention_4d_padded_kv_bf16
        onnx/attention_local_window_ext_cache_float16_mask onnx/attention_local_window_ext_cache_rank2_mask
        onnx/attention_local_window_ext_cache_rank3_head_mask onnx/attention_local_window_ext_cache_rank4_batch_mask""",
    # a sliding window is a mask, and masks are tested elsewhere
    "window": "onnx/attention_3d_local_window onnx/attention_bidirectional_window",
    # NumPy has no bfloat16
    "bfloat16": """onnx/attention_3d_causal_bf16 onnx/attention_4d_attn_mask_causal_bf16
        onnx/attention_4d_causal_bf16""",
    # a row that may attend to nothing gives NaN in PyTorch, and 0 in the core
    "policy": "torch/mha_all_keys_padded_f64 torch/softmax_all_neg_inf_row_f64",
}
LEFT_OUT = {reason: names.split() for reason, names in LEFT_OUT.items()}
SKIPPED = {name for names in LEFT_OUT.values() for name in names}
TESTED = sorted(CASES.keys() - SKIPPED)


@cache
def archive(file):
    """Return the arrays of `file`, one of the data files with test cases, by name."""
    with np.load(PUBLIC / file) as arrays:
        return dict(arrays)


def arrays_of(case, slots):
    """Return the input arrays or the output arrays of a test case, by name. `slots` is "inputs" or "outputs"."""
    return {slot: read_only(archive(case["file"])[entry["key"]]) for slot, entry in case[slots].items()}


def run_softmax(attrs, arrays):
    """Return the core's softmax for one test case, as a dictionary with the key "y"."""
    return {"y": softmax(arrays["x"], attrs.get("axis", -1), attrs.get("temperature", 1.0))}


def run_attention(attrs, arrays):
    """Return the core's results of attention for one test case of ONNX, by the names that ONNX uses.

    `attrs` holds the options of the test case, and `arrays` its input arrays by name.
    """
    q, k, v = arrays["Q"], arrays["K"], arrays["V"]
    flat = "q_num_heads" in attrs
    if flat:
        q = split_heads(q, attrs["q_num_heads"])
        k, v = split_heads(k, attrs["kv_num_heads"]), split_heads(v, attrs["kv_num_heads"])
    if q.ndim > 3 and q.shape[-3] != k.shape[-3]:
        shared = q.shape[-3] // k.shape[-3]
        k, v = repeat_heads(k, shared), repeat_heads(v, shared)
    mask = causal_mask(q.shape[-2], k.shape[-2]) if attrs.get("is_causal") else arrays.get("attn_mask")
    trace = attend(q, k, v, mask=mask, scale=attrs.get("scale"))
    stages = {0: trace.scaled, 2: trace.masked, 3: trace.weights}
    return {
        "Y": merge_heads(trace.output) if flat else trace.output,
        "weights": trace.weights,
        "qk_matmul_output": stages[attrs.get("qk_matmul_output_mode", 0)],
    }


def run_multi_head_attention(attrs, arrays):
    """Return the core's output and weights of multi-head attention for one test case of PyTorch, by name.

    `attrs` holds the options of the test case, and `arrays` its input arrays by name.
    """
    n_heads, mask = attrs["num_heads"], torch_mask(attrs["num_heads"], arrays)
    weights = torch_weights(arrays)
    if np.array_equal(arrays["key"], arrays["value"]):
        trace = multi_head_attention(arrays["query"], weights, n_heads, context=arrays["key"], mask=mask)
        return {"Y": trace.output, "weights": trace.heads.weights}
    q = project(arrays["query"], weights.w_q, weights.b_q)
    k, v = project(arrays["key"], weights.w_k, weights.b_k), project(arrays["value"], weights.w_v, weights.b_v)
    heads = attend(*(split_heads(x, n_heads) for x in (q, k, v)), mask=mask)
    return {"Y": project(merge_heads(heads.output), weights.w_o, weights.b_o), "weights": heads.weights}


def torch_weights(arrays):
    """Return PyTorch's weights of multi-head attention in the form that the core expects.

    PyTorch's matrices are transposed, and W^Q, W^K and W^V may be stacked into one matrix.
    """
    names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
    stacked = "in_proj_weight" in arrays
    w_q, w_k, w_v = np.split(arrays["in_proj_weight"], 3) if stacked else (arrays[name] for name in names)
    b_q, b_k, b_v = np.split(arrays["in_proj_bias"], 3) if "in_proj_bias" in arrays else (None, None, None)
    return MultiHeadProjections(
        w_q=w_q.T, w_k=w_k.T, w_v=w_v.T, w_o=arrays["out_proj.weight"].T,
        b_q=b_q, b_k=b_k, b_v=b_v, b_o=arrays.get("out_proj.bias"),
    )  # fmt: skip


def torch_mask(n_heads, arrays):
    """Return the masks in `arrays`, which are PyTorch's, as one mask of the core, or None if there is no mask.

    `n_heads` is the number of heads. A boolean mask of PyTorch says True where attention is blocked. A mask of the core
    says True where attention is allowed.
    """
    mask = arrays.get("attn_mask")
    if mask is not None and mask.ndim == 3:
        mask = mask.reshape(-1, n_heads, *mask.shape[1:])
    if mask is not None and mask.dtype == bool:
        mask = ~mask
    if "key_padding_mask" in arrays:
        real = ~arrays["key_padding_mask"][:, None, None, :]
        mask = real if mask is None else mask & real
    return mask


def run_rotary(attrs, arrays):
    """Return the core's rotary embedding for one test case of ONNX, as a dictionary with the key "output"."""
    cos, sin = arrays["cos_cache"], arrays["sin_cache"]
    if "position_ids" in arrays:
        cos, sin = cos[arrays["position_ids"]], sin[arrays["position_ids"]]
    turned = rotary(arrays["input"], cos[:, None], sin[:, None], bool(attrs.get("interleaved", 0)))
    return {"output": turned}


def run_rope(attrs, arrays):
    """Return the core's result of RoPE for one test case, as a dictionary with the key "Y"."""
    return {"Y": rope(arrays["x"], arrays["positions"], attrs["base"], bool(attrs["interleaved"]))}


def run_layer_norm(attrs, arrays):
    """Return the core's layer normalization for one test case, as a dictionary with the key "Y"."""
    rank, first = arrays["X"].ndim, attrs.get("axis", -1)
    axes = tuple(range(first % rank, rank))
    return {"Y": layer_norm(arrays["X"], arrays.get("W"), arrays.get("B"), attrs.get("epsilon", 1e-5), axes)}


RUNNERS = {
    "softmax": run_softmax,
    "attention": run_attention,
    "multi_head_attention": run_multi_head_attention,
    "rotary": run_rotary,
    "rope": run_rope,
    "layer_norm": run_layer_norm,
    "sinusoidal": lambda attrs, _: {"Y": sinusoidal(attrs["n_positions"], attrs["d_model"])},
    "alibi_slopes": lambda attrs, _: {"slopes": alibi_slopes(attrs["n_heads"])},
}
NOT_RETURNED = {"Mean", "InvStdDev"}  # by-products of ONNX's layer norm


@pytest.mark.parametrize("name", TESTED)
def test_results_agree_with_other_libraries(name):
    case = CASES[name]
    inputs = arrays_of(case, "inputs")
    got = RUNNERS[case["op"]](case["attrs"], inputs)
    for slot, expected in arrays_of(case, "outputs").items():
        if slot in NOT_RETURNED:
            continue
        np.testing.assert_allclose(got[slot], expected, rtol=case["rtol"], atol=case["atol"], strict=bool(inputs))

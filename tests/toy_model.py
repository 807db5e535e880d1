"""A language model of two layers with random numbers, as the content of a GGUF file."""

import numpy as np

from attention_core.language_model.tokens import LETTERS

D, HEADS, KV_HEADS, D_K, HIDDEN, LAYERS = 32, 4, 2, 8, 64, 2
TOKENS = [*LETTERS.values(), "Ġt", "he", "Ġthe", "<|endoftext|>"]
SETTINGS = {
    "general.architecture": "llama",
    "llama.block_count": LAYERS,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": KV_HEADS,
    "llama.rope.freq_base": 10_000.0,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.merges": ["Ġ t", "h e", "Ġt he"],
}
SIDES = {
    "attn_q": (HEADS * D_K, D), "attn_k": (KV_HEADS * D_K, D), "attn_v": (KV_HEADS * D_K, D), "attn_output": (D, D),
    "ffn_gate": (HIDDEN, D), "ffn_up": (HIDDEN, D), "ffn_down": (D, HIDDEN), "attn_norm": (D,), "ffn_norm": (D,),
}  # fmt: skip


def drawn_matrices():
    """Return random weight matrices for a tiny language model, by their names in a GGUF file."""
    rng = np.random.default_rng(3)
    sides = {"token_embd": (len(TOKENS), D), "output_norm": (D,)}
    sides |= {f"blk.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in SIDES.items()}
    drawn = {f"{name}.weight": rng.normal(0, shape[-1] ** -0.5, shape) for name, shape in sides.items()}
    return {name: 1 + values if "norm" in name else values for name, values in drawn.items()}


MATRICES = {name: values.astype(np.float32) for name, values in drawn_matrices().items()}
PACKED = {f"blk.{layer}.{name}.weight": 3 for layer in range(LAYERS) for name in SIDES if "norm" not in name}
PACKED |= {"token_embd.weight": 8}

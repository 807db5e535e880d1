"""Attention, computed so that every intermediate can be seen. NumPy only.

Tokens are rows. Leading axes, written "…", are batches and broadcast. float64 unless float32 comes in.

Glossary, the names used everywhere:
    n_q, n_k         number of queries; number of keys, each with its value
    d_model          width of a token's embedding
    d_k, d_v         width of a query or key; width of a value (of one head, where there are several)
    n_heads          number of heads; n_kv_heads: of key and value heads, where query heads share them
    x, context       the tokens that ask; the tokens that answer (the same in self-attention)
    w_q, w_k, w_v    projections to queries, keys and values; b_q, b_k, b_v their biases
    w_o, b_o         projection of the concatenated heads
    q, k, v          queries, keys, values
    scores           q kᵀ; scaled: scores · scale; masked: scaled, with −∞ where a query may not look
    weights          softmax of the masked scores: each row sums to 1
    output           weights v
"""

from attention_core.attention import AttentionTrace, SelfAttentionTrace, attend, contributions, self_attention
from attention_core.examples.sentence import sentence, tokenize
from attention_core.experiments.order import EmbeddingTrace, ShuffleTrace, embed_positions, reordered, shuffle_tokens
from attention_core.experiments.position_similarity import (
    FormulaTrace,
    compare_formulas,
    cosine_similarities,
    distance_spread,
    reversal,
    still_share,
)
from attention_core.heads import (
    MultiHeadTrace,
    MultiHeadWeights,
    merge_heads,
    multi_head_attention,
    repeat_heads,
    split_heads,
)
from attention_core.lookup import LookupTrace, look_up, sharpened_scale
from attention_core.masks import causal_mask, padding_mask
from attention_core.normalization import layer_norm
from attention_core.positions import (
    alibi_bias,
    alibi_slopes,
    even_width,
    frequencies,
    rope,
    rotary,
    sines_first,
    sinusoidal,
    sinusoidal_at,
    sinusoidal_of_any_width,
    wavelengths,
)
from attention_core.projection import project
from attention_core.rotation import RopeTrace, ShiftTrace, rope_partners, rope_scores, shift_pair, shift_rotation
from attention_core.softmax import SoftmaxTrace, add_constant, entropy, softmax, softmax_steps

__all__ = [
    "AttentionTrace",
    "EmbeddingTrace",
    "FormulaTrace",
    "LookupTrace",
    "MultiHeadTrace",
    "MultiHeadWeights",
    "RopeTrace",
    "SelfAttentionTrace",
    "ShiftTrace",
    "ShuffleTrace",
    "SoftmaxTrace",
    "add_constant",
    "alibi_bias",
    "alibi_slopes",
    "attend",
    "causal_mask",
    "compare_formulas",
    "contributions",
    "cosine_similarities",
    "distance_spread",
    "embed_positions",
    "entropy",
    "even_width",
    "frequencies",
    "layer_norm",
    "look_up",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "project",
    "reordered",
    "repeat_heads",
    "reversal",
    "rope",
    "rope_partners",
    "rope_scores",
    "rotary",
    "self_attention",
    "sentence",
    "sharpened_scale",
    "shift_pair",
    "shift_rotation",
    "shuffle_tokens",
    "sines_first",
    "sinusoidal",
    "sinusoidal_at",
    "sinusoidal_of_any_width",
    "softmax",
    "softmax_steps",
    "split_heads",
    "still_share",
    "tokenize",
    "wavelengths",
]

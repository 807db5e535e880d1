"""Attention, computed so that every intermediate result can be seen. It needs only NumPy and SciPy.

Tokens are rows. Leading axes, written "…", are batches and broadcast. Numbers are float64 unless float32 comes in.

Glossary, the names used everywhere:

    n_q, n_k         number of queries; number of keys, each with its value
    d_model          width of a token's embedding
    d_k, d_v         width of a query or key; width of a value (of one head, if there are several)
    n_heads          number of heads; n_kv_heads: number of key and value heads, if query heads share them
    x, context       the tokens that attend; the tokens that they attend to (the same in self-attention)
    w_q, w_k, w_v    projections to queries, keys and values; b_q, b_k, b_v their biases
    w_o, b_o         projection of the concatenated heads, and its bias
    q, k, v          queries, keys, values
    scores           q kᵀ; scaled: scores · scale; masked: scaled, with −∞ where a query may not attend
    weights          softmax of the masked scores: each row sums to 1
    output           weights v
    upstream         the gradient of an output: how fast the result grows with each of its numbers
    grad_NAME        the gradient of NAME in the backward pass
    trace            a dataclass with every intermediate result of a computation
"""

from attention_core.attention import AttentionTrace, SelfAttentionTrace, attend, contributions, self_attention
from attention_core.examples.sentence import sentence, tokenize
from attention_core.experiments.positions import (
    EmbeddingTrace,
    FormulaTrace,
    ShuffleTrace,
    compare_formulas,
    cosine_similarities,
    distance_spread,
    embed_positions,
    new_order,
    reversal,
    shuffle_tokens,
    still_share,
)
from attention_core.feed_forward import (
    ActivationTrace,
    FeedForwardTrace,
    SwigluTrace,
    activation_steps,
    feed_forward,
    gelu,
    relu,
    silu,
    swiglu,
)
from attention_core.gradients.attention import (
    AttentionGradient,
    SelfAttentionGradient,
    attention_gradient,
    self_attention_gradient,
)
from attention_core.gradients.optimizers import AdamTrace, adam_step, sgd_step
from attention_core.gradients.parts import (
    CrossEntropyGradient,
    ProjectionGradient,
    SoftmaxGradient,
    cross_entropy_gradient,
    projection_gradient,
    softmax_gradient,
)
from attention_core.heads import (
    MultiHeadProjections,
    MultiHeadTrace,
    merge_heads,
    multi_head_attention,
    repeat_heads,
    split_heads,
)
from attention_core.key_value_cache import KeyValueCache
from attention_core.lookup import LookupTrace, look_up, sharpened_scale
from attention_core.masks import causal_mask, padding_mask
from attention_core.next_word import CrossEntropyTrace, SampleTrace, count_draws, cross_entropy, sample, unembed
from attention_core.normalization import (
    AddAndNormTrace,
    LayerNormTrace,
    RmsNormTrace,
    add_and_norm,
    layer_norm,
    layer_norm_steps,
    residual,
    rms_norm,
    rms_norm_steps,
)
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
from attention_core.projection import ProjectionTrace, project, project_steps
from attention_core.rotation import RopeTrace, ShiftTrace, rope_partners, rope_scores, shift_pair, shift_rotation
from attention_core.softmax import SoftmaxTrace, add_constant, entropy, softmax, softmax_steps

__all__ = [
    "ActivationTrace",
    "AdamTrace",
    "AddAndNormTrace",
    "AttentionGradient",
    "AttentionTrace",
    "CrossEntropyGradient",
    "CrossEntropyTrace",
    "EmbeddingTrace",
    "FeedForwardTrace",
    "FormulaTrace",
    "KeyValueCache",
    "LayerNormTrace",
    "LookupTrace",
    "MultiHeadProjections",
    "MultiHeadTrace",
    "ProjectionGradient",
    "ProjectionTrace",
    "RmsNormTrace",
    "RopeTrace",
    "SampleTrace",
    "SelfAttentionGradient",
    "SelfAttentionTrace",
    "ShiftTrace",
    "ShuffleTrace",
    "SoftmaxGradient",
    "SoftmaxTrace",
    "SwigluTrace",
    "activation_steps",
    "adam_step",
    "add_and_norm",
    "add_constant",
    "alibi_bias",
    "alibi_slopes",
    "attend",
    "attention_gradient",
    "causal_mask",
    "compare_formulas",
    "contributions",
    "cosine_similarities",
    "count_draws",
    "cross_entropy",
    "cross_entropy_gradient",
    "distance_spread",
    "embed_positions",
    "entropy",
    "even_width",
    "feed_forward",
    "frequencies",
    "gelu",
    "layer_norm",
    "layer_norm_steps",
    "look_up",
    "merge_heads",
    "multi_head_attention",
    "new_order",
    "padding_mask",
    "project",
    "project_steps",
    "projection_gradient",
    "relu",
    "repeat_heads",
    "residual",
    "reversal",
    "rms_norm",
    "rms_norm_steps",
    "rope",
    "rope_partners",
    "rope_scores",
    "rotary",
    "sample",
    "self_attention",
    "self_attention_gradient",
    "sentence",
    "sgd_step",
    "sharpened_scale",
    "shift_pair",
    "shift_rotation",
    "shuffle_tokens",
    "silu",
    "sines_first",
    "sinusoidal",
    "sinusoidal_at",
    "sinusoidal_of_any_width",
    "softmax",
    "softmax_gradient",
    "softmax_steps",
    "split_heads",
    "still_share",
    "swiglu",
    "tokenize",
    "unembed",
    "wavelengths",
]

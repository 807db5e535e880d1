"""Mistakes that only a real language model can have: queries and keys are rotated wrongly, or attention is left out."""

from __future__ import annotations

from typing import Any

from attention_core.mistakes.engine.mistake import Mistake


def _real_model_mistake(name: str, title: str, formula: str, code: str, why: str, *sources: str) -> Mistake[Any]:
    """Return a mistake for the page of the real model. `sources` are public threads about this mistake."""
    return Mistake(
        name=name, concept="real_model", stage="scores", title=title, formula=formula, code=code, why=why,
        sources=sources,
    )  # fmt: skip


REAL_MODEL_MISTAKES: tuple[Mistake[Any], ...] = (
    _real_model_mistake(
        "never_turned", "No positions at all", r"\theta = 0", "angles = 0 * angles",
        "Nothing is turned, so no score knows how far apart two tokens stand. The mask alone still tells before from "
        "after.",
    ),
    _real_model_mistake(
        "queries_turned_alone", "Queries turned, keys not", r"S = R_i q_i \cdot k_j", "k_turned = k_heads",
        "Turned by their places, a query and a key meet at an angle that says how far apart they stand. Turn one "
        "alone, and it says where the query stands.",
    ),
    _real_model_mistake(
        "halves_turned", "Halves turned for neighbours", r"(x_i, x_{i + d_k / 2}) \text{ for } (x_{2i}, x_{2i+1})",
        """\
def by_halves(m):
    crossed = np.concatenate([-m[..., d_k // 2:], m[..., :d_k // 2]], axis=-1)
    both = np.concatenate([angles[:, ::2], angles[:, ::2]], axis=1)
    return m * np.cos(both) + crossed * np.sin(both)
q_turned, k_turned = by_halves(q_heads), by_halves(k_heads)""",
        "Two programs agree on RoPE and not on which columns are a pair: neighbours, or the first of each half. "
        "The weights are learned for one of the two.",
        "huggingface/transformers#25199", "Dao-AILab/flash-attention#288",
    ),
    _real_model_mistake(
        "base_of_another_model", "10,000 for this model’s base", r"\theta_i = pos / 10000^{2i / d_k}",
        "base = 10_000.0",
        "The base is a number of the model’s own, here 100,000. With another one, all pairs but the first turn at "
        "another speed.",
    ),
    _real_model_mistake(
        "attention_left_out", "No attention at all", r"\text{output} = 0", "output = 0 * output",
        "Nobody hears of anybody else: each token has to be continued from itself alone.",
    ),
)  # fmt: skip

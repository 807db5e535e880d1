"""Symbols: what each matrix is called in formulas and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# The matrices of the core: symbol in formulas, name in words.
SYMBOLS: Mapping[str, tuple[str, str]] = {
    "x": ("X", "input"),
    "context": ("C", "context"),
    "w_q": ("W^Q", "query weights"),
    "w_k": ("W^K", "key weights"),
    "w_v": ("W^V", "value weights"),
    "w_o": ("W^O", "output weights"),
    "b_q": ("b^Q", "query bias"),
    "b_k": ("b^K", "key bias"),
    "b_v": ("b^V", "value bias"),
    "b_o": ("b^O", "output bias"),
    "q": ("Q", "queries"),
    "k": ("K", "keys"),
    "v": ("V", "values"),
    "scores": ("S", "scores"),
    "scaled": ("S'", "scaled scores"),
    "masked": ("M", "masked scores"),
    "powers": ("P", "powers"),
    "entropies": ("H", "entropy"),
    "weights": ("A", "attention weights"),
    "terms": ("T", "weighted values"),
    "output": ("Z", "output"),
    "heads": ("head", "output"),
    "concat": ("Concat", "concatenation"),
    "shares": ("headW^O", "share"),
    "mixed": ("Y", "output"),  # of all heads, after W^O
    "mask": ("B", "additive mask"),
    # positions
    "sinusoidal": ("PE", "positional encoding"),
    "wavelengths": ("λ", "wavelengths"),
    "similarity": ("S", "similarity of positions"),
    "before": ("PE(p)", "the pair before"),
    "rotation": ("R", "rotation"),
    "after": ("PE(p+k)", "the pair after"),
    "embedded": ("E", "scaled embeddings"),
    "positioned": ("X'", "embeddings with positions"),
    "shuffled": ("Z'", "output of the shuffled tokens"),
    "moved": (r"Z^{\text{moved}}", "outputs moved along"),
    "difference": ("D", "difference"),
    "numbered_scores": ("S'", "scaled scores of one token"),
    "numbered": ("A", "attention weights of one token"),
    "q_turned": ("Q'", "turned query"),
    "k_turned": ("K'", "turned key"),
    "scores_turned": ("S'", "scores of the turned"),
    "slopes": ("m", "slopes"),
    "bias": ("B", "penalty of distance"),
}


def called(name: str, operands: Iterable[str]) -> str:
    """Return the name in this table of a matrix of the core, told by what it is computed from."""
    return "mixed" if name == "output" and "concat" in operands else name


def shown_as(stage: str) -> str:
    """Return the id under which the matrix of a stage is shown. The stage "encoding" is shown as "sinusoidal"."""
    return {"encoding": "sinusoidal"}.get(stage, stage)

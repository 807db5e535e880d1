"""Symbols: the only table of what each symbol means, for formulas, matrices and calculations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Symbol(NamedTuple):
    """The symbol of a matrix of the core, and its meaning."""

    symbol: str  # as in formulas
    words: str  # the name of the matrix
    shape: str = ""  # with tokens as rows, in the letters below
    means: str = ""  # the meaning, in a short phrase


# The matrices of the core, by their names in code. No two have the same symbol.
SYMBOLS: Mapping[str, Symbol] = {
    "x": Symbol("X", "input", "n × d_model", "one row a token, one column a feature"),
    "context": Symbol("C", "context", "n_k × d_model", "the second input: the tokens that answer"),
    "w_q": Symbol("W^Q", "query weights", "d_model × d_k", "learned: turns the row of a token into its query"),
    "w_k": Symbol("W^K", "key weights", "d_model × d_k", "learned: turns the row of a token into its key"),
    "w_v": Symbol("W^V", "value weights", "d_model × d_v", "learned: turns the row of a token into its value"),
    "w_o": Symbol("W^O", "output weights", "h d_v × d_model", "learned: mixes the outputs of the heads"),
    "b_q": Symbol("b^Q", "query bias", "1 × d_k", "learned: added to every query"),
    "b_k": Symbol("b^K", "key bias", "1 × d_k", "learned: added to every key"),
    "b_v": Symbol("b^V", "value bias", "1 × d_v", "learned: added to every value"),
    "b_o": Symbol("b^O", "output bias", "1 × d_model", "learned: added to every output of all heads"),
    "q": Symbol("Q", "queries", "n × d_k", "what each token looks for"),
    "k": Symbol("K", "keys", "n_k × d_k", "what each token can be found by"),
    "v": Symbol("V", "values", "n_k × d_v", "what the other tokens take from each token"),
    "scores": Symbol("S", "scores", "n × n_k", "how well each query fits each key"),
    "scaled": Symbol("S'", "scaled scores", "n × n_k", "the scores, divided by √d_k"),
    "masked": Symbol("M", "masked scores", "n × n_k", "the scaled scores with the mask: −∞ where masked"),
    "overlaps": Symbol("XX^T", "rows compared", "n × n", "the dot product of each token’s row with each row"),
    "powers": Symbol("P", "powers", "n × n_k", "the base, raised to each score"),
    "entropies": Symbol("H", "entropy", "n × 1", "how evenly each row of weights is spread"),
    "weights": Symbol("A", "attention weights", "n × n_k", "how much each token attends to each; a row adds up to 1"),
    "scores_own": Symbol("S^own", "scores without the first head", "n × n", "the part that letters and places give"),
    "scores_brought": Symbol("S^brought", "scores by the first head", "n × n", "the part that its output gives"),
    "guesses": Symbol("G", "guesses", "n × 1", "the probability that the model gave to each next token"),
    "terms": Symbol("Terms", "weighted values", "n_k × d_v", "each value times its weight for one token"),
    "output": Symbol("Z", "output", "n × d_v", "what each token takes: the values times its weights, added"),
    "heads": Symbol("head", "output", "n × d_v", "what each token takes in this head"),
    "concat": Symbol("Concat", "concatenation", "n × h d_v", "the outputs of all heads, side by side"),
    "shares": Symbol("headW^O", "share", "n × d_model", "what this head alone adds to the output of all"),
    "mixed": Symbol("Y", "output", "n × d_model", "the output of all heads, mixed by W^O"),
    "summed": Symbol("U", "sum", "n × d_model", "the input plus the output of all heads: the residual stream"),
    "means": Symbol("μ", "means", "n × 1", "the mean of each token’s features"),
    "spreads": Symbol("σ", "spreads", "n × 1", "how far each token’s features spread about their mean"),
    "normed": Symbol("U'", "normalised sum", "n × d_model", "each token’s features, brought to mean 0 and spread 1"),
    "mask": Symbol("B", "additive mask", "n × n_k", "what is added to the scaled scores: here a penalty for distance"),
    # positions
    "sinusoidal": Symbol("PE", "positional encoding", "n × d_model", "one row a position, one column a wave"),
    "wavelengths": Symbol("λ", "wavelengths", "1 × pairs", "after how many positions each pair repeats"),
    "similarity": Symbol("Sim", "similarity of positions", "n × n", "the cosine of the angle between two rows of PE"),
    "before": Symbol("PE(pos)", "the pair before", "1 × 2", "a sine and its cosine at one position"),
    "rotation": Symbol("R", "rotation", "2 × 2", "what turns a pair by a number of positions"),
    "after": Symbol("PE(pos+Δ)", "the pair after", "1 × 2", "the same pair, Δ positions later"),
    "embedded": Symbol("E", "scaled embeddings", "n × d_model", "the input times √d_model"),
    "positioned": Symbol(
        "X'", "embeddings with positions", "n × d_model", "each token’s row plus the encoding of its position"
    ),
    "shuffled": Symbol("Z'", "output of the shuffled tokens", "n × d_v", "the output in the new order"),
    "moved": Symbol(
        r"Z^{\text{moved}}", "outputs moved along", "n × d_v", "the first outputs, moved with their tokens"
    ),
    "difference": Symbol("D", "difference", "n × d_v", "the new output minus the moved one"),
    "numbered_scores": Symbol(
        "s'", "scaled scores of one token", "4 × n_k", "its row of S′, one for each way to number"
    ),
    "numbered": Symbol("a", "attention weights of one token", "4 × n_k", "its row of A, one for each way to number"),
    "q_turned": Symbol("Q'", "turned query", "n × d_k", "one query, turned as at each position"),
    "k_turned": Symbol("K'", "turned key", "n × d_k", "one key, turned as at each position"),
    "scores_turned": Symbol("S^R", "scores of the turned", "n × n", "how well the turned query fits the turned key"),
    "slopes": Symbol("m", "slopes", "1 × h", "the penalty for each position of distance, one number a head"),
    "bias": Symbol("B", "penalty of distance", "n × n_k", "what is taken off the scaled scores"),
    # training
    "probabilities": Symbol("p", "shares of the output", "1 × d_v", "softmax of one token’s row of Z"),
    "targets": Symbol("y", "what is right", "1 × d_v", "1 in the column that is right, 0 elsewhere"),
    "grad_output": Symbol("dZ", "gradient of the output", "n × d_v", "how fast the loss grows with Z"),
    "grad_weights": Symbol("dA", "gradient of the weights", "n × n_k", "how fast the loss grows with A"),
    "grad_v": Symbol("dV", "gradient of the values", "n_k × d_v", "how fast the loss grows with V"),
    "grad_scaled": Symbol("dS'", "gradient of the scaled scores", "n × n_k", "how fast the loss grows with S′"),
    "grad_scores": Symbol("dS", "gradient of the scores", "n × n_k", "how fast the loss grows with S"),
    "grad_q": Symbol("dQ", "gradient of the queries", "n × d_k", "how fast the loss grows with Q"),
    "grad_k": Symbol("dK", "gradient of the keys", "n_k × d_k", "how fast the loss grows with K"),
    "grad_w_q": Symbol(
        "dW^Q",
        "gradient of the query weights",
        "d_model × d_k",
        "subtracted from W^Q, times the rate",
    ),
    "grad_w_k": Symbol("dW^K", "gradient of the key weights", "d_model × d_k", "subtracted from W^K, times the rate"),
    "grad_w_v": Symbol(
        "dW^V",
        "gradient of the value weights",
        "d_model × d_v",
        "subtracted from W^V, times the rate",
    ),
    "w_v_learned": Symbol("W^{V+}", "value weights after a step", "d_model × d_v", "W^V after one step"),
    "jacobian": Symbol("J", "Jacobian", "n_k × n_k", "how fast each weight of one row grows with each score"),
    # the next word
    "vocabulary": Symbol(
        "Vocab",
        "vocabulary",
        "n_words × d_model",
        "learned: one row a word, from which its logit is computed",
    ),
    "table": Symbol("Table", "table of tokens", "n_words × d_model", "learned: the row of X for each token"),
    "logits": Symbol("Logits", "logits", "n × n_words", "how well each word fits as the next one, for each row"),
    "chances": Symbol("Chance", "chances", "n × n_words", "softmax of each row of the logits"),
    "kept": Symbol(
        "Kept",
        "chances to draw from",
        "1 × n_words",
        "with temperature; top-k and top-p leave words out",
    ),
    "word_loss": Symbol("Loss", "loss", "1 × 1", "minus the logarithm of the chance of the word that came"),
    "w_up": Symbol("W^1", "first matrix of the feed-forward network", "d_model × d_hidden", "learned: widens a row"),
    "w_down": Symbol("W^2", "second matrix of the feed-forward network", "d_hidden × d_model", "learned: narrows it"),
    "widened": Symbol("F", "hidden units", "n × d_hidden", "each row of U, multiplied by W^1"),
    "bent": Symbol("F'", "hidden units, bent", "n × d_hidden", "what is below 0 becomes 0"),
    "fed": Symbol("F^out", "output of the feed-forward network", "n × d_model", "what the network adds to each row"),
    "stream": Symbol("U^+", "sum after the feed-forward network", "n × d_model", "U plus the output of the network"),
    # a real model
    "losses": Symbol("L", "losses", "times × ways", "the loss of each text, one column for each way to run the model"),
    "gaps": Symbol("g", "gaps", "times × ways", "the score of one word minus that of another"),
    "averages": Symbol("Mean", "means and standard errors", "ways × 2", "of each column of L or g"),
    "counts": Symbol("Count", "counts", "ways × 1", "how many of a column are below 0"),
    "added": Symbol("L^+", "loss added", "layers × h", "how much the loss grows without this head"),
    "pointed": Symbol("P^A", "pointedness", "layers × h", "a head’s greatest weight in a row, without the first place"),
}
OF_A_PAGE = "_next"  # the end of the id of a page's own matrix, if each example has a matrix of the same name
SAME = {"bias": "mask"}  # two names in the core for the same thing

# Other things than matrices: their symbols in formulas and their meanings, by their names.
LETTERS: Mapping[str, tuple[str, str]] = {
    "n": ("n", "tokens that ask: one query each"),
    "n_k": ("n_k", "tokens that answer; in self-attention the same tokens, so $n_k = n$"),
    "d_model": (r"d_{\text{model}}", "features of a token"),
    "d_k": ("d_k", "features of a query and of a key, in one head"),
    "d_v": ("d_v", "features of a value, in one head"),
    "h": ("h", "heads"),
    "n_words": (r"n_{\text{words}}", "words of a vocabulary"),
    "d_hidden": (r"d_{\text{hidden}}", "hidden units of a feed-forward network"),
    "i": ("i", "counts rows, heads or pairs of waves"),
    "j": ("j", "counts columns, or the tokens that answer"),
    "c": ("c", "counts features"),
    "scale": (r"\text{scale}", "the factor of the scores, where it is not 1/√d_k"),
    "temperature": ("T", "temperature: what scores are divided by before the powers"),
    "base": (r"\text{base}", "what is raised to a power"),
    "pos": ("pos", "position of a token, counted from 0"),
    "shift": (r"\Delta", "the shift: a number of positions"),
    "distance": (r"\lvert i - j \rvert", "how far apart two tokens stand, in positions"),
    "maximum": (r"\max", "the greatest of the scores that compete"),
    "transpose": (r"\top", "raised: rows and columns swapped"),
    "any": ("W", "any of the learned matrices: W^Q, W^K, W^V, W^O"),
    "row": ("q_1, z_2", "a small letter: one token’s row of Q, of Z"),
    "head": ("A_1, Q_2", "a number below a matrix: that of one head"),
}


def symbol_of_id(id: str) -> str | None:
    """Return the name in this table of the matrix with this id, or None if there is none.

    >>> symbol_of_id("scaled_root"), symbol_of_id("weights.1"), symbol_of_id("tally")
    ('scaled', 'weights', None)
    """
    return max((each for each in SYMBOLS if re.match(rf"{each}(?![a-z])", id)), key=len, default=None)


def symbol_of_matrix(name: str, operands: Iterable[str]) -> str:
    """Return the name in this table of a matrix of the core, which may depend on what the matrix is computed from."""
    return "mixed" if name == "output" and "concat" in operands else name


def shown_as(stage: str) -> str:
    """Return the id of the matrix that shows a stage. The stage "encoding" is shown as "sinusoidal"."""
    return {"encoding": "sinusoidal"}.get(stage, stage)

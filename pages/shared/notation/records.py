"""The table of all matrices: the symbol, name, shape and meaning of each, and how its cells are explained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pages.shared.notation.palette import Hue, Tint


class Record(NamedTuple):
    """The entry of a matrix in the table `SYMBOLS`: its symbol, name, shape, meaning, labels and colour."""

    symbol: str  # in formulas
    words: str  # its name
    shape: str  # with tokens as rows, in letters of LETTERS in symbols.py
    means: str  # in a short phrase
    says: str | Mapping[str, str] = ""
    rows: str = ""
    columns: str = ""
    tint: Tint = "signed"
    hue: Hue | None = None  # of its name and its brackets, if it belongs to queries, keys, values or weights

    def labels_of(self, axis: int) -> str:
        """Return which labels the rows (`axis` 0) or the columns (`axis` 1) of the matrix have, such as "tokens".

        Return "" if they are labelled with numbers.
        """
        return (self.rows, self.columns)[axis] or SIDES.get(self.shape.split(" × ")[axis], "")


SIDES = {"n": "tokens", "n_k": "keys", "d_v": "v"}  # the labels of a side, by its length

# Every matrix, by the name that it has in code. No two matrices have the same symbol.
# fmt: off
SYMBOLS: Mapping[str, Record] = {
    "x": Record("X", "input", "n × d_model", "one row for each token, one column for each feature", columns="x"),
    "context": Record("C", "context", "n_k × d_model", "the second input: the tokens that answer", columns="context"),
    "w_q": Record(
        "W^Q", "query weights", "d_model × d_k", "learned: turns the row of a token into its query", rows="x",
        hue="query",
        columns="q",
    ),
    "w_k": Record(
        "W^K", "key weights", "d_model × d_k", "learned: turns the row of a token into its key", rows="context",
        hue="key",
        columns="k",
    ),
    "w_v": Record(
        "W^V", "value weights", "d_model × d_v", "learned: turns the row of a token into its value", rows="context",
        hue="value",
    ),
    "w_o": Record(
        "W^O", "output weights", "h d_v × d_model", "learned: mixes the outputs of the heads", rows="v", columns="x",
    ),
    "b_q": Record("b^Q", "query bias", "1 × d_k", "learned: added to every query", columns="q", hue="query"),
    "b_k": Record("b^K", "key bias", "1 × d_k", "learned: added to every key", columns="k", hue="key"),
    "b_v": Record("b^V", "value bias", "1 × d_v", "learned: added to every value", hue="value"),
    "b_o": Record("b^O", "output bias", "1 × d_model", "learned: added to every output of all heads"),
    "q": Record(
        "Q", "queries", "n × d_k", "what each token looks for", columns="q", hue="query",
        says="multiply the features of {asks} by column {feature} of the query weights, pair by pair, and add.",
    ),
    "k": Record(
        "K", "keys", "n_k × d_k", "what each token can be found by", columns="k", hue="key",
        says="multiply the features of {asks} by column {feature} of the key weights, pair by pair, and add.",
    ),
    "v": Record(
        "V", "values", "n_k × d_v", "what the other tokens take from each token", hue="value",
        says="multiply the features of {asks} by column {feature} of the value weights, pair by pair, and add.",
    ),
    "scores": Record(
        "S", "scores", "n × n_k", "how well each query fits each key",
        says="multiply the query of {asks} by the key of {answers}, feature by feature, and add. The better they fit, "
        "the greater the score.",
    ),
    "scaled": Record(
        "S'", "scaled scores", "n × n_k", "the scores, divided by √d_k",
        says="the score of {asks} and {answers}, {scaling}.",
    ),
    "drawn": Record(
        "r", "random scores", "1 × n_k", "a random query times random keys, over their first d_k features",
        says="the query of {asks} times the key of {answers}, over their first $d_k$ features, which were drawn at "
        "random.",
    ),
    "drawn_by_width": Record("r_{d_k}", "random scores by width", "times × n_k", "a row of scores for each d_k"),
    "masked": Record(
        "M", "masked scores", "n × n_k", "the scaled scores with the mask: −∞ where masked",
        says={
            "mask": "the scaled score of {asks} and {answers}, minus the penalty for their distance.",
            "scaled": "{asks} may attend to {answers}, so the score stays.",
            "": "{asks} must not attend to {answers}: −∞ makes a weight of 0.",
        },
    ),
    "overlaps": Record(
        "XX^T", "rows compared", "n × n", "the dot product of each token’s row with each row",
        says="multiply the row of {asks} by the row of {answers}, feature by feature, and add.",
    ),
    "powers": Record(
        "P", "powers", "n × n_k", "the base, raised to each score", tint="share",
        says="the base, raised to this score minus the greatest one.",
    ),
    "entropies": Record(
        "H", "entropy", "n × 1", "how evenly each row of weights is spread", tint="plain",
        says="each weight times the logarithm of (1 divided by the weight), added up: 0 if one weight is 1, $\\ln n$ "
        "if $n$ weights are equal.",
    ),
    "weights": Record(
        "A", "attention weights", "n × n_k", "how much each token attends to each; a row adds up to 1", tint="weight",
        hue="weight",
        says={
            "powers": "the power at {asks}, {answers}, divided by the sum of all powers that must add up to 1 with it.",
            "": "how much {asks} attends to {answers}: its power of ${base}$, divided by the sum of the powers of the "
            "row.",
        },
    ),
    "scores_own": Record("S^own", "scores without the first head", "n × n", "the part from letters and positions"),
    "scores_brought": Record("S^brought", "scores by the first head", "n × n", "the part that comes from its output"),
    "guesses": Record("G", "guesses", "n × 1", "the probability that the model gave to each next token", tint="share"),
    "terms": Record(
        "Terms", "weighted values", "n_k × d_v", "each value times its weight for one token",
        says="feature {feature} of the value of {answers}, times how much {asks} attends to it.",
    ),
    "output": Record(
        "Z", "output", "n × d_v", "what each token takes: the values times its weights, added",
        says={
            "concat": "multiply the row of {asks} by column {feature} of the output weights, pair by pair, and add.",
            "": "feature {feature} of the output of {asks}: this feature of every value, times how much {asks} "
            "attends to it, added.",
        },
    ),
    "heads": Record(
        "head", "output", "n × d_v", "what each token takes in this head",
        says="feature {feature} of the output of {asks} in this head: its values, each times its weight, added.",
    ),
    "concat": Record(
        "Concat", "concatenation", "n × h d_v", "the outputs of all heads, side by side", columns="v",
        says={
            "weights": "the output of {asks} in the head of this column: all values, each times its weight, added.",
            "": "the heads’ outputs for {asks}, side by side: this number is copied.",
        },
    ),
    "shares": Record(
        "headW^O", "share", "n × d_model", "what this head alone adds to the output of all", columns="x",
        says="what this head alone adds to feature {feature} of {asks}: its output times its own rows of $W^O$.",
    ),
    "mixed": Record(
        "Y", "output", "n × d_model", "the output of all heads, mixed by W^O",
        says="feature {feature} of what attention adds to {asks}: multiply its output by column {feature} of the "
        "output weights, pair by pair, and add.",
    ),
    "summed": Record(
        "U", "sum", "n × d_model", "the input plus the output of all heads: the residual stream",
        says="feature {feature} of the input of {asks}, plus that of the output of all heads.",
    ),
    "means": Record(
        "μ", "means", "n × 1", "the mean of each token’s features", tint="plain",
        says="the features of {asks}, added up and divided by how many there are.",
    ),
    "spreads": Record(
        "σ", "spreads", "n × 1", "how far each token’s features spread about their mean", tint="plain",
        says="how far the features of {asks} are from their mean: their squares, the mean, and its root.",
    ),
    "normed": Record(
        "U'", "normalised sum", "n × d_model", "each token’s features, brought to mean 0 and spread 1",
        says="feature {feature} of {asks} minus the mean of its row, divided by the spread.",
    ),
    "mask": Record("B", "additive mask", "n × n_k", "what is added to the scaled scores: here a penalty for distance"),
    # positions
    "sinusoidal": Record(
        "PE", "positional encoding", "n × d_model", "one row for each position, one column for each wave",
        says="column {feature} is the {wave} of pair {pair}. Its angle at {asks} is the position, divided by a power "
        "of the base, {wave_base}. The exponent is $2i$ divided by {width}. The pairs are counted from $i = 0$, so "
        "here $i$ is {i}.",
    ),
    "wavelengths": Record(
        "λ", "wavelengths", "1 × pairs", "after how many positions each pair repeats", tint="plain",
        says="after this many positions pair {feature} repeats: $2\\pi$ divided by its angle for one step.",
    ),
    "similarity": Record(
        "Sim", "similarity of positions", "n × n", "the cosine of the angle between two rows of PE",
        says="multiply the encodings of {asks} and {answers}, number by number, and add. All encodings have the same "
        "length. Divide by the square of this length to get the cosine of the angle between the two.",
    ),
    "before": Record(
        "PE(pos)", "the pair before", "1 × 2", "a sine and its cosine at one position",
        says="the {wave} of this pair at the position where it starts.",
    ),
    "rotation": Record(
        "R", "rotation", "2 × 2", "what turns a pair by a number of positions",
        says="it depends only on the shift and on the speed of the pair, not on the position.",
    ),
    "after": Record(
        "PE(pos+Δ)", "the pair after", "1 × 2", "the same pair, Δ positions later",
        says="the pair before, multiplied by a column of the rotation, and added.",
    ),
    "embedded": Record(
        "E", "scaled embeddings", "n × d_model", "the input times √d_model",
        says="feature {feature} of {asks}, times the root of the width.",
    ),
    "positioned": Record(
        "X'", "embeddings with positions", "n × d_model", "each token’s row plus the encoding of its position",
        says="feature {feature} of {asks}, plus the encoding of its position.",
    ),
    "shuffled": Record(
        "Z'", "output of the shuffled tokens", "n × d_v", "the output in the new order",
        says="feature {feature} of the output of {asks} at its new position.",
    ),
    "moved": Record(
        "Z^{\\text{moved}}", "outputs moved along", "n × d_v", "the first outputs, moved with their tokens",
        says="the output of {asks} in the first order, written at its new position.",
    ),
    "difference": Record(
        "D", "difference", "n × d_v", "the new output minus the moved one",
        says="the change in the output of {asks} by the new order: 0 if the order does not matter.",
    ),
    "numbered_scores": Record(
        "s'", "scaled scores of one token", "4 × n_k", "its row of S′, one for each way to number",
        says="multiply the query by the key of {answers}, feature by feature, add, and scale. Positions are written "
        "like this: {asks}.",
    ),
    "numbered": Record(
        "a", "attention weights of one token", "4 × n_k", "its row of A, one for each way to number", tint="weight",
        hue="weight",
        says="the weight for {answers}, with positions written like this: {asks}.",
    ),
    "q_turned": Record(
        "Q'", "turned query", "n × d_k", "one query, turned as at each position", hue="query",
        says="the query, with its pair turned by the angle of {asks}.",
    ),
    "k_turned": Record(
        "K'", "turned key", "n × d_k", "one key, turned as at each position", hue="key",
        says="the key, with its pair turned by the angle of {asks}.",
    ),
    "scores_turned": Record(
        "S^R", "scores of the turned", "n × n", "how well the turned query fits the turned key",
        says="multiply the query at {asks} by the key at {answers}, feature by feature, and add.",
    ),
    "slopes": Record(
        "m", "slopes", "1 × h", "the penalty for each position of distance, one number for each head", tint="plain",
        says="how much head {feature} subtracts from a score for each step of distance.",
    ),
    "bias": Record(
        "B", "penalty of distance", "n × n_k", "what is subtracted from the scaled scores",
        says="the slope times the distance of {asks} and {answers}, to be subtracted from their score.",
    ),
    # training
    "probabilities": Record(
        "p", "shares of the output", "1 × d_v", "softmax of one token’s row of Z", tint="share",
        says="column {feature} of the output as a share: softmax of its row.",
    ),
    "loss": Record(
        "ℓ", "loss", "1 × 1", "minus the logarithm of the share in the target column", tint="plain",
        says="the logarithm of one over the share in the target column: 0 for a share of 1.",
    ),
    "targets": Record("y", "target", "1 × d_v", "1 in the column that should be greatest, 0 elsewhere", tint="share"),
    "grad_output": Record(
        "dZ", "gradient of the output", "n × d_v", "how fast the loss grows with Z",
        says="the gradient of column {feature} of the output of {asks}: its share minus its target. It is 0 for all "
        "tokens whose output does not count.",
    ),
    "grad_weights": Record(
        "dA", "gradient of the weights", "n × n_k", "how fast the loss grows with A", hue="weight",
        says="how fast the loss grows if {asks} attends more to {answers}: multiply the gradient of the output of "
        "{asks} by the value of {answers}, and add.",
    ),
    "grad_v": Record(
        "dV", "gradient of the values", "n_k × d_v", "how fast the loss grows with V", hue="value",
        says="the gradient of feature {feature} of the value of {asks}: the gradient of each output, times the "
        "weight with which it took this value, added.",
    ),
    "grad_scaled": Record(
        "dS'", "gradient of the scaled scores", "n × n_k", "how fast the loss grows with S′",
        says="the weight for {answers}, times (its own gradient minus the weighted average of the row of {asks}).",
    ),
    "grad_scores": Record(
        "dS", "gradient of the scores", "n × n_k", "how fast the loss grows with S",
        says="the gradient of the scaled score of {asks} and {answers}, multiplied by the scale once more.",
    ),
    "grad_q": Record(
        "dQ", "gradient of the queries", "n × d_k", "how fast the loss grows with Q", hue="query",
        says="the gradient of feature {feature} of the query of {asks}: this feature of every key, times the "
        "gradient of its score, added.",
    ),
    "grad_k": Record(
        "dK", "gradient of the keys", "n_k × d_k", "how fast the loss grows with K", hue="key",
        says="the gradient of feature {feature} of the key of {asks}: this feature of every query, times the "
        "gradient of its score, added.",
    ),
    "grad_w_q": Record(
        "dW^Q", "gradient of the query weights", "d_model × d_k", "subtracted from W^Q, times the learning rate",
        hue="query",
        says="a feature of every token, times the gradient of its query, added over all tokens.",
    ),
    "grad_w_k": Record(
        "dW^K", "gradient of the key weights", "d_model × d_k", "subtracted from W^K, times the learning rate",
        hue="key",
        says="a feature of every token, times the gradient of its key, added over all tokens.",
    ),
    "grad_w_v": Record(
        "dW^V", "gradient of the value weights", "d_model × d_v", "subtracted from W^V, times the learning rate",
        hue="value",
        says="a feature of every token, times the gradient of its value, added over all tokens.",
    ),
    "w_v_learned": Record(
        "W^{V+}", "value weights after a step", "d_model × d_v", "W^V after one step", hue="value",
        says="the old number minus its gradient times the learning rate.",
    ),
    "jacobian": Record(
        "J", "Jacobian", "n_k × n_k", "how fast each weight of one row grows with each score",
        says="how fast one weight grows with one score: the weight, times (1 or 0, minus the other weight).",
    ),
    # the next word
    "vocabulary": Record(
        "Vocab", "vocabulary", "n_words × d_model", "learned: one row for each word, from which its logit is computed",
    ),
    "table": Record("Table", "table of tokens", "n_words × d_model", "learned: the row of X for each token"),
    "logits": Record(
        "Logits", "logits", "n × n_words", "how well each word fits as the next one, for each row",
        says="multiply the row of {asks}, with what attention added, by the row of word {feature} of the vocabulary, "
        "pair by pair, and add. The better they match, the greater the logit.",
    ),
    "chances": Record(
        "Probability", "probabilities", "n × n_words", "softmax of each row of the logits", tint="share",
        says="the probability that word {feature} comes after {asks}: its power of $e$, as a share of the powers of "
        "all words.",
    ),
    "kept": Record(
        "Kept", "probabilities to draw from", "1 × n_words", "with temperature; top-k and top-p leave words out",
        rows="tokens", tint="share",
        says="the probability with which word {feature} is drawn: its power of $e$, as a share of the powers of the "
        "words that are kept. A word that is left out has 0.",
    ),
    "word_loss": Record(
        "Loss", "loss", "1 × 1", "minus the logarithm of the probability of the word that came", tint="plain",
        says="the logarithm of one over the probability of the word that came: 0 for a probability of 1.",
    ),
    "w_up": Record("W^1", "first matrix of the feed-forward network", "d_model × d_hidden", "learned: widens a row"),
    "w_down": Record("W^2", "second matrix of the feed-forward network", "d_hidden × d_model", "learned: narrows it"),
    "widened": Record(
        "F", "hidden units", "n × d_hidden", "each row of U, multiplied by W^1",
        says="multiply the row of {asks} by column {feature} of the first matrix, pair by pair, and add.",
    ),
    "bent": Record(
        "F'", "hidden units, not below 0", "n × d_hidden", "every number of F below 0 becomes 0",
        says="hidden unit {feature} of {asks}, if it is above 0; otherwise 0.",
    ),
    "fed": Record(
        "F^out", "output of the feed-forward network", "n × d_model", "what the network adds to each row",
        says="multiply the hidden units of {asks} by column {feature} of the second matrix, pair by pair, and add.",
    ),
    "stream": Record(
        "U^+", "sum after the feed-forward network", "n × d_model", "U plus the output of the network",
        says="feature {feature} of {asks}, plus the output of the feed-forward network for it.",
    ),
    # a real model
    "losses": Record("L", "losses", "times × ways", "the loss of each text, one column for each way to run the model"),
    "gaps": Record("g", "gaps", "times × ways", "the score of one word minus that of another"),
    "averages": Record(
        "Mean", "means and standard errors", "ways × 2", "of each column of L or g", tint="plain",
        says={
            "averages": "how far chance alone moves the mean. Square the distance of each number from the mean, add "
            "the squares, divide by the count minus 1, take the root, and divide by the root of the count.",
            "": "all numbers of its column, added up and divided by how many there are.",
        },
    ),
    "counts": Record(
        "Count", "counts", "ways × 1", "how many numbers of each column are below 0", tint="plain",
        says="1 for each number of its column below 0, added up.",
    ),
    "added": Record("L^+", "loss added", "layers × h", "how much the loss grows without this head"),
    "pointed": Record(
        "P^A", "pointedness", "layers × h", "a head’s greatest weight in a row, without the first place",
        tint="share",
    ),
}
# fmt: on

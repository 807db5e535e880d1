"""Your sentence: any text as tokens with drawn vectors, and who looks at whom in it."""

from dataclasses import dataclass, replace

import streamlit as st

from attention_core import sentence, softmax_steps, tokenize
from attention_core.examples import example as example_named
from attention_core.sentence import DRAWS, repeated, row_difference, row_statistics, with_positions
from pages.shared import charts, controls, explain, frame, widgets
from pages.shared.equation import Line, Sign, equation
from pages.shared.matrices import attention_matrices, fixed, head_matrices, softmax_matrices
from pages.shared.notation import literal, number

MOST_TOKENS, MOST_PAIRS = 24, 3
NAMES = {"normal": "normal, mean 0", "uniform": "uniform, 0 to 1"}
CODE = """\
import hashlib
import numpy as np
from scipy.special import softmax

def vector(token):      # the same token, the same vector, wherever it stands
    digest = hashlib.sha256(f"{seed} {token}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest)).normal(size=d_model)

draw = np.random.default_rng(seed)
w_q, w_k, w_v = (draw.normal(size=(d_model, d_model)) / np.sqrt(d_model) for _ in range(3))

x = np.stack([vector(token) for token in tokens])
weights = softmax(x @ w_q @ (x @ w_k).T / np.sqrt(d_model), axis=-1)
output = weights @ (x @ w_v)
entropies = np.sum(weights * np.log(1 / weights), axis=-1)
"""
COLUMNS_CODE = """\
import hashlib
import numpy as np
from scipy.special import softmax

def vector(token):      # the same token, the same vector, wherever it stands
    digest = hashlib.sha256(f"{seed} {token}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest)).normal(size=d_model)

draw = np.random.default_rng(seed)
w_q, w_k, w_v = (draw.normal(size=(d_model, d_model)).T / np.sqrt(d_model) for _ in range(3))

x = np.stack([vector(token) for token in tokens], axis=1)
weights = softmax((w_k @ x).T @ w_q @ x / np.sqrt(d_model), axis=0)
output = w_v @ x @ weights
entropies = np.sum(weights * np.log(1 / weights), axis=0)
"""


@dataclass(frozen=True, kw_only=True)
class YourSentence(controls.Parameters):
    """What can be set on this page."""

    text: str = controls.text("Your sentence, in any language", longest=400, default="The cat saw the other cat")
    source: str = controls.choice("Whose words?", {"typed": "Your own", "cat": "The course notebook’s"})
    fold: bool = controls.switch("Fold case", help="“The” becomes “the”.")
    positions: bool = controls.switch("Add positions", help="The sinusoidal encoding, added to the words’ vectors.")
    causal: bool = controls.switch("Causal mask", help="No word looks at what comes after it.")
    scaled: bool = controls.switch("Divide by √d_k", default=True)
    width: str = controls.choice("Width", {"4": "4", "8": "8", "16": "16", "64": "64"})
    heads: str = controls.choice("Heads", {"1": "1", "2": "2", "4": "4"})
    draw: str = controls.choice("Numbers drawn", {"normal": "Normal", "uniform": "Uniform, 0 to 1"})
    seed: int = controls.slider("Seed", 0, 99, step=1, default=0, help="Another seed, other vectors, other weights.")


def words(parameters: YourSentence, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        if parameters.source == "typed":
            widgets.draw(parameters, "text")
        widgets.draw(parameters, "source")
    if example is None:
        st.info("Nothing to look at yet: write a word or two, and each gets a vector.", icon=":material/edit:")
        return
    st.markdown(" ".join(map(literal, example.tokens)) + _cut(parameters))


def lesson(parameters: YourSentence, example):
    if example is not None:
        for part in (who_looks_at_whom, choices, arithmetic, computed, again, drawn):
            part(parameters, example)


def who_looks_at_whom(parameters, example):
    trace, shown = _trace(parameters, example), _matrices(parameters, example)
    lines = []
    for h, masked in enumerate(_per_head(trace, "masked")):
        weights = shown["weights"].reading("scores[i,:]") if _one_head(parameters) else shown[f"weights.{h}"]
        entropies = softmax_matrices(softmax_steps(masked), f"head{h}", example.tokens, ())["entropies"]
        spread = entropies.reading(f"{weights.id}[i,:]")
        if _one_head(parameters):
            items = (weights, Sign("how spread out", arrow=True), spread)
            lines.append(Line(items, "How much each row’s word looks at each column’s"))
        else:
            lines.append(Line((weights, spread), f"Head {h + 1}: who looks at whom, and how spread out"))
    equation(lines, "who", parameters, abreast=True)
    st.markdown(
        "**These weights mean nothing.** Vectors and weights are drawn, not learned: what looks like interest is "
        "chance, and another seed gives another story. The arithmetic is the real one; training would change the "
        "numbers, and nothing else."
    )
    charts.attention_lines(_per_head(trace, "weights"), example.tokens, example.key_tokens, key="lines")


def choices(parameters, example):
    own = parameters.source == "typed"
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, *(["fold"] if own else []), "positions", "causal", "scaled", "heads")
        if own:
            widgets.draw(parameters, "width", "draw", "seed")


def arithmetic(parameters, example):
    trace = _trace(parameters, example)
    softmaxes = {f"head{h}": softmax_steps(masked) for h, masked in enumerate(_per_head(trace, "masked"))}
    explain.show({"": trace} | softmaxes, example.tokens, example.key_tokens, parameters, editable=False)


def computed(parameters, example):
    printed = (
        " The notebook prints these queries, keys and values, but neither seeds nor prints its weights: they are "
        "recovered from what it prints, each certain to about 0.0004. Set the digits above to 4 to compare."
    )
    plain = parameters.source == "cat" and not parameters.positions
    st.markdown(
        "## Where it comes from\n\nThe words’ vectors"
        + (", with their positions added," if parameters.positions else "")
        + " become queries, keys and values, and these the weights above."
        + printed * plain
    )
    m = _matrices(parameters, example)
    queries, keys, values = [Line((m["x"], "·", m[f"w_{name}"], "=", m[name])) for name in ("q", "k", "v")]
    if _one_head(parameters):
        scores = Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), _towards_the_weights(parameters))
        lines = [queries, keys, scores, values, Line((m["weights"], "·", m["v"], "=", m["output"]))]
    else:
        lines = [queries, keys, values, *_heads_lines(m, int(parameters.heads))]
    equation(lines, "computed", parameters)


def _towards_the_weights(parameters):
    steps = ["divide by √d_{k}"] * parameters.scaled + ["forbid what comes after"] * parameters.causal
    return f"Every query meets every key. To get the weights above: {', '.join([*steps, 'softmax of each row'])}"


def _heads_lines(m, n_heads):
    heads = tuple(m[f"heads.{h}"] for h in range(n_heads))
    return [
        Line(heads, "Each head mixes its own columns of V by its own weights"),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), "Side by side, and mixed by W^O"),
    ]


def again(parameters, example):
    output = _trace(parameters, example).output
    twice, cased = repeated(example.tokens)[:MOST_PAIRS], repeated(example.tokens, fold=True)[:MOST_PAIRS]
    said = [_apart(example, output, places) for places in (*twice, *cased)]
    if twice and parameters.positions:
        said.append("Positions tell a word from itself.")
    elif twice and parameters.causal:
        said.append("The same vector asks, but the mask lets each see another past.")
    elif twice:
        said.append("Without positions, the same word is the same row: attention alone does not know where it stands.")
    if cased:
        said.append("Spelled otherwise, a word is another word, as unrelated as any two, until you fold case.")
    if not said:
        said = ["No word comes twice here. Write one again, or once with a capital, and see what tells them apart."]
    st.markdown("## The same word again\n\n" + "\n\n".join(said))


def drawn(parameters, example):
    rows = [_statistics_row(name, this) for name, this in _draws(parameters, example).items()]
    text = (
        "## Uniform or normal\n\n"
        "Notebook 004 draws everything uniform, from 0 to 1, and gets rows that are nearly alike. No number is "
        "negative there, so all queries point much the same way and rank the words alike: one word comes first in "
        "almost every row. How even a row looks is a matter of width, not of attention: at width 4 its scores lie "
        "close together, at 64 the same draw gives all to one word. Normal numbers have mean 0, and let each row "
        "choose for itself.\n\n"
        "| drawn | mean score | spread within a row | entropy of a row, at most | words that come first in a row |\n"
        "|---|---|---|---|---|\n" + "\n".join(rows) + "\n\n"
        ":small[Without mask and positions, scores divided by $\\sqrt{d_k}$. Entropy in nats.]"
    )  # fmt: skip
    st.markdown(parameters.says(text))


def own_example(parameters):
    """The sentence as an example; none where there is no word."""
    if parameters.source == "cat":
        this = replace(example_named("cat"), n_heads=int(parameters.heads))
    else:
        tokens = _all_tokens(parameters)[:MOST_TOKENS]
        if not tokens:
            return None
        this = _drawn_sentence(parameters, tokens, parameters.draw)
    return with_positions(this) if parameters.positions else this


def _drawn_sentence(parameters, tokens, draw):
    return sentence(tokens, int(parameters.width), int(parameters.heads), seed=parameters.seed, draw=draw)


def _all_tokens(parameters):
    return tokenize(parameters.text, fold=parameters.fold)


def _cut(parameters):
    left_out = _all_tokens(parameters)[MOST_TOKENS:] if parameters.source == "typed" else ()
    if not left_out:
        return ""
    return (
        f"\n\n:material/content_cut: The first {MOST_TOKENS} tokens are used; {len(left_out)} more, "
        f"from {literal(left_out[0])} on, are left out."
    )


def _one_head(parameters):
    return parameters.heads == "1"


def _mask(parameters, example):
    return example.mask("causal" if parameters.causal else "none")


def _scale(parameters):
    return None if parameters.scaled else 1.0


def _trace(parameters, example):
    attend = example.attention if _one_head(parameters) else example.multi_head
    return attend(mask=_mask(parameters, example), scale=_scale(parameters))


def _per_head(trace, name):
    """A matrix of every head, with an axis for the heads even where there is one."""
    return getattr(trace.heads, name) if hasattr(trace, "heads") else getattr(trace, name)[None]


def _matrices(parameters, example):
    matrices = attention_matrices if _one_head(parameters) else head_matrices
    return fixed(matrices(example, _trace(parameters, example)))


def _apart(example, output, places):
    """Say how far a word is from another, or from itself in another place."""
    first, last = places[0], places[-1]
    words = " and ".join(dict.fromkeys(literal(example.tokens[place]) for place in (first, last)))
    vectors, outputs = (number(row_difference(matrix, first, last)) for matrix in (example.x, output))
    return (
        f"{words}, words {first + 1} and {last + 1}: their vectors differ by at most ${vectors}$, "
        f"their outputs by at most ${outputs}$."
    )


def _draws(parameters, example):
    """What the draws are compared on: the sentence under each of them, or the notebook's own numbers."""
    if parameters.source == "cat":
        return {"the notebook’s": example_named("cat")}
    return {NAMES[draw]: _drawn_sentence(parameters, example.tokens, draw) for draw in DRAWS}


def _statistics_row(name, this):
    heads = this.multi_head().heads if this.n_heads > 1 else this.attention()
    found = row_statistics(heads.scaled, heads.weights)
    cells = [found.mean_score, found.deviation]
    shown = " | ".join(f"${number(value)}$" for value in cells)
    entropy = f"${number(found.entropy)}$ of ${number(found.most_entropy)}$"
    return f"| {name} | {shown} | {entropy} | {found.favourites} of {len(this.tokens)} |"


frame.page(
    __file__,
    words,
    lesson,
    parameters=YourSentence,
    brings=own_example,
    code=CODE,
    columns_code=COLUMNS_CODE,
    concept="Your sentence",
    question="Who looks at whom in your sentence?",
    group="Put together",
    icon="edit_note",
    sources=[
        "[Vaswani et al. 2017, section 3.5, on positions](https://arxiv.org/abs/1706.03762)",
        "[Vig 2019, on drawing attention as lines](https://arxiv.org/abs/1906.05714)",
        "Course notebook 004",
    ],
)

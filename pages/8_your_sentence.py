"""Your sentence: any text as tokens with drawn vectors, and who looks at whom in it."""

from dataclasses import replace
from functools import partial

import streamlit as st

from attention_core import sentence, tokenize
from attention_core.caching import cached
from attention_core.examples import example as example_named
from attention_core.examples.sentence import with_positions
from pages.shared import charts, controls
from pages.shared.codes.your_sentence import code
from pages.shared.equation import equation, explain
from pages.shared.frame import views
from pages.shared.lessons.your_sentence.sentence_equations import computed_lines, per_head, weights_lines
from pages.shared.lessons.your_sentence.sentence_words import (
    OF_THE_TABLE,
    UNIFORM_OR_NORMAL,
    left_out,
    said_of_words_again,
    statistics_table,
)
from pages.shared.notation.prose import literal
from pages.shared.site.page import Page
from pages.shared.state import widgets

MOST_TOKENS = 24
NAMES = {"normal": "normal, mean 0", "uniform": "uniform, 0 to 1"}


@controls.declare
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
    look: str = controls.choice(
        "What to look at",
        {
            "lines": "Lines between words",
            "computed": "Where it comes from",
            "again": "The same word again",
            "drawn": "Uniform or normal",
        },
    )
    seed: int = controls.slider("Seed", 0, 99, step=1, default=0, help="Another seed, other vectors, other weights.")


def words(parameters: YourSentence, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        if parameters.source == "typed":
            widgets.draw(parameters, "text")
        widgets.draw(parameters, "source")
    if example is None:
        st.info("Nothing to look at yet: write a word or two, and each gets a vector.", icon=":material/edit:")
    else:
        st.markdown(" ".join(map(literal, example.tokens)) + left_out(_all_tokens(parameters), MOST_TOKENS))


def lesson(parameters: YourSentence, example):
    for part in (who_looks_at_whom, arithmetic, choices, look) if example else ():
        part(parameters, example)


def who_looks_at_whom(parameters, example):
    trace = _trace(parameters, example)
    equation(weights_lines(example, trace), "who", parameters, abreast=True)
    st.markdown(
        "**These weights mean nothing.** Vectors and weights are drawn, not learned: what looks like interest is "
        "chance, and another seed gives another story. The arithmetic is the real one; training would change the "
        "numbers, and nothing else."
    )


def choices(parameters, example):
    typed = parameters.source == "typed"
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_switches(parameters, "On or off", *["fold"] * typed, "positions", "causal", "scaled")
        widgets.draw(parameters, "heads", *["width", "draw", "seed"] * typed)


def arithmetic(parameters, example):
    explain.show(example.tokens, example.key_tokens, parameters, editable=False)


def lines(parameters, example):
    st.markdown("## Who looks at whom, word by word")
    trace = _trace(parameters, example)
    charts.attention_lines(per_head(trace, "weights"), example.tokens, example.key_tokens, key="lines")


def computed(parameters, example):
    printed = (
        " The notebook prints these queries, keys and values, but neither seeds nor prints its weights: they are "
        "recovered from what it prints, each certain to about 0.0004. Set the digits above to 4 to compare."
    )
    st.markdown(
        "## Where it comes from\n\nThe words’ vectors"
        + (", with their positions added," if parameters.positions else "")
        + " become queries, keys and values, and these the weights above."
        + printed * (parameters.source == "cat" and not parameters.positions)
    )
    steps = ["divide by √d_{k}"] * parameters.scaled + ["forbid what comes after"] * parameters.causal
    how = f"To get the weights above: {', '.join([*steps, 'softmax of each row'])}"
    equation(computed_lines(example, _trace(parameters, example), how), "computed", parameters)


def again(parameters, example):
    output = _trace(parameters, example).output
    said = said_of_words_again(example, output, positions=parameters.positions, causal=parameters.causal)
    none = "No word comes twice here. Write one again, or once with a capital, and see what tells them apart."
    st.markdown("\n\n".join(["## The same word again", *said] if said else ["## The same word again", none]))


def drawn(parameters, example):
    table = statistics_table(_draws(parameters, example))
    st.markdown(parameters.says(f"## Uniform or normal\n\n{UNIFORM_OR_NORMAL}\n\n{table}\n\n:small[{OF_THE_TABLE}]"))


look = views.look_at({"lines": lines, "computed": computed, "again": again, "drawn": drawn})


_drawn, _placed = cached(sentence), cached(with_positions)


def own_example(parameters):
    """The sentence as an example; none where there is no word."""
    if parameters.source == "cat":
        this = _cat(parameters.heads)
    else:
        tokens = _all_tokens(parameters)[:MOST_TOKENS]
        if not tokens:
            return None
        this = _drawn_sentence(parameters, tokens, parameters.draw, int(parameters.width))
    return _placed(this) if parameters.positions else this


@cached
def _cat(heads):
    return replace(example_named("cat"), n_heads=int(heads))


def _drawn_sentence(parameters, tokens, draw, width):
    return _drawn(tokens, width, int(parameters.heads), seed=parameters.seed, draw=draw)


def _all_tokens(parameters):
    return tokenize(parameters.text, fold=parameters.fold) if parameters.source == "typed" else ()


def _trace(parameters, example):
    return _attended(example, parameters.heads, parameters.causal, parameters.scaled)


@cached
def _attended(example, heads, causal, scaled):
    mask, scale = example.mask("causal" if causal else "none"), None if scaled else 1.0
    return (example.attention if heads == "1" else example.multi_head)(mask=mask, scale=scale)


def _draws(parameters, example):
    """What is compared: the same words under each draw, and wider; the notebook's are its own."""
    of_these = partial(_drawn_sentence, parameters, example.tokens)
    draws = {name: of_these(draw, example.x.shape[1]) for draw, name in NAMES.items()}
    notebooks = {NAMES["uniform"]: _cat(parameters.heads)} if parameters.source == "cat" else {}
    return draws | notebooks | {"uniform, 64 wide": of_these("uniform", 64)}


PAGE = Page(
    module=__name__,
    parts=(words, lesson),
    parameters=YourSentence,
    brings=own_example,
    code=code,
    concept="Your sentence",
    question="Who looks at whom in your sentence?",
    group="Put together",
    icon="edit_note",
    sources=(
        "[Vaswani et al. 2017, section 3.5, on positions](https://arxiv.org/abs/1706.03762)",
        "[Vig 2019, on drawing attention as lines](https://arxiv.org/abs/1906.05714)",
        "Course notebook 004",
    ),
)

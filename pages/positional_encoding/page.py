"""The page “Positional encoding”: how attention knows the order of the words."""

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.rotation import encode
from pages.positional_encoding.code import code
from pages.positional_encoding.encoding import TITLES_OF_VIEWS, VIEWS
from pages.shared import controls, mistake_switch
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.task_block.block import TaskParameters, try_it


@controls.declare
class PositionalEncoding(TaskParameters):
    """The parameters of the page “Positional encoding”."""

    look: str = controls.choice("What to look at", TITLES_OF_VIEWS)
    mistake: str = mistake_switch.switches_of("positional_encoding")
    order: str = controls.choice(
        "New order",
        {
            "exchanged": "Swap first and third",
            "reversed": "Reverse",
            "rotated": "First goes last",
            "swapped": "Swap any two",
        },
    )
    first: int = controls.token("Swap")
    second: int = controls.token("with", default=1)
    root: bool = controls.switch(
        "Multiply X by √d_model first",
        help="The paper does so, because its embeddings are small numbers. Otherwise the encoding would outweigh them.",
    )
    width: int = controls.slider("Width d_model", 2, 512, step=2, default=8)
    positions: int = controls.slider("Positions", 1, 512, step=1, default=10)
    base: str = controls.choice(
        "Base",
        {"10": "10", "100": "100", "10000": "10,000", "100000000": "10⁸"},
        default="10000",
        help="10,000 in the paper. The larger the base, the slower the slowest waves.",
    )
    position: int = controls.slider("Position", 0, 511, step=1, default=2)
    column: int = controls.slider("Wave", 1, 512, step=1, default=1)
    shift: int = controls.slider("Shift Δ", 0, 100, step=1, default=3)
    pair: int = controls.slider("Pair", 1, 256, step=1, default=1)
    wide: int = controls.slider("Width d_model", 2, 512, step=2, default=512)
    length: int = controls.slider("Positions", 2, 512, step=1, default=100)
    one: int = controls.slider("Compare position", 0, 511, step=1, default=2)
    other: int = controls.slider("with position", 0, 511, step=1, default=10)
    asks: int = controls.token("The query of", default=1)
    answers: int = controls.token("and the key of")
    pairing: str = controls.choice(
        "Pairs",
        {"halves": "i and i + d_k/2", "neighbours": "2i and 2i + 1"},
        help="Which two features turn together: one of each half, or two neighbours. Models differ in this.",
    )
    heads: int = controls.slider("Heads", 1, 16, step=1, default=8)
    head: int = controls.slider("Head", 1, 16, step=1, default=1)


def reason(parameters: PositionalEncoding, example):
    st.markdown(
        "**A score depends on two tokens, and not on where they stand in the text.** So the position of each token "
        "must become part of its numbers."
    )


def mistakes(parameters: PositionalEncoding, example):
    mistake_switch.show(parameters, example, _trace_positions(example))


@cache_recent
def _trace_positions(example):
    return encode(example.x, range(len(example.x)))


PAGE = Page(
    module=__name__,
    parts=(reason, views.part_with_views(VIEWS), mistakes, try_it),
    to_check=lambda parameters, example: {"asked": "encoding"},
    parameters=PositionalEncoding,
    code=code,
    concept="Positional encoding",
    question="How does attention know the order of the words?",
    sources=(
        "[Vaswani et al. 2017, sections 3.4 and 3.5](https://arxiv.org/abs/1706.03762)",
        "[Su et al. 2021, RoPE](https://arxiv.org/abs/2104.09864)",
        "[Press et al. 2022, ALiBi](https://arxiv.org/abs/2108.12409)",
        "[Prince 2023, Understanding Deep Learning, section 12.3](https://udlbook.github.io/udlbook/)",
        "Course notebooks 001 (its exponent is doubled: erratum 001-01), 002 and 004",
    ),
)

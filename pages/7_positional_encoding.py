"""Positional encoding: how does attention know the order of the words?"""

from attention_core.caching import cache_recent
from attention_core.position_trace import encode
from pages.shared import controls, mistake_switch
from pages.shared.codes.positional_encoding import code
from pages.shared.frame import views
from pages.shared.lessons.positional_encoding.position_views import TITLES, VIEWS
from pages.shared.site.page import Page
from pages.shared.task_block.block import Practised, try_it


@controls.declare
class PositionalEncoding(Practised):
    """What can be set on this page."""

    look: str = controls.choice("What to look at", TITLES)
    mistake: str = mistake_switch.switches_of("positional_encoding")
    order: str = controls.choice(
        "New order",
        {"exchanged": "First and third", "reversed": "Reversed", "rotated": "First goes last", "swapped": "Any two"},
    )
    first: int = controls.token("Swap")
    second: int = controls.token("with", default=1)
    root: bool = controls.switch(
        "Embedding · √d_model first",
        default=True,
        help="As in the paper: embeddings are learned small, and the encoding should not drown them.",
    )
    width: int = controls.slider("Width d_model", 2, 512, step=2, default=8)
    positions: int = controls.slider("Positions", 1, 512, step=1, default=10)
    base: str = controls.choice(
        "Base", {"10": "10", "100": "100", "10000": "10,000", "100000000": "10⁸"}, default="10000",
        help="The paper’s is 10,000. The greater, the slower the slowest waves.",
    )  # fmt: skip
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
        help="Models differ in which features turn together: those of the two halves, or neighbours.",
    )
    heads: int = controls.slider("Heads", 1, 16, step=1, default=8)
    head: int = controls.slider("Head", 1, 16, step=1, default=1)


def mistakes(parameters: PositionalEncoding, example):
    mistake_switch.show(parameters, example, _trace_positions(example))


@cache_recent
def _trace_positions(example):
    return encode(example.x, range(len(example.x)))


PAGE = Page(
    module=__name__,
    parts=(views.look_at(VIEWS), mistakes, try_it),
    parameters=PositionalEncoding,
    code=code,
    concept="Positional encoding",
    question="How does a bag of tokens learn order?",
    group="Put together",
    icon="pin_drop",
    sources=(
        "[Vaswani et al. 2017, sections 3.4 and 3.5](https://arxiv.org/abs/1706.03762)",
        "[Su et al. 2021, RoPE](https://arxiv.org/abs/2104.09864)",
        "[Press et al. 2022, ALiBi](https://arxiv.org/abs/2108.12409)",
        "[Prince 2023, Understanding Deep Learning, section 12.3](https://udlbook.github.io/udlbook/)",
        "Course notebooks 001 (its exponent is doubled: erratum 001-01), 002 and 004",
    ),
)

"""The page “Positional encoding”: how attention knows the order of the words."""

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.rotation import encode
from pages.positional_encoding.code import code
from pages.positional_encoding.encoding import TEXTS, bag, distance, encoding, formulas, rotation
from pages.positional_encoding.relative import alibi, numbering, rope
from pages.shared import controls, mistake_switch
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.task_block.block import TaskParameters, try_it

VIEWS = {
    "bag": bag,
    "numbering": numbering,
    "encoding": encoding,
    "rotation": rotation,
    "distance": distance,
    "formulas": formulas,
    "rope": rope,
    "alibi": alibi,
}


@controls.declare(TEXTS)
class PositionalEncoding(TaskParameters):
    """The parameters of the page “Positional encoding”."""

    look: str = controls.choice(*VIEWS)
    mistake: str = mistake_switch.switches_of("positional_encoding")
    order: str = controls.choice("exchanged", "reversed", "rotated", "swapped")
    first: int = controls.token()
    second: int = controls.token(default=1)
    root: bool = controls.switch()
    width: int = controls.slider(2, 512, step=2, default=8)
    positions: int = controls.slider(1, 512, step=1, default=10)
    base: str = controls.choice("10", "100", "10000", "100000000", default="10000")
    position: int = controls.live_slider(0, 511, step=1, default=2, setting="pos")
    column: int = controls.slider(1, 512, step=1, default=1)
    shift: int = controls.live_slider(0, 100, step=1, default=3, setting="shift")
    pair: int = controls.slider(1, 256, step=1, default=1)
    wide: int = controls.slider(2, 512, step=2, default=512)
    length: int = controls.slider(2, 512, step=1, default=100)
    one: int = controls.slider(0, 511, step=1, default=2)
    other: int = controls.slider(0, 511, step=1, default=10)
    asks: int = controls.token(default=1)
    answers: int = controls.token()
    pairing: str = controls.choice("halves", "neighbours")
    heads: int = controls.slider(1, 16, step=1, default=8)
    head: int = controls.slider(1, 16, step=1, default=1)


def reason(parameters: PositionalEncoding, example):
    st.markdown(parameters.say(TEXTS, "reason"))


def mistakes(parameters: PositionalEncoding, example):
    mistake_switch.show(parameters, example, _trace_positions(example))


@cache_recent
def _trace_positions(example):
    return encode(example.x, range(len(example.x)))


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(reason, views.part_with_views(VIEWS)),
    below=(mistakes, try_it),
    to_check=lambda parameters, example: {"asked": "encoding"},
    parameters=PositionalEncoding,
    code=code,
)

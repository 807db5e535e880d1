"""Bars: numbers between 0 and 1 as a list of bars. Each bar has a name, and its number as text."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import NamedTuple

STYLE = """
<style>
.bars { margin: 0; }
.bars figcaption { margin: 0.4rem 0; opacity: 0.85; font-size: 0.9rem; }
.bars dl { display: grid; grid-template-columns: max-content minmax(0, 26rem); gap: 0.3rem 0.7rem; margin: 0;
  padding: 0; }
.bars dt { margin: 0; padding: 0; }
.bars dd { display: flex; gap: 0.6rem; margin: 0; padding: 0; align-items: center; font-variant-numeric: tabular-nums; }
.bars span { position: relative; flex: 1; height: 1rem; background: color-mix(in srgb, gray 18%, transparent); }
.bars i { display: block; height: 100%; background: color-mix(in srgb, currentColor 65%, transparent); }
.bars b { position: absolute; top: -0.15rem; bottom: -0.15rem; border-left: 3px dotted currentColor; }
@media (max-width: 640px) { .bars dl { grid-template-columns: minmax(0, 1fr); } .bars dd { margin-bottom: 0.3rem; } }
</style>
"""


class Bar(NamedTuple):
    """One bar: its name, its length as a part of the whole width, the number as text, and perhaps a mark."""

    name: str
    length: float  # from 0 to 1
    said: str
    mark: float | None = None  # from 0 to 1: where a dotted line stands


def bars_html(title: str, bars: Iterable[Bar]) -> str:
    """Return bars below each other, with a title. Each bar has its number as text beside it."""
    rows = "".join(
        f"<dt>{html.escape(bar.name)}</dt><dd><span><i style='width:{100 * bar.length:.1f}%'></i>{_mark(bar)}</span>"
        f"{html.escape(bar.said)}</dd>"
        for bar in bars
    )
    caption = f"<figcaption>{html.escape(title)}</figcaption>"
    return f'{STYLE}<figure class="bars">{caption}<dl>{rows}</dl></figure>'


def _mark(bar: Bar) -> str:
    return "" if bar.mark is None else f"<b style='left:{100 * bar.mark:.1f}%'></b>"

"""Charts of weights: bars, distances, a circle, steps, and the plane of values."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from attention_core import ShiftTrace
from pages.shared.charts.draw import (
    FIT_WIDTH,
    LETTER,
    TEXTS,
    Spec,
    draw,
    name_layer,
    named_ends,
    series_encodings,
    spec,
)
from pages.shared.charts.png import colours, png_without_colours
from pages.shared.notation.palette import ACCENT, HUES, INK, SERIES, Colour

# A part has a name if it has room for the name: letters in pixels.
HAS_ROOM = "scale('x', datum.end) - scale('x', datum.start) > 7.5 * length(datum.label) + 6"
WEIGHT = HUES["weight"]
FILLED = 0.18  # how much of a part is filled, so that its name can be read


def shares(weights: ArrayLike, tokens: Sequence[str], key_tokens: Sequence[str], *, key: str) -> None:
    """Draw each row of attention weights as a bar, in which each weight is a coloured part. A line marks the sum 1."""
    weights = np.asarray(weights)
    if not np.isfinite(weights).all():
        st.caption(TEXTS.fill("nothing_to_draw"))
        return
    n_queries, n_keys = weights.shape
    ends = weights.cumsum(axis=1)
    data = {
        "query": np.repeat([f"{i} {query}" for i, query in enumerate(tokens, start=1)], n_keys),
        "key": np.tile([f"{j} {answer}" for j, answer in enumerate(key_tokens, start=1)], n_queries),
        "label": np.tile(key_tokens, n_queries),
        "weight": weights.ravel(),
        "start": (ends - weights).ravel(),
        "middle": (ends - weights / 2).ravel(),
        "end": ends.ravel(),
    }
    draw(data, _shares_spec(n_queries), key=key)


@cache
def _shares_spec(n_rows: int) -> Spec:
    base = alt.Chart().encode(
        y=alt.Y(
            "query:N",
            title=None,
            sort=None,
            axis=alt.Axis(labelExpr="slice(datum.label, indexof(datum.label, ' '))"),
        )
    )
    bars = base.mark_bar(filled=True, fillOpacity=FILLED).encode(
        x=alt.X("start:Q", title=TEXTS.fill("weight"), scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=5)),
        x2="end",
        color=alt.value(WEIGHT),
        tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("weight:Q", format=".4f")],
    )
    names = base.mark_text(fontSize=LETTER, clip=True).encode(
        text=alt.condition(HAS_ROOM, "label:N", alt.value("")), x="middle:Q", color=alt.value(INK)
    )
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], aria=False).encode(x=alt.datum(1), color=alt.value(INK))
    edges = base.mark_bar(filled=False, strokeWidth=1.5).encode(x="start:Q", x2="end", color=alt.value(WEIGHT))
    chart = alt.layer(bars, edges, names, rule).properties(
        height=36 * n_rows,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_shares"),
    )
    return spec(chart)


STEPS_HEIGHT = 190  # pixels


def steps(lengths: Sequence[int], series: Mapping[str, Sequence[float]], measure: str, *, key: str) -> None:
    """Draw the cost of the next token over the length of the text so far: a line for each way to compute the token."""
    values = np.array(list(series.values()), dtype=float)
    low, high = np.log10([values.min(), values.max()])
    ends = named_ends(dict(zip(series, np.log10(values), strict=True)), low, high, STEPS_HEIGHT)
    data = {
        "tokens": np.tile(lengths, len(series)),
        "value": values.ravel(),
        "what": np.repeat(list(series), len(lengths)),
        "name": ends["name"],
        "beside": 10 ** ends["beside"],
    }
    draw(data, _steps_spec(tuple(series), measure), key=key)


@cache
def _steps_spec(names: tuple[str, ...], measure: str) -> Spec:
    grows, marks = alt.Scale(type="log", nice=False), series_encodings("what:N", SERIES, names)
    lengths = alt.Axis(values=[4**i for i in range(9)], format=",")
    base = alt.Chart().encode(x=alt.X("tokens:Q", title=TEXTS.fill("tokens_so_far"), scale=grows, axis=lengths))
    lines = base.mark_line(strokeWidth=3).encode(
        y=alt.Y("value:Q", title=measure, scale=grows, axis=alt.Axis(values=[10**i for i in range(16)], format="~s")),
        tooltip=[
            alt.Tooltip("tokens:Q", format=","),
            "what:N",
            alt.Tooltip("value:Q", title=measure, format=","),
        ],
        **marks,
    )
    chart = alt.layer(lines, name_layer(base, marks["color"], "beside", measure)).properties(
        height=STEPS_HEIGHT,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_steps", measure=measure.capitalize(), names=", ".join(names)),
    )
    return spec(chart)


DISTANCES_HEIGHT = 240  # pixels


def distances(similarities: Mapping[str, np.ndarray], *, key: str) -> None:
    """Draw how similar two positions are at the distances 0, 1, 2 and so on: a line for each name in `similarities`."""
    counts = [len(similar) for similar in similarities.values()]
    values = np.concatenate(list(similarities.values()))
    data = {
        "distance": np.concatenate([np.arange(n) for n in counts]),
        "similarity": values,
        "what": np.repeat(list(similarities), counts),
        **named_ends(similarities, float(values.min()), 1, DISTANCES_HEIGHT),
    }
    draw(data, _distances_spec(tuple(similarities)), key=key)


@cache
def _distances_spec(names: tuple[str, ...]) -> Spec:
    marks, similar = series_encodings("what:N", SERIES, names), TEXTS.fill("similarity")
    at = alt.X("distance:Q", title=TEXTS.fill("distance"), axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False))
    base = alt.Chart().encode(x=at)
    lines = base.mark_line(point=True).encode(
        y=alt.Y("similarity:Q", title=similar, scale=alt.Scale(domainMax=1), axis=alt.Axis(tickCount=5)),
        tooltip=[
            alt.Tooltip("what:N"),
            alt.Tooltip("distance:Q"),
            alt.Tooltip("similarity:Q", format=".4f"),
        ],
        **marks,
    )
    chart = alt.layer(lines, name_layer(base, marks["color"], "beside", similar)).properties(
        height=DISTANCES_HEIGHT,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_distances"),
    )
    return spec(chart)


RIM = 121  # the number of points of the circle
OUTSIDE = 1.22  # the radius at which names are written
SIDE = 270  # pixels: the width and the height between the axes, so that the circle is round
TURNING = ACCENT


def circle(trace: ShiftTrace, *, key: str) -> None:
    """Draw a sine and a cosine of the positional encoding as points on a circle: one point for each position."""
    turn = np.linspace(0, 2 * np.pi, RIM)
    rim = np.stack([np.sin(turn), np.cos(turn)], axis=-1)
    ends = np.concatenate([trace.before, trace.after])
    spokes = np.concatenate([trace.before, np.zeros((1, 2)), trace.after])
    points = np.concatenate([rim, trace.circle, spokes, ends, OUTSIDE * ends])
    kinds = ["rim", "position", "spoke", "end", "name"]
    places = (trace.position, trace.position + trace.shift)
    labels = [TEXTS.fill("position_number", number=place) for place in places]
    counts = [RIM, len(trace.circle), len(spokes), len(ends), len(labels)]
    data = {
        "kind": np.repeat(kinds, counts),
        "sine": points[:, 0],
        "cosine": points[:, 1],
        "order": np.arange(len(points)),
        "label": [*[""] * (sum(counts) - len(labels)), *labels],
    }
    draw(data, _circle_spec(), key=key, width="content")


@cache
def _circle_spec() -> Spec:
    reach = alt.Scale(domain=[-1.5, 1.5], nice=False)
    axis = alt.Axis(values=[-1, 0, 1])
    base = alt.Chart().encode(
        x=alt.X("cosine:Q", title=TEXTS.fill("cosine"), scale=reach, axis=axis),
        y=alt.Y("sine:Q", title=TEXTS.fill("sine"), scale=reach, axis=axis),
    )

    def of(kind: str, colour: Colour) -> alt.Chart:
        return base.transform_filter(f"datum.kind == '{kind}'").encode(color=alt.value(colour))

    rim = of("rim", INK).mark_line(strokeWidth=1).encode(order="order:Q")
    positions = of("position", INK).mark_point(filled=True, size=30, opacity=1)
    spokes = of("spoke", TURNING).mark_line(strokeWidth=2).encode(order="order:Q")
    ends = of("end", TURNING).mark_point(filled=True, size=120, opacity=1)
    names = of("name", INK).mark_text(fontSize=LETTER).encode(text="label:N")
    chart = alt.layer(rim, positions, spokes, ends, names).properties(
        width=SIDE,
        height=SIDE,
        autosize=alt.AutoSizeParams(type="pad"),
        description=TEXTS.fill("about_circle"),
    )
    return spec(chart)


VALUE: Colour = HUES["value"]
RESULT: Colour = ACCENT


def values_plane(
    values: np.ndarray, path: np.ndarray, now: np.ndarray, tokens: Sequence[str], query_token: str, *, key: str
) -> None:
    """Draw the values as points in a plane, and the path that the output takes as the weights become sharper."""
    points = np.vstack([path, values, now])[:, :2]
    kinds, counts = ["path", "value", "now"], [len(path), len(values), 1]
    data = {
        "kind": np.repeat(kinds, counts),
        "a": points[:, 0],
        "b": points[:, 1],
        "label": [*[""] * len(path), *tokens, TEXTS.fill("output_of", token=query_token)],
        "order": np.arange(len(points)),
    }
    draw(data, _plane_spec(), key=key)


@cache
def _plane_spec() -> Spec:
    reach, ticks = alt.Scale(zero=False, padding=30), alt.Axis(tickCount=5)
    base = alt.Chart().encode(
        x=alt.X("a:Q", title=TEXTS.fill("feature_of_the_value", number=1), scale=reach, axis=ticks),
        y=alt.Y("b:Q", title=TEXTS.fill("feature_of_the_value", number=2), scale=reach, axis=ticks),
    )

    def of(kinds: str, colour: Colour) -> alt.Chart:
        return base.transform_filter(f"datum.kind {kinds}").encode(color=alt.value(colour))

    path = of("== 'path'", INK).mark_line(strokeDash=[5, 3]).encode(order="order:Q")
    marks = of("== 'value'", VALUE).mark_point(size=160, filled=True, opacity=1, shape="square")
    now = of("== 'now'", RESULT).mark_point(size=220, filled=True, opacity=1)
    above = of("== 'value'", VALUE).mark_text(dy=-16, fontSize=LETTER + 1).encode(text="label:N")
    beside = of("== 'now'", RESULT).mark_text(align="left", dx=12, dy=-12, fontSize=LETTER + 1).encode(text="label:N")
    chart = alt.layer(path, marks, now, above, beside).properties(
        height=320,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_values"),
    )
    return spec(chart)


BAR = 13  # pixels: the height of a bar
BETWEEN = 9  # pixels between two words
FILLS = (0.9, 0.5, 0.2)  # how full the tint of each series is


def chances(words: Sequence[str], series: Mapping[str, ArrayLike], *, key: str) -> None:
    """Draw the probability of each word as a group of bars with numbers: one bar for each series.

    The key above the bars names the series. No place beside them is sure to have room for the names.
    """
    names, n, little = list(series), len(words), TEXTS.fill("less_than_one_percent")
    values = np.stack([np.asarray(each, dtype=float) for each in series.values()], axis=1).ravel()
    data = {
        "word": np.repeat([f"{i} {word}" for i, word in enumerate(words, start=1)], len(names)),
        "what": np.tile(names, n),
        "chance": values,
        "said": [f"{value:.0%}" if value >= 0.005 or value == 0 else little for value in values],
    }
    draw(data, _chances_spec(n, tuple(names)), key=key)


@cache
def _chances_spec(n_words: int, names: tuple[str, ...]) -> Spec:
    above = alt.Legend(title=None, orient="top", symbolType="square", labelFontSize=LETTER, padding=0, offset=6)
    key = above if len(names) > 1 else None
    base = alt.Chart().encode(
        y=alt.Y(
            "word:N",
            title=None,
            sort=None,
            scale=alt.Scale(paddingInner=0.2),
            axis=alt.Axis(labelExpr="slice(datum.label, indexof(datum.label, ' '))", labelLimit=170, ticks=False),
        ),
        yOffset=alt.YOffset("what:N", sort=list(names)),
        x=alt.X(
            "chance:Q",
            title=TEXTS.fill("probability"),
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(tickCount=5, format="%"),
        ),
        tooltip=[alt.Tooltip("word:N"), alt.Tooltip("what:N"), alt.Tooltip("chance:Q", format=".4f")],
    )
    tints = alt.Scale(type="ordinal", domain=list(names), range=FILLS[: len(names)])
    bars = base.mark_bar().encode(
        color=alt.value(ACCENT), opacity=alt.Opacity("what:N", sort=None, legend=key, scale=tints)
    )
    edges = base.mark_bar(filled=False, strokeWidth=1).encode(color=alt.value(ACCENT))
    labels = base.mark_text(align="left", dx=5, fontSize=12).encode(text="said:N", color=alt.value(INK))
    chart = alt.layer(bars, edges, labels).properties(
        height=n_words * (BAR * len(names) + BETWEEN),
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_chances", names=", ".join(names)),
    )
    return spec(chart)


Picture = Mapping[str, list[Any]]


def raster(values: np.ndarray, across: str, down: str, *, key: str, transposed: bool = False) -> None:
    """Draw a matrix of numbers from −1 to 1 as coloured pixels."""
    draw_picture(picture(values, transposed), across, down, key=key, transposed=transposed)


def picture(values: np.ndarray, transposed: bool = False) -> Picture:
    """Return the picture of a matrix, as data for `draw_picture`. It takes much less memory than the matrix."""
    shown = values.T if transposed else values
    rows, columns = shown.shape
    before, after = ([b64encode(part).decode()] for part in png_without_colours(shown))
    return {"before": before, "after": after, "left": [0], "right": [columns], "top": [0], "bottom": [rows]}


def draw_picture(picture_data: Picture, across: str, down: str, *, key: str, transposed: bool = False) -> None:
    """Draw `picture_data`, a picture of a matrix that the function `picture` has made."""
    draw(picture_data, _raster_spec(*((down, across) if transposed else (across, down))), key=key)


@cache
def _raster_spec(across: str, down: str) -> Spec:
    axis = alt.Axis(tickMinStep=1, tickCount=6)
    image = (
        alt.Chart()
        .transform_calculate(url=_url())
        .mark_image(aspect=False, smooth=False)
        .encode(
            x=alt.X("left:Q", title=across, axis=axis, scale=alt.Scale(nice=False)),
            y=alt.Y("top:Q", title=down, axis=axis, scale=alt.Scale(nice=False, reverse=True)),
            x2="right:Q",
            y2="bottom:Q",
            url="url:N",
        )
    )
    description = TEXTS.fill("about_pixels")
    return spec(image.properties(height=220, autosize=FIT_WIDTH, description=description))


def _url() -> str:
    light, dark = (b64encode(colours(theme)).decode() for theme in ("light", "dark"))
    theme = f"(luminance(background) > 0.5 ? '{light}' : '{dark}')"
    return f"'data:image/png;base64,' + datum.before + {theme} + datum.after"

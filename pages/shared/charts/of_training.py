"""Charts of what changes: losses, damage, growth, and what a small change does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.experiments.saturation import Saturation
from attention_core.induction.training import STEPS, Points
from pages.shared.charts.draw import (
    FIT_WIDTH,
    LETTER,
    MATHS,
    TEXTS,
    Spec,
    draw,
    name_layer,
    named_ends,
    series_encodings,
    spec,
)
from pages.shared.notation.numbers import plain
from pages.shared.notation.palette import ACCENT, HUES, INK, SERIES, Mark

LEAST_SHOWN = 10  # the axis has room for at least so many steps


def losses(values: np.ndarray, taken: int, *, key: str) -> None:
    """Draw the loss before the first step and after each step. A dot marks the loss after `taken` steps."""
    ahead = np.full(max(0, LEAST_SHOWN + 1 - len(values)), np.nan)  # steps that have no loss yet, but room on the axis
    steps = np.arange(len(values) + len(ahead))
    draw({"step": steps, "loss": [*values, *ahead], "here": steps == taken}, _losses_spec(), key=key)


@cache
def _losses_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X(
            "step:Q", title=TEXTS.fill("steps"), axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False, padding=12)
        ),
        y=alt.Y("loss:Q", title=TEXTS.fill("loss"), axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=True, padding=14)),
        tooltip=[alt.Tooltip("step:Q", title=TEXTS.fill("after_step")), alt.Tooltip("loss:Q", format=".4f")],
    )
    line = base.mark_line(strokeWidth=3).encode(color=alt.value(INK))
    here = base.transform_filter("datum.here")
    dot = here.mark_point(size=160, filled=True, opacity=1).encode(color=alt.value(ACCENT))
    word = here.mark_text(align="left", dx=12, dy=-8, fontSize=LETTER).encode(
        text=alt.value(TEXTS.fill("you_are_here")), color=alt.value(ACCENT)
    )
    chart = alt.layer(line, dot, word).properties(
        height=150,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_losses"),
    )
    return spec(chart)


# The label of each measurement. Two are weights: that of the first head, and that of the second.
SHARES = {
    "previous": TEXTS.fill("one_back"),
    "induction": TEXTS.fill("to_the_match"),
    "accuracy": TEXTS.fill("is_right"),
}
WEIGHT = HUES["weight"]
OF_SHARES = (Mark(WEIGHT, "solid"), Mark(WEIGHT, "dashed"), Mark(ACCENT, "dotted"))
HIGH, LOW = 170, 90  # pixels: the heights of the two panels


def learning(points: Points, *, key: str) -> None:
    """Draw lines over the steps of training: the loss of a small model, its share of correct answers, and two weights.

    The weights belong to two heads: one attends to the token before, the other to the token that has to be copied.
    `points` has the number of each step and the measurements after it.
    """
    steps, measured = zip(*points, strict=True)
    values = [[getattr(now, name) for now in measured] for name in SHARES]
    names = list(SHARES.values())
    data = {
        "step": np.tile(steps, len(names)),
        "value": np.concatenate(values),
        "what": np.repeat(names, len(steps)),
        "loss": np.tile([now.loss for now in measured], len(names)),
        **named_ends(dict(zip(names, values, strict=True)), 0, 1, HIGH),
    }
    draw(data, _learning_spec(), _loss_spec(), key=key)


@cache
def _learning_spec() -> Spec:
    share, marks = TEXTS.fill("share"), series_encodings("what:N", OF_SHARES, tuple(SHARES.values()))
    base = alt.Chart().encode(x=_steps_of_training(None))
    lines = base.mark_line(point=True).encode(
        y=alt.Y("value:Q", title=share, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
        tooltip=["step:Q", "what:N", alt.Tooltip("value:Q", format=".3f")],
        **marks,
    )
    chart = alt.layer(lines, name_layer(base, marks["color"], "beside", share)).properties(
        height=HIGH, autosize=FIT_WIDTH, description=TEXTS.fill("about_learning")
    )
    return spec(chart)


@cache
def _loss_spec() -> Spec:
    title, scale, axis = TEXTS.fill("loss_in_nats"), alt.Scale(domainMin=0), alt.Axis(tickCount=4)
    base = alt.Chart().encode(x=_steps_of_training(TEXTS.fill("steps_of_training")))
    line = base.mark_line(point=True).encode(
        y=alt.Y("loss:Q", title=title, scale=scale, axis=axis),
        color=alt.value(INK),
        tooltip=["step:Q", alt.Tooltip("loss:Q", format=".3f")],
    )
    # The names of the panel above, unseen: they leave the same room on the right, so that a step stands below itself.
    room = name_layer(base, alt.value(INK), "beside", title).encode(opacity=alt.value(0))
    chart = alt.layer(line, room).properties(
        height=LOW, autosize=FIT_WIDTH, description=TEXTS.fill("about_losses_of_training")
    )
    return spec(chart)


def _steps_of_training(title: str | None) -> alt.X:
    scale = alt.Scale(domain=[0, STEPS[-1]], nice=False)
    return alt.X("step:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))


ROW = 25  # pixels: the height of a row, with room for a name in two lines
TICKS = (2, 4, 8, 16, 32, 64, 128)
LONGEST_ON_A_PHONE = 24  # letters of a name in one line
CHOSEN = "▶ "  # stands before the name of the chosen mistake


def damage(
    names: Sequence[str], values: Sequence[float], chosen: int, correct_value: float, measure: str, *, key: str
) -> None:
    """Draw each value as a dot beside its name, with a line to it from `correct_value`, the value of the correct model.

    The dot with the index `chosen` is larger. In place of a value that is NaN, the text “no number” is drawn. `measure`
    is the title of the axis.
    """
    numbers, no_number = [value == value for value in values], TEXTS.fill("no_number")
    data = {
        "name": [_in_two_lines(f"{CHOSEN * (i == chosen)}{plain(name)}") for i, name in enumerate(names)],
        "value": [value if number else correct_value for value, number in zip(values, numbers, strict=True)],
        "right": [correct_value] * len(names),
        "said": [f"{value:.2f}" if number else no_number for value, number in zip(values, numbers, strict=True)],
        "chosen": [i == chosen for i, _ in enumerate(names)],
        "number": numbers,
    }
    draw(data, _damage_spec(len(names), measure), key=key)


def _in_two_lines(name: str) -> str:
    """Return a name with a line break in its middle, if it is long. A chart that is wide enough leaves it out."""
    if len(name) <= LONGEST_ON_A_PHONE:
        return name
    spaces = [i for i, letter in enumerate(name) if letter == " "]
    middle = min(spaces, key=lambda i: abs(i - len(name) / 2))
    return f"{name[:middle]}\n{name[middle + 1 :]}"


# Names stand in two lines on a phone, and in one line elsewhere.
ON_A_PHONE = "windowSize()[0] < 641"
NAMES_OF_ROWS = f"{ON_A_PHONE} ? split(datum.label, '\\n') : replace(datum.label, '\\n', ' ')"


@cache
def _damage_spec(n_rows: int, measure: str) -> Spec:
    base = alt.Chart().encode(
        y=alt.Y(
            "name:N",
            title=None,
            sort=None,
            axis=alt.Axis(
                labelExpr=NAMES_OF_ROWS, labelLimit=0, labelFontSize=11.5, labelLineHeight=12, labelOverlap=False
            ),
        ),
        tooltip=[alt.Tooltip("name:N", title=TEXTS.fill("mistake")), alt.Tooltip("said:N", title=measure)],
    )
    x = alt.X(
        "value:Q",
        title=measure,
        scale=alt.Scale(type="log", nice=False, padding=34),
        axis=alt.Axis(values=TICKS),
    )
    colour = alt.Color("chosen:N", scale=alt.Scale(domain=[False, True], range=[INK, ACCENT]), legend=None)
    lines = base.mark_rule(strokeWidth=2).encode(x=x, x2="right", color=colour)
    with_number = base.transform_filter("datum.number")
    dots = with_number.mark_point(filled=True, opacity=1).encode(
        x=x,
        color=colour,
        size=alt.condition("datum.chosen", alt.value(150), alt.value(55)),
        shape=alt.condition("datum.chosen", alt.value("diamond"), alt.value("circle")),
    )
    labels = base.mark_text(align="left", dx=9, fontSize=12).encode(x=x, text="said:N", color=alt.value(INK))
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], aria=False).encode(x="min(right):Q", color=alt.value(INK))
    chart = alt.layer(rule, lines, dots, labels).properties(
        height=ROW * n_rows,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_damage", measure=measure.capitalize()),
    )
    return spec(chart)


def growth(tokens: Sequence[int], scores: Sequence[int], named: Sequence[str], *, key: str) -> None:
    """Draw how the number of scores grows with the number of tokens, as a line. Some points have a label."""
    last = np.arange(len(tokens)) == len(tokens) - 1
    draw({"tokens": tokens, "scores": scores, "name": named, "last": last}, _growth_spec(), key=key)


ROOM_ABOVE = alt.Scale(padding=14)  # pixels: room for the last dot


@cache
def _growth_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X(
            "tokens:Q",
            title=TEXTS.fill("tokens"),
            axis=alt.Axis(tickMinStep=1, tickCount=5),
            scale=alt.Scale(nice=False),
        ),
        y=alt.Y("scores:Q", title=TEXTS.fill("scores_in_each_head"), axis=alt.Axis(tickCount=4), scale=ROOM_ABOVE),
        tooltip=[alt.Tooltip("tokens:Q", format=","), alt.Tooltip("scores:Q", format=",")],
    )
    line = base.mark_line(strokeWidth=3).encode(color=alt.value(INK))
    named = base.transform_filter("datum.name")
    dots = named.mark_point(size=120, filled=True, opacity=1).encode(color=alt.value(ACCENT))
    # The curve is steep at its last dot, so the name stands to the left there, and below the other dots.
    below: dict[str, Any] = {"align": "left", "dx": 6, "dy": 16}
    left: dict[str, Any] = {"align": "right", "dx": -12, "dy": 2}
    names = [
        named.transform_filter(where).mark_text(fontSize=LETTER, **place).encode(text="name:N", color=alt.value(INK))
        for where, place in (("!datum.last", below), ("datum.last", left))
    ]
    chart = alt.layer(line, dots, *names).properties(
        height=190,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_growth"),
    )
    return spec(chart)


HEIGHT = 190  # pixels


def nudge(
    values: np.ndarray,
    weights: Mapping[str, np.ndarray],
    score: float,
    present_weights: Mapping[str, float],
    *,
    key: str,
) -> None:
    """Draw how one attention weight depends on its score: a line for each divisor, with a dot at the present score."""
    names = [plain(name) for name in weights]
    ends = named_ends(dict(zip(names, weights.values(), strict=True)), 0, 1, HEIGHT)
    data = {
        "divisor": [*np.repeat(names, len(values)), *names],
        "score": [*np.tile(values, len(names)), *[score] * len(names)],
        "weight": [*np.concatenate([*weights.values()]), *present_weights.values()],
        "dot": [*[False] * (len(values) * len(names)), *[True] * len(names)],
        "name": [*ends["name"], *[""] * len(names)],
        "beside": [*ends["beside"], *[np.nan] * len(names)],
    }
    draw(data, _nudge_spec(tuple(names)), key=key)


@cache
def _nudge_spec(divisors: tuple[str, ...]) -> Spec:
    marks, weight = series_encodings("divisor:N", SERIES, divisors), TEXTS.fill("weight")
    base = alt.Chart().encode(
        x=alt.X(
            "score:Q",
            title=TEXTS.fill("its_score"),
            scale=alt.Scale(nice=False, zero=False),
            axis=alt.Axis(tickCount=8),
        ),
        y=alt.Y("weight:Q", title=weight, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
        tooltip=[
            "divisor:N",
            alt.Tooltip("score:Q", title=TEXTS.fill("score"), format=",.2f"),
            alt.Tooltip("weight:Q", format=".4f"),
        ],
    )
    lines = base.transform_filter("!datum.dot").mark_line(strokeWidth=3).encode(**marks)
    dots = base.transform_filter("datum.dot").mark_point(size=160, filled=True, opacity=1).encode(color=marks["color"])
    names = name_layer(base, marks["color"], "beside", weight, maths=True)
    chart = alt.layer(lines, dots, names).properties(
        height=HEIGHT,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_nudge"),
    )
    return spec(chart)


PANEL = 110  # pixels: the height of a panel
# The measurement in each panel: its column in the data, and its title.
PANELS = {
    "largest": TEXTS.fill("largest_weight"),
    "entropy": TEXTS.fill("entropy"),
    "jacobian": TEXTS.fill("norm_of_the_jacobian"),
}


def saturations(measurements: Mapping[str, Saturation], widths: Sequence[int], *, key: str) -> None:
    """Draw three panels over d_k: the largest weight, the entropy, and the norm of the Jacobian of the softmax."""
    parts, names = list(measurements.values()), [plain(name) for name in measurements]
    lines = {
        "largest": [part.largest for part in parts],
        "entropy": [part.entropies for part in parts],
        "jacobian": [part.jacobians for part in parts],
    }
    data = {"d_k": np.tile(widths, len(parts)), "divisor": np.repeat(names, len(widths))}
    for panel, each in lines.items():
        ends = named_ends(dict(zip(names, each, strict=True)), 0, float(np.max(each)), PANEL)
        data |= {panel: np.concatenate(each), "name": ends["name"], f"{panel}_beside": ends["beside"]}
    draw(data, *_saturations_specs(tuple(names)), key=key)


@cache
def _saturations_specs(divisors: tuple[str, ...]) -> tuple[Spec, ...]:
    """Return the specification of each panel. The last one has the numbers of the horizontal axis."""
    *others, last = PANELS
    return (*(_panel(each, divisors, is_last=False) for each in others), _panel(last, divisors, is_last=True))


def _panel(field: str, divisors: tuple[str, ...], *, is_last: bool) -> Spec:
    marks, title, width = series_encodings("divisor:N", SERIES, divisors), PANELS[field], plain("d_k")
    letters = {"titleFont": MATHS, "titleFontStyle": "italic", "titleFontSize": LETTER + 3}
    axis = alt.Axis(values=[4**i for i in range(6)], labels=is_last, ticks=is_last, **letters)
    scale = alt.Scale(type="log", base=2, nice=False)
    base = alt.Chart().encode(x=alt.X("d_k:Q", title=width if is_last else None, scale=scale, axis=axis))
    lines = base.mark_line(point=True).encode(
        y=alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=4)),
        tooltip=[
            alt.Tooltip("d_k:Q", title=width),
            "divisor:N",
            alt.Tooltip(f"{field}:Q", title=title, format=".4f"),
        ],
        **marks,
    )
    chart = alt.layer(lines, name_layer(base, marks["color"], f"{field}_beside", title, maths=True))
    about = TEXTS.fill("about_saturations", measure=title.capitalize())
    return spec(chart.properties(height=PANEL, autosize=FIT_WIDTH, description=about))

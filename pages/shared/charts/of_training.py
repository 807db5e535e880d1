"""Charts of what changes: losses, damage, growth, and what a small change does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import altair as alt
import numpy as np

from attention_core.experiments.saturation import Saturation
from attention_core.induction.training import STEPS, Points
from pages.shared.charts.draw import FIT_WIDTH, TEXTS, Spec, draw, series_encodings, spec
from pages.shared.notation.numbers import plain
from pages.shared.notation.palette import COLOURS, DASHES, INK, SERIES

LEAST_SHOWN = 10  # the axis has room for at least so many steps


def losses(values: np.ndarray, taken: int, *, key: str) -> None:
    """Draw the loss before the first step and after each step. A dot marks the loss after `taken` steps."""
    ahead = np.full(max(0, LEAST_SHOWN + 1 - len(values)), np.nan)  # steps that have no loss yet, but room on the axis
    steps = np.arange(len(values) + len(ahead))
    draw({"step": steps, "loss": [*values, *ahead], "here": steps == taken}, _losses_spec(), key=key)


@cache
def _losses_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("step:Q", title=TEXTS.fill("steps"), axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("loss:Q", title=TEXTS.fill("loss"), axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=True)),
        tooltip=[alt.Tooltip("step:Q", title=TEXTS.fill("after_step")), alt.Tooltip("loss:Q", format=".4f")],
    )
    line = base.mark_line(strokeWidth=3).encode(color=alt.value(COLOURS[0]))
    here = base.transform_filter("datum.here")
    dot = here.mark_point(size=160, filled=True, opacity=1).encode(color=alt.value(COLOURS[0]))
    word = here.mark_text(align="left", dx=10, dy=-10, fontSize=13).encode(
        text=alt.value(TEXTS.fill("you_are_here")), color=alt.value(INK)
    )
    chart = alt.layer(line, dot, word).properties(
        height=150,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_losses"),
    )
    return spec(chart)


# The label of each measurement.
SHARES = {
    "previous": TEXTS.fill("one_back"),
    "induction": TEXTS.fill("to_the_match"),
    "accuracy": TEXTS.fill("is_right"),
}
LOSS = TEXTS.fill("loss")
OF_LOSS = SERIES[len(SHARES)]
BELOW_THE_EDGE = 22  # pixels from the upper edge to the name of the loss


def learning(points: Points, *, key: str) -> None:
    """Draw lines over the steps of training: the loss of a small model, its share of correct answers, and two weights.

    The weights belong to two heads: one attends to the token before, the other to the token that has to be copied.
    `points` has the number of each step and the measurements after it.
    """
    lines = {**SHARES, "loss": LOSS}
    every = [(step, getattr(now, name), line) for name, line in lines.items() for step, now in points]
    steps, values, whats = map(list, zip(*every, strict=True))
    draw({"step": steps, "value": values, "what": whats}, _learning_spec(), key=key)


@cache
def _learning_spec() -> Spec:
    title = TEXTS.fill("steps_of_training")
    steps = alt.X("step:Q", title=title, scale=alt.Scale(domain=[0, STEPS[-1]]), axis=alt.Axis(tickCount=5))
    base = alt.Chart().encode(x=steps, tooltip=["step:Q", "what:N", alt.Tooltip("value:Q", format=".3f")])
    chart = alt.layer(_shares(base), _loss(base), _name_of_loss(base)).resolve_scale(y="independent")
    description = TEXTS.fill("about_learning")
    return spec(chart.properties(height=190, autosize=FIT_WIDTH, description=description))


def _shares(base: alt.Chart) -> alt.Chart:
    lines = base.transform_filter(f"datum.what !== '{LOSS}'").mark_line(point=True)
    marks = series_encodings("what:N", SERIES[: len(SHARES)], values=tuple(SHARES.values()), title=None)
    return lines.encode(y=alt.Y("value:Q", title=TEXTS.fill("share"), scale=alt.Scale(domain=[0, 1])), **marks)


def _loss(base: alt.Chart) -> alt.Chart:
    axis = alt.Axis(orient="right", tickCount=4, grid=False)
    line = base.transform_filter(f"datum.what === '{LOSS}'").mark_line(point=True, strokeDash=DASHES[OF_LOSS.line])
    y = alt.Y("value:Q", title=TEXTS.fill("loss_in_nats"), scale=alt.Scale(domainMin=0), axis=axis)
    return line.encode(y=y, color=alt.value(OF_LOSS.colour))


def _name_of_loss(base: alt.Chart) -> alt.Chart:
    first = base.transform_filter(f"datum.what === '{LOSS}' && datum.step === 0")
    text = first.mark_text(align="left", dx=8, fontSize=13)
    return text.encode(y=alt.value(BELOW_THE_EDGE), text="what:N", color=alt.value(INK))


ROW = 19  # pixels: the height of a row
TICKS = (3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
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
        "name": [f"{CHOSEN * (i == chosen)}{name}" for i, name in enumerate(names)],
        "value": [value if number else correct_value for value, number in zip(values, numbers, strict=True)],
        "right": [correct_value] * len(names),
        "said": [f"{value:.2f}" if number else no_number for value, number in zip(values, numbers, strict=True)],
        "chosen": [i == chosen for i, _ in enumerate(names)],
        "number": numbers,
    }
    draw(data, _damage_spec(len(names), measure), key=key)


@cache
def _damage_spec(n_rows: int, measure: str) -> Spec:
    base = alt.Chart().encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=230, labelFontSize=12, labelOverlap=False)),
        tooltip=[alt.Tooltip("name:N", title=TEXTS.fill("mistake")), alt.Tooltip("said:N", title=measure)],
    )
    x = alt.X(
        "value:Q",
        title=measure,
        scale=alt.Scale(type="log", nice=False, padding=28),
        axis=alt.Axis(values=TICKS),
    )
    colour = alt.condition("datum.chosen", alt.value(COLOURS[1]), alt.value(COLOURS[0]))
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
    draw({"tokens": tokens, "scores": scores, "name": named}, _growth_spec(), key=key)


ROOM_ABOVE = alt.Scale(padding=18)  # pixels: room for the name of the last dot


@cache
def _growth_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("tokens:Q", title=TEXTS.fill("tokens"), axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("scores:Q", title=TEXTS.fill("scores_in_each_head"), axis=alt.Axis(tickCount=4), scale=ROOM_ABOVE),
        tooltip=[alt.Tooltip("tokens:Q", format=","), alt.Tooltip("scores:Q", format=",")],
    )
    line = base.mark_line(strokeWidth=3).encode(color=alt.value(COLOURS[0]))
    named = base.transform_filter("datum.name")
    dots = named.mark_point(size=120, filled=True, opacity=1).encode(color=alt.value(COLOURS[0]))
    names = named.mark_text(align="right", dx=-10, dy=-6, fontSize=13).encode(text="name:N", color=alt.value(INK))
    chart = alt.layer(line, dots, names).properties(
        height=190,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_growth"),
    )
    return spec(chart)


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
    data = {
        "divisor": [*np.repeat(names, len(values)), *names],
        "score": [*np.tile(values, len(names)), *[score] * len(names)],
        "weight": [*np.concatenate([*weights.values()]), *present_weights.values()],
        "dot": [*[False] * (len(values) * len(names)), *[True] * len(names)],
    }
    draw(data, _nudge_spec(tuple(names)), key=key)


@cache
def _nudge_spec(divisors: tuple[str, ...]) -> Spec:
    marks = series_encodings("divisor:N", SERIES[: len(divisors)], values=divisors, title=None)
    base = alt.Chart().encode(
        x=alt.X("score:Q", title=TEXTS.fill("its_score"), scale=alt.Scale(nice=False, zero=False)),
        y=alt.Y("weight:Q", title=TEXTS.fill("weight"), scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
        tooltip=[
            "divisor:N",
            alt.Tooltip("score:Q", title=TEXTS.fill("score"), format=",.2f"),
            alt.Tooltip("weight:Q", format=".4f"),
        ],
    )
    lines = base.transform_filter("!datum.dot").mark_line(strokeWidth=3).encode(**marks)
    dots = base.transform_filter("datum.dot").mark_point(size=160, filled=True, opacity=1).encode(color=marks["color"])
    chart = alt.layer(lines, dots).properties(
        height=190,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_nudge"),
    )
    return spec(chart)


# The measurement in each panel: its column in the data, and its title.
PANELS = {
    "largest": TEXTS.fill("largest_weight"),
    "entropy": TEXTS.fill("entropy"),
    "jacobian": TEXTS.fill("norm_of_the_jacobian"),
}


def saturations(measurements: Mapping[str, Saturation], widths: Sequence[int], *, key: str) -> None:
    """Draw three panels over d_k: the largest weight, the entropy, and the norm of the Jacobian of the softmax."""
    parts = list(measurements.values())
    data = {
        "d_k": np.tile(widths, len(parts)),
        "divisor": np.repeat([plain(name) for name in measurements], len(widths)),
        "largest": np.concatenate([part.largest for part in parts]),
        "entropy": np.concatenate([part.entropies for part in parts]),
        "jacobian": np.concatenate([part.jacobians for part in parts]),
    }
    draw(data, _saturations_spec(tuple(map(plain, measurements))), key=key)


@cache
def _saturations_spec(divisors: tuple[str, ...]) -> Spec:
    lines = series_encodings("divisor:N", SERIES[: len(divisors)], values=divisors, title=None)
    last, width = list(PANELS)[-1], plain("d_k")

    def panel(field: str, title: str) -> alt.Chart:
        axis = alt.Axis(values=[4**i for i in range(6)], labels=field == last, ticks=field == last)
        return (
            alt.Chart()
            .mark_line(point=True)
            .encode(
                x=alt.X(
                    "d_k:Q",
                    title=width if field == last else None,
                    scale=alt.Scale(type="log", base=2),
                    axis=axis,
                ),
                y=alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=4)),
                **lines,
                tooltip=[
                    alt.Tooltip("d_k:Q", title=width),
                    "divisor:N",
                    alt.Tooltip(f"{field}:Q", title=title, format=".4f"),
                ],
            )
            .properties(height=110)
        )

    chart = alt.vconcat(*(panel(*each) for each in PANELS.items())).properties(
        description=TEXTS.fill("about_saturations")
    )
    return spec(chart)

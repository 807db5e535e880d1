"""“Spot the bug” simulated: pick lines, press buttons, and read what the page says about them."""

from attention_core.museum import EXHIBITS
from simulating import key_now, visit_of

FIRST, SECOND = EXHIBITS[:2]


def pick(app, line):
    lines = app.radio(key=key_now(app, "spot_the_bug.exhibit"))
    return lines.set_value((visit_of(app).parameters.exhibit[0], line)).run()


def press(app, key):
    return app.button(key=f"museum.{key}").click().run()


def said(app):
    return "\n".join(element.value for kind in ("markdown", "success", "warning", "info") for element in app.get(kind))


def boxes(app):
    return {kind: [box.value for box in app.get(kind)] for kind in ("success", "warning", "info") if app.get(kind)}


def shown(app):
    return visit_of(app).parameters.exhibit

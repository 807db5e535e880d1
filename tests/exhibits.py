"""The page “Spot the bug” simulated: pick lines, press buttons, and read what the page says about them."""

from attention_core.museum import EXHIBITS
from simulating import key_now, visit_of

FIRST, SECOND = EXHIBITS[:2]


def pick(app, line):
    """Pick a line of the shown exhibit, and return the page after that."""
    lines = app.radio(key=key_now(app, "spot_the_bug.exhibit"))
    return lines.set_value((visit_of(app).parameters.exhibit[0], line)).run()


def press(app, key):
    """Press the button with this name, such as "Next", and return the page after that."""
    return app.button(key=f"museum.{key}").click().run()


def page_text(app):
    """Return all texts of the page, with its messages."""
    return "\n".join(element.value for kind in ("markdown", "success", "warning", "info") for element in app.get(kind))


def message_boxes(app):
    """Return the texts of the message boxes on the page, by their kind: "success", "warning" or "info"."""
    return {kind: [box.value for box in app.get(kind)] for kind in ("success", "warning", "info") if app.get(kind)}


def shown_exhibit(app):
    """Return the name of the shown exhibit and its picked line."""
    return visit_of(app).parameters.exhibit

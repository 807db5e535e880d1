"""The app simulated without a browser: open a link, edit, press buttons, and paste a matrix on “Check my matrix”."""

from __future__ import annotations

import html
import json
from typing import Any

import numpy as np
import pytest
import streamlit.components.v2 as components
from streamlit import config
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup
from streamlit.util import calc_hash

from attention_core.examples import example
from attention_core.reading.matrix_text import write_matrix
from serving import ROOT

# Up to Streamlit 1.62 at least, a component is added to the registry of the run that imports its module, and each
# simulation has its own registry. Here all simulations share one, so modules are imported only once.
COMPONENTS = BidiComponentManager()
components.__dict__["get_bidi_component_manager"] = lambda: COMPONENTS

config.set_option("client.showErrorDetails", "full")  # so that a failure shows its reason, which visitors do not see

SCRIPT = ROOT / "pages" / "shared" / "frame" / "run.py"  # what Streamlit runs for each visitor
EQUATION, PANEL = "attention_lab_equation", "attention_lab_panel"  # the names of components
# x of the first example, with a 5 in its first cell.
X_5 = "5,0,0,0,0,0;0,0,1,0,0,0;0,1,0,0,0,0;0,0,0,1,0,0;0,0,0,1,1,0"


def open_page(page, **link) -> AppTest:
    """Open a page by a link in a new session, and return the simulated page.

    `link` holds the parameters of the link.
    """
    import pages.shared.frame.draw as frame

    frame.UNTIL_SENT = 0  # a simulated page sends nothing to a browser
    app = AppTest.from_file(str(SCRIPT), default_timeout=120)
    app._bidi_component_manager = COMPONENTS
    app.query_params.update(link)
    return go(app, page)


def go(app, page) -> AppTest:
    """Go to another page by its address, and return the simulated page.

    `AppTest.switch_page` does not work, because the pages are functions and not files.
    """
    app._page_hash = calc_hash(page)
    return app.run()


def visitor_of(app):
    """Return the app's record of the visitor of a simulated page."""
    return app.session_state["attention_lab"]


def visit_of(app):
    """Return the state of the page that the visitor of `app` has open: its example, its edits and its parameters."""
    return visitor_of(app).visit


def drawn_equations(app):
    """Return the equations on the page, by their keys."""
    from pages.shared.equation.engine import DrawnSoFar

    return visitor_of(app).kept[DrawnSoFar].equations


def edits(app):
    """Return the matrices that the visitor has edited."""
    return visit_of(app).workspace.edits


def link_of(app) -> dict[str, str]:
    """Return the parameters of the page's address."""
    return {name: value if isinstance(value, str) else value[-1] for name, value in app.query_params.items()}


def equations(app) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of every equation as the browser receives them, by the key of the equation.

    A key begins with the name of the page: "scaling.equation.meet".
    """
    drawn = [each.proto for each in app.get("bidi_component") if each.proto.component_name == EQUATION]
    return {proto.id.rpartition("-")[2]: json.loads(proto.json)[0]["lines"] for proto in drawn}


def matrices(app) -> dict[str, dict[str, Any]]:
    """Return the data of every matrix as the browser receives it, by the id of the matrix."""
    lines = [line for lines in equations(app).values() for line in lines]
    return {item["id"]: item for line in lines for item in line["items"] if "id" in item}


def captions(app) -> str:
    """Return all captions on the page as one text."""
    return "\n".join(caption.value for caption in app.caption)


def notices(app) -> str:
    """Return the notices of the page about what it could not do, as one text."""
    return "\n".join(text.value for text in app.markdown if text.value.startswith(":material/info:"))


def lines_of_code(app) -> str:
    """Return the lines of code inside the lesson of a page. The code below the lesson does not count."""
    (lines,) = [body for each in app.get("html") if (body := each.proto.body).startswith('<pre class="lines">')]
    return html.unescape(lines.removeprefix('<pre class="lines">').removesuffix("</pre>"))


def undo(app) -> AppTest:
    """Undo the last edit, and return the page after that."""
    return with_edit(app, {"kind": "undo"})


def redo(app) -> AppTest:
    """Repeat the edit that was undone last, and return the page after that."""
    return with_edit(app, {"kind": "redo"})


def reset(app) -> AppTest:
    """Undo all edits at once, and return the page after that."""
    return with_edit(app, {"kind": "reset"})


def with_edit(app, *events) -> AppTest:
    """Let an equation of the page send `events`, such as an edit of a cell, and return the page after that."""
    from visiting import last_received, send, visiting  # these import the pages, which must find the registry above

    with visiting(visitor_of(app)):
        send(*events, first=last_received() + 1)
    return app.run()


def after_the_answer(app) -> AppTest:
    """Let the language model answer all questions of the visitor, and return the page after that."""
    from pages.shared.model_access.asking import Asking
    from visiting import visiting

    asking = visitor_of(app).kept[Asking]
    with visiting(visitor_of(app)):
        while asking.open_questions:
            asking.go_on()
    return app.run()


def key_now(app, widget) -> str:
    """Return the present key of a widget. The key changes when the server sets the widget's value."""
    from pages.shared.state import session
    from visiting import visiting

    with visiting(visitor_of(app)):
        return session.key_of(widget)


def panels(app) -> dict[str, list[dict[str, Any]]]:
    """Return the controls of each panel as the browser receives them, by the key of the panel."""
    drawn = [each.proto for each in app.get("bidi_component") if each.proto.component_name == PANEL]
    return {proto.id.rpartition(".panel.")[2]: json.loads(proto.json)[0]["items"] for proto in drawn}


def controls_in_panels(app) -> dict[str, dict[str, Any]]:
    """Return the controls of all panels: by parameter, and buttons by label."""
    items = [item for items in panels(app).values() for item in items if item["kind"] != "line"]
    return {item["label"] if item["kind"] == "button" else item["name"]: item for item in items}


def with_open_mistakes(app, page) -> AppTest:
    """Open the fold with the mistakes of a page, and the list of those that do not show. Return the app."""
    app.session_state[f"{page}.mistakes"] = app.session_state[f"{page}.mistakes.others"] = True
    return app.run()


def chosen_in_panels(app, name) -> list[str]:
    """Return the options of a choice that are on, as links have them."""
    return [option["text"] for option in controls_in_panels(app)[name]["options"] if option["on"]]


def choose(app, name, text) -> AppTest:
    """Choose a value of a parameter in a panel, and return the app. `text` is the value as a link has it."""
    assert name in controls_in_panels(app), f"no panel draws {name}"
    return with_edit(app, {"kind": "choose", "name": name, "text": text})


def press(app, label):
    """Press the button with this label, of Streamlit or in a panel, and return the app."""
    (button,) = [button for button in (*app.button, *controls_in_panels(app).values()) if is_button(button, label)]
    if not isinstance(button, dict):
        return button.click().run()
    return with_edit(app, *({"kind": "choose", "name": name, "text": text} for name, text in button["sets"]))


def is_button(control: Any, label: str) -> bool:
    """Return whether a control is a button with this label, of Streamlit or in a panel."""
    if isinstance(control, dict):
        return control["kind"] == "button" and control["label"] == label
    return control.label == label


def page_text(app):
    """Return all Markdown texts of the page as one text."""
    return "\n".join(text.value for text in app.markdown)


def shown_values(item):
    """Return the numbers of a matrix as the page shows them.

    The page may show one row only, or the matrix transposed.
    """
    values = np.array(item["values"], dtype=float)
    if item["onlyRow"] is not None:
        values = values[[item["onlyRow"]]]
    return values.T if item["transposed"] else values


def clear(app, name) -> AppTest:
    """Click the chosen option of the control `name` again, which removes the choice, and return the page after that.

    A simulation has no other way to remove the choice, up to Streamlit 1.62 at least.
    """
    as_it_is = ButtonGroup.formatted_values.fget
    assert as_it_is is not None
    with pytest.MonkeyPatch.context() as patch:
        nothing = property(lambda group: [] if group.key == name else as_it_is(group))
        patch.setattr(ButtonGroup, "formatted_values", nothing)
        return app.run()


HAND = example("hand").attention()


def check_page(answer, **link):
    """Open “Check my matrix” with `answer` in its field, and return the simulated page.

    Fail if the page raises an error. `answer` is a matrix or a text, and `link` holds more parameters of the page's
    link.
    """
    text = answer if isinstance(answer, str) else write_matrix(answer)
    app = open_page("check_my_matrix", **{"example": "hand", "answer": text} | link)
    assert not app.exception
    return app


def heading(app):
    """Return the first heading of the verdict: what the page says about the pasted matrix."""
    return next(line for line in page_text(app).splitlines() if line.startswith("## "))


def text_behind_press(app):
    """Return the text of the verdict that the page shows only after a press."""
    (more,) = [expander for expander in app.expander if expander.label == "More about this verdict"]
    return "\n".join(text.value for text in more.markdown)

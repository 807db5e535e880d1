"""The tour of heads: the measured roles of heads, each with its control and with a text that shows the role.

A role says what a head attends to. A control is the same measurement on texts without what the role depends on.
"""

from __future__ import annotations

from collections.abc import Mapping

from attention_core.language_model.model import Head
from attention_core.language_model.roles import Role, roles
from pages.shared import panel
from pages.shared.controls import Parameters
from pages.shared.notation.prose import markdown_table
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)

MOST = 0.5  # the greatest share of its score that a role may have in its control


# The roles in the order of the tour, each with a text that shows it.
TOLD: Mapping[str, str] = {
    "previous token": "cat", "first place": "park", "induction": "list", "same token before": "list",
    "bracket": "bracket", "quote": "quote", "pronoun": "pronoun", "fact": "capital", "same word": "kinds",
}  # fmt: skip


def has_role(role: Role) -> bool:
    """Return whether a head really has the role that its score suggests."""
    return role.control < MOST * role.score


def role_of(head: Head) -> str:
    """Return the title of the role of a head, or "" if no role was found."""
    found = [role for role in roles() if role.head == head and role.name in TOLD and has_role(role)]
    return _words_for(found[0], "role") if found else ""


def _words_for(role: Role, section: str) -> str:
    return TEXTS.words(section).options[role.name.replace(" ", "_")]


def titles() -> Mapping[Head, str]:
    """Return the title of the role for each head that has a role."""
    return {role.head: title for role in roles() if (title := role_of(role.head))}


def roles_of_tour() -> list[Role]:
    """Return the roles that the tour shows. Roles that do not pass the control experiment come last."""
    told = sorted((role for role in roles() if role.name in TOLD), key=lambda role: [*TOLD].index(role.name))
    return sorted(told, key=has_role, reverse=True)


def table() -> str:
    """Return a Markdown table of all roles with their scores and controls."""
    header = [TEXTS.words(section).label for section in ("role", "attends_to", "weight", "control")]
    return markdown_table(header, [_row_of_table(role) for role in roles_of_tour()], ":--")


def _row_of_table(role: Role) -> tuple[str, ...]:
    control = f"{role.control:.2f}" if has_role(role) else TEXTS.fill("control_fails", control=role.control)
    return (
        TEXTS.fill("role_and_head", role=_words_for(role, "role"), head=role.head.name),
        TEXTS.fill(
            "attends_to_and_control",
            attends_to=_words_for(role, "attends_to"),
            control=_words_for(role, "control"),
        ),
        f"{role.score:.2f}",
        control,
    )


def draw_buttons(parameters: Parameters) -> None:
    """Draw one button for each role. The button shows the head of the role on a text that suits it."""
    panel.draw(parameters, "tour", *(_button_of(role, parameters) for role in roles_of_tour()))


def _button_of(role: Role, parameters: Parameters) -> panel.Item:
    label = f"{role.head.name} · {_words_for(role, 'role')}"
    return panel.button(parameters, label, {"text": TOLD[role.name], "head": role.head})


def failing_role_text() -> str:
    """Return a text about a head that seems to have a role, but does not pass the control experiment."""
    (role,) = [role for role in roles() if role.name == "same word"]
    return TEXTS.fill("failing_role", head=role.head.name, weight=role.score, control=role.control)


def sink_position_text() -> str:
    """Return a text which shows that heads attend to the first position, whatever token is there."""
    (role,) = [role for role in roles() if role.name == "first word"]
    return TEXTS.fill("position_of_sink", head=role.head.name, weight=role.score, control=role.control, n=role.n_texts)


def measurement_text() -> str:
    """Return a text that says how the roles were measured, with the table of all roles."""
    least, *_, most = sorted(role.n_texts for role in roles_of_tour())
    measured = TEXTS.fill("how_roles_are_measured", least=least, most=most)
    return "\n\n".join([measured, table(), failing_role_text(), TEXTS.fill("open_a_head")])

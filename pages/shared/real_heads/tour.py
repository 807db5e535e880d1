"""The tour of heads: the measured roles of heads, each with its control and with a text that shows the role.

A role says what a head attends to. A control is the same measurement on texts without what the role depends on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from attention_core.language_model.model import Head
from attention_core.language_model.roles import Role, roles
from pages.shared.notation.prose import markdown_table
from pages.shared.state import session

MOST = 0.5  # the greatest share of its score that a role may have in its control


class RoleText(NamedTuple):
    """The texts about a role: its title, what its heads attend to, and what its control experiment changes."""

    title: str
    looks: str
    control: str
    text: str


TOLD: Mapping[str, RoleText] = {
    "previous token": RoleText("one back", "to the token before", "to the token before that one", "cat"),
    "first place": RoleText("sink", "to the first place", "to the second", "park"),
    "induction": RoleText(
        "induction",
        "to the word that followed this word the first time",
        "the list goes on with new words",
        "list",
    ),
    "same token before": RoleText("same token", "to the same word before", "the list goes on with new words", "list"),
    "bracket": RoleText("bracket", "from ) to (", "a comma stands in place of (", "bracket"),
    "quote": RoleText("quote", "from the closing quote to the opening one", "a comma stands in its place", "quote"),
    "pronoun": RoleText("pronoun", "from “she” to a woman’s name, from “he” to a man’s", "from the other", "pronoun"),
    "fact": RoleText("fact", "to the country whose capital is asked", "its weather is asked", "capital"),
    "same word": RoleText(
        "same word?", "from an animal to the same animal before", "the second animal is another one", "kinds"
    ),
}


def has_role(role: Role) -> bool:
    """Return whether a head really has the role that its score suggests."""
    return role.control < MOST * role.score


def role_of(head: Head) -> str:
    """Return the title of the role of a head, or "" if no role was found."""
    found = [TOLD[role.name].title for role in roles() if role.head == head and role.name in TOLD and has_role(role)]
    return found[0] if found else ""


def titles() -> Mapping[Head, str]:
    """Return the title of the role for each head that has a role."""
    return {role.head: title for role in roles() if (title := role_of(role.head))}


def roles_of_tour() -> list[Role]:
    """Return the roles that the tour shows. Roles that do not pass the control experiment come last."""
    return sorted(
        (role for role in roles() if role.name in TOLD), key=lambda role: (not has_role(role), _place_in_tour(role))
    )


def _place_in_tour(role: Role) -> int:
    return list(TOLD).index(role.name)


def table() -> str:
    """Return a Markdown table of all roles with their scores and controls."""
    rows = [
        (
            f"**{TOLD[role.name].title}** {role.head.name}",
            f"{TOLD[role.name].looks}; *control:* {TOLD[role.name].control}",
            f"{role.score:.2f}",
            f"{role.control:.2f}{'' if has_role(role) else ', **fails**'}",
        )
        for role in roles_of_tour()
    ]
    return markdown_table(("role and head", "what it attends to", "weight", "control"), rows, ":--")


def draw_buttons() -> None:
    """Draw one button for each role. The button shows the head of the role on a text that suits it."""
    with st.container(horizontal=True, gap="small"):
        for number, role in enumerate(roles_of_tour()):
            label = f"{role.head.name} · {TOLD[role.name].title}"
            st.button(label, key=f"real_heads.tour.{number}", on_click=_show_role, args=(role,))


def _show_role(role: Role) -> None:
    session.set_parameters(text=TOLD[role.name].text, head=role.head)


def failing_role_text() -> str:
    """Return a text about a head that seems to have a role, but does not pass the control experiment."""
    (role,) = [role for role in roles() if role.name == "same word"]
    return (
        f"**{role.head.name} seems to find the same word, but does not.** The second “dog” attends to the first with "
        f"{role.score:.2f}, on average over several animals. But if the second animal is a cat, it still attends to "
        "the dog with "
        f"{role.control:.2f}. So this head does not look for the same word. A map can suggest a role, but only a "
        "control can test it."
    )


def sink_position_text() -> str:
    """Return a text which shows that heads attend to the first position, whatever token is there."""
    (role,) = [role for role in roles() if role.name == "first word"]
    return (
        "Is it because of the start token? Leave it out, so that a word stands first. "
        f"{role.head.name} still attends to the first token with **{role.score:.2f}**, and with {role.control:.2f} "
        "to the "
        f"second, on average over {role.n_texts} texts. So the position matters, not the word."
    )


def measurement_text() -> str:
    """Return a text that says how the roles were measured, with the table of all roles."""
    least, *_, most = sorted(role.n_texts for role in roles_of_tour())
    return (
        "## What some heads do\n\n"
        "For each role, the best head was chosen on half of the texts. These numbers come from the **other half**, "
        f"{least} to {most} texts. The weight is a mean: from the token that the role names to the token that it "
        "should attend to. The *control* is the same head on changed texts. A role holds if the control is less than "
        f"half of the weight.\n\n{table()}\n\n{failing_role_text()}\n\n"
        "**Open a head**, and judge for yourself:"
    )

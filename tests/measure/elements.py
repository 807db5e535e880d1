"""How many elements Streamlit sends after a press, by page and view: the cost of a press grows with their number.

A press runs the lesson again, so the program asks for one run of the lesson and counts what comes back. `--each` also
names the elements, in their order.
"""

from argparse import ArgumentParser
from collections.abc import Sequence

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta

from crowd import connect_visitor, messages_of_run, opening_message, run
from pagesutil import looks_of
from serving import PAGES, Server, serve


async def elements_of_a_press(server: Server, page: str, query: str = "") -> list[str]:
    """Open a page, let its lesson run again as a press does, and return the kinds of the elements that are sent."""
    async with connect_visitor(server) as socket:
        opened = [message.delta async for message in messages_of_run(socket, opening_message(page, query))]
        asked = BackMsg()
        asked.rerun_script.fragment_id = fragment_of_the_numbers(opened)
        return [
            kind_of(message.delta)
            async for message in messages_of_run(socket, asked)
            if message.WhichOneof("type") == "delta"
        ]


def fragment_of_the_numbers(opened: Sequence[Delta]) -> str:
    """Return the part of the page that runs again after a press on its first component of ours, or on its lesson."""
    ours = [each.fragment_id for each in opened if each.new_element.WhichOneof("type") == "bidi_component"]
    others = [each.fragment_id for each in opened]
    return next(fragment for fragment in (*ours, *others) if fragment)


def kind_of(delta: Delta) -> str:
    """Return the kind of an element, with the name of a container or of a component of ours."""
    if delta.WhichOneof("type") == "add_block":
        block = delta.add_block
        return f"{block.WhichOneof('type') or 'container'} {block.id.rpartition('-')[2] if block.id else ''}".strip()
    kind = str(delta.new_element.WhichOneof("type"))
    return f"{kind} {delta.new_element.bidi_component.component_name}" if kind == "bidi_component" else kind


def states() -> Sequence[tuple[str, str]]:
    """Return each view of each page: the page's name and the query of the view."""
    return [(page.name, look and f"look={look}") for page in PAGES for look in (looks_of(page.name) or [""])]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--pages", nargs="+", default=[page.name for page in PAGES])
    parser.add_argument("--each", action="store_true", help="name the elements")
    asked = parser.parse_args()
    with serve() as server:
        for page, query in states():
            if page in asked.pages:
                kinds = run(elements_of_a_press(server, page, query))
                print(
                    f"{page}?{query}: {len(kinds)}",
                    *(f"  {kind}" for kind in kinds if asked.each),
                    sep="\n",
                    flush=True,
                )


if __name__ == "__main__":
    main()

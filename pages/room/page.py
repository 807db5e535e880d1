"""The page “Rooms”: a class answers on its phones, and the lecturer sees which mistakes it makes."""

from pages.room import lecturer
from pages.shared import controls
from pages.shared.rooms.codes import CODE_LENGTH, KEY_BYTES
from pages.shared.site.page import Page


@controls.declare
class Room(controls.Parameters):
    """The parameters of the page “Rooms”."""

    code: str = controls.text("Code of the room", default="", longest=CODE_LENGTH)
    key: str = controls.text("Key of the lecturer", default="", longest=2 * KEY_BYTES)


PAGE = Page(
    module=__name__,
    parts=(lecturer.draw_room,),
    code=None,
    parameters=Room,
    onward=lecturer.follow_the_room,
    asks=lecturer.question,
    concept="Rooms",
    question="Which mistakes does the class make?",
    sources=("[Crouch & Mazur 2001, on peer instruction](https://doi.org/10.1119/1.1374249)",),
)

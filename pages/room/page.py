"""The page “Rooms”: a class answers on its phones, and the lecturer sees which mistakes it makes."""

from pages.room import lecturer
from pages.room.student import TEXTS
from pages.shared import controls
from pages.shared.rooms.codes import CODE_LENGTH, KEY_BYTES
from pages.shared.site.page import Page


@controls.declare(TEXTS)
class Room(controls.Parameters):
    """The parameters of the page “Rooms”."""

    code: str = controls.text(default="", longest=CODE_LENGTH)
    key: str = controls.text(default="", longest=2 * KEY_BYTES)


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(lecturer.draw_room,),
    code=None,
    parameters=Room,
    onward=lecturer.follow_the_room,
    asks=lecturer.question,
)

"""The limits of rooms, and the errors that name the limit that was reached."""

MOST_ROOMS = 500
MOST_BROWSERS = 1000  # in a room, each with one answer to a question
MOST_ROUNDS = 100  # in a room
LONGEST_ANSWER = 4000  # characters
SECONDS_BETWEEN_ANSWERS = 1.0  # of one browser
DAY = 24 * 60 * 60  # seconds without use after which a room is deleted


class RoomError(ValueError):
    """Something that a room refuses. Its text says the rule, what was received, and what to do."""


class RoomsUnavailableError(RuntimeError):
    """The database of rooms does not answer, or there is none. Its text says what to do."""

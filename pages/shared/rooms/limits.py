"""The limits of rooms, and the errors for a limit that was reached and for a database that is missing."""

MOST_ROOMS = 500
MOST_BROWSERS = 1000  # in one room; each has one answer to a question
MOST_ROUNDS = 100  # in one room
LONGEST_ANSWER = 4000  # characters
SECONDS_BETWEEN_ANSWERS = 1.0  # between two answers of the same browser
DAY = 24 * 60 * 60  # seconds without use after which a room is deleted


class RoomError(ValueError):
    """The error when a room refuses something. Its text says the rule, what was received, and what to do."""


class RoomsUnavailableError(RuntimeError):
    """The error when there is no database of rooms, or when the database does not answer. Its text says what to do."""

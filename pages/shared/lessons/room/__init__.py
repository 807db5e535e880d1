"""The code of the page of a room: students answer there, and the lecturer sees which mistakes they make."""

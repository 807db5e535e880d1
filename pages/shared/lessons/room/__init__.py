"""The page of a room: where students answer, and where the lecturer sees which mistakes they make."""

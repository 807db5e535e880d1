"""The code of the page “Queries, keys, values”: why there are three of them, and how they look as arrows."""

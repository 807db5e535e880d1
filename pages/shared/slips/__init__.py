"""Slips on the page: a switch for each mistake, and what it does to the numbers beside the right ones."""

from pages.shared.slips.mistakes import show, slip_of, source_of, verdict

__all__ = ["show", "slip_of", "source_of", "verdict"]

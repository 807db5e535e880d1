"""The block “What goes wrong” of a page: a switch for each mistake, and how the mistake changes the numbers."""

from pages.shared.mistake_switch.switch import show, source_of, switches_of, verdict

__all__ = ["show", "source_of", "switches_of", "verdict"]

"""Random presses along a lecture: no exception, nothing cut off, and the speaker's window agrees with the stage.

`python tests/measure presses` presses a thousand times.
"""

from measure.presses import press_at_random


def test_after_any_presses_stage_and_notes_agree(visit):
    page = visit("/?scene=1&view=present&route=20", width=1280, height=720)
    assert press_at_random(page, presses=60, every=12, seed=3) == []

"""How long others wait while ten visitors train a model at the same time.

The ten visitors ask for one slice of their training after the other, as their browsers do, and begin again after the
end. The others move a slider every two seconds. 95 % of the answers to the others must come within 200 ms.
"""

from __future__ import annotations

import asyncio
import time

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from crowd import connect_visitor, error_in, messages_of_run, opening_message
from measure.together import compare, tick_message
from serving import Server

SECONDS = 20
PAGE, BEGIN = "induction_head", "training.begin"


async def keep_training(server: Server, seconds: float, slices: list[float], all_here: asyncio.Barrier) -> None:
    """Open the page and train again and again for `seconds`. Add the seconds that each slice took to `slices`.

    `all_here` lets all visitors begin at the same time.
    """
    async with connect_visitor(server) as socket:
        await _answers(socket, opening_message(PAGE))
        await all_here.wait()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            timer = next(m.auto_rerun for m in await _answers(socket, await _press_message(socket)) if _is_timer(m))
            goes_on = True
            while goes_on and (time.monotonic() < end or not slices):  # at least one, even on a slow machine
                await asyncio.sleep(timer.interval)
                began = time.monotonic()
                goes_on = any(map(_is_progress, await _answers(socket, tick_message(timer.fragment_id))))
                slices.append(time.monotonic() - began)


async def _answers(socket, asked: BackMsg) -> list[ForwardMsg]:
    messages = [message async for message in messages_of_run(socket, asked)]
    if wrong := [error for message in messages for error in error_in(message)]:
        raise RuntimeError(f"{PAGE}: {wrong[0]}")
    return messages


def _is_timer(message: ForwardMsg) -> bool:
    return message.WhichOneof("type") == "auto_rerun"


def _is_progress(message: ForwardMsg) -> bool:
    return message.delta.new_element.WhichOneof("type") == "progress"


async def _press_message(socket) -> BackMsg:
    """Open the page, and return the message by which a browser says that its button was pressed."""
    deltas = [message.delta async for message in messages_of_run(socket, opening_message(PAGE))]
    (button,) = [d for d in deltas if d.new_element.button.id.endswith(BEGIN)]
    asked = BackMsg()
    asked.rerun_script.fragment_id = button.fragment_id
    asked.rerun_script.widget_states.widgets.add(id=button.new_element.button.id, trigger_value=True)
    return asked


if __name__ == "__main__":
    compare(__doc__, PAGE, keep_training, "train", SECONDS)

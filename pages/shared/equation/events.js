// Events: what a visitor does is kept and sent until the server has answered it.

import { uniqueId } from "./unique_id.js"

/** What a view needs in order to send events. */
export function noEvents() {
  return { instance: uniqueId(), sequence: 0, pending: [] }
}

/** Keep an event in the place of the last one of its gesture. Send all that are kept, unless more of the gesture follows. */
export function send(view, event, now = true) {
  const same = (other) => event.gesture && other.gesture === event.gesture
  view.pending = [...view.pending.filter((other) => !same(other)), { ...event, sequence: ++view.sequence }]
  if (now) view.setStateValue("events", { instance: view.instance, generation: view.data.generation, list: view.pending })
}

/** Take the numbers of the server; of the events, those that it has not answered yet still count. */
export function takeAnswer(view, data) {
  if (view.data && view.data.generation !== data.generation) view.pending = []
  view.pending = view.pending.filter((event) => event.sequence > (data.applied[view.instance] ?? 0))
  view.data = data
}

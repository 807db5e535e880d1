// Events: the actions of a visitor. Each event is stored, and sent again until the server has answered it.

import { uniqueId } from "./unique_id.js"

/** Return the state that a view needs to send events, with no event yet. */
export function noEvents() {
  return { instance: uniqueId(), sequence: 0, pending: [] }
}

/** Store an event in place of the last event of its gesture (a drag). Send all stored events if `now`. */
export function send(view, event, now = true) {
  const same = (other) => event.gesture && other.gesture === event.gesture
  view.pending = [...view.pending.filter((other) => !same(other)), { ...event, sequence: ++view.sequence }]
  if (now)
    view.setStateValue("events", { instance: view.instance, generation: view.data.generation, list: view.pending })
}

/** Take over the numbers of the server, and keep only the events that the server has not answered yet. */
export function takeAnswer(view, data) {
  if (view.data && view.data.generation !== data.generation) view.pending = []
  view.pending = view.pending.filter((event) => event.sequence > (data.applied[view.instance] ?? 0))
  view.data = data
}

// A component, as it is sent with each edit: the engine draws it. One that comes before the engine waits for it.

import { KIND } from "./constants.js"

export default function (sent) {
  const engine = (window[KIND] ??= { waiting: new Set() })
  if (engine.receive) return engine.receive(sent)
  let letGo
  const start = () => (letGo = engine.receive(sent))
  engine.waiting.add(start)
  return () => {
    engine.waiting.delete(start)
    letGo?.()
  }
}

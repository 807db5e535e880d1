// An equation, as it is sent with each edit: the engine draws it. One that comes before the engine waits for it.

import { ENGINE } from "./constants.js"

export default function (component) {
  const engine = (window[ENGINE] ??= { waiting: new Set() })
  if (engine.receive) return engine.receive(component)
  let letGo
  const start = () => (letGo = engine.receive(component))
  engine.waiting.add(start)
  return () => {
    engine.waiting.delete(start)
    letGo?.()
  }
}

// Stub: the short script of each component. It gives the component to the engine, or waits for the engine.

import { KIND } from "./constants.js"

export default function (sent) {
  const engine = (window[KIND] ??= { waiting: new Set() })
  if (engine.receive) return engine.receive(sent)
  let leave
  const start = () => (leave = engine.receive(sent))
  engine.waiting.add(start)
  return () => {
    engine.waiting.delete(start)
    leave?.()
  }
}

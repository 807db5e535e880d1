// The short script that is sent with each component: it hands the component to the engine, or waits for the engine.

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

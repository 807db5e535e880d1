// Pace: do something once a frame while the hand moves, and something else when it rests.

const REST = 150 // milliseconds without a move

/** Return a function that calls `act` once in the next frame, however often it is called. `forget` ends the wait. */
export function onceAFrame(act) {
  let frame = 0
  const soon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0
      act()
    })
  }
  const forget = () => {
    cancelAnimationFrame(frame)
    frame = 0
  }
  return Object.assign(soon, { forget })
}

/** Return a function that calls `act` when it was not called again for a while. `forget` ends the wait. */
export function atRest(act) {
  let waiting = 0
  const forget = () => clearTimeout(waiting)
  const soon = () => {
    forget()
    waiting = setTimeout(act, REST)
  }
  return Object.assign(soon, { forget })
}

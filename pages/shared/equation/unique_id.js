// Unique id: make ids for views and gestures.

/** Return a unique id. The crypto interface is not used, because pages over plain http do not have it. */
export function uniqueId() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}

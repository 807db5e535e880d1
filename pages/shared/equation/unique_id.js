// Unique ids for views and gestures.

/** Make a unique id without the crypto interface, because a lecture network with plain http does not have it. */
export function uniqueId() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}

// A name that no other view or gesture has.

/** Make one without the crypto interface, which plain-http lecture networks do not have. */
export function uniqueId() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}

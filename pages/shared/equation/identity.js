// Identity: a name that no other view or gesture has.

/** An identity without the crypto interface, which plain-http lecture networks do not have. */
export function identity() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}

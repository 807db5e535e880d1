// Component: an element of the page. It has one view (its state in the browser) as long as the element is on the page.

/**
 * Return the function that Streamlit calls with each answer of the server. At the first call, it calls `mount`, which
 * makes the view; at each call, `update` with the new data; and `leave` when the element leaves the page.
 */
export function component({ mount, update, leave }) {
  const views = new WeakMap()
  return ({ data: [data], parentElement, setStateValue, setTriggerValue }) => {
    if (!views.has(parentElement)) views.set(parentElement, mount(parentElement))
    const view = Object.assign(views.get(parentElement), { setStateValue, setTriggerValue })
    update(view, data)
    return () => {
      // Streamlit also calls this for an update that a later one has replaced. Leave only if the element left the page.
      if (parentElement.isConnected) return
      leave(view)
      views.delete(parentElement)
    }
  }
}

// Component: an element of the page. It has one view (its state in the browser) as long as the element is on the page.

/**
 * Return the function that Streamlit calls with each answer of the server. Its first call makes the view by `mount`.
 * Each call passes the new data to `update`. When the element leaves the page, `leave` is called.
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

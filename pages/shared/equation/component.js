// Component: an element in one place of the page. It has one view for as long as the place exists.

/** Return the function that Streamlit calls with each answer of the server: mount the component, then update it. */
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

// Component: what stands in one place of the page. It keeps its view for as long as the place is there.

/** What Streamlit calls with each answer of the server, for a component that is mounted once, updated, and left. */
export function component({ mount, update, leave }) {
  const views = new WeakMap()
  return ({ data: [data], parentElement, setStateValue, setTriggerValue }) => {
    if (!views.has(parentElement)) views.set(parentElement, mount(parentElement))
    const view = Object.assign(views.get(parentElement), { setStateValue, setTriggerValue })
    update(view, data)
    return () => {
      // Streamlit also calls this for an update that the next one overtook: only what left the page is let go.
      if (parentElement.isConnected) return
      leave(view)
      views.delete(parentElement)
    }
  }
}

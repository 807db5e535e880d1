// Pipeline map: the stations between tokens and output. A click opens a station without loading the app again. In a new
// tab, its address opens.

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector(".way")
  const list = document.createElement("ol")
  const go = (i) => () => setTriggerValue("went", i)
  const links = data.stations.map(([name], i) => linkTo(name, go(i)))
  list.append(...links.map(item))
  nav.role = "navigation"
  nav.ariaLabel = "The way from tokens to the next word"
  nav.replaceChildren(list)
  const screen = data.screen && linkTo(data.screen[0], go(data.stations.length))
  if (screen) nav.append(onThePath(screen))
  let marked = null
  const follow = () => {
    links.forEach((link, i) => (link.href = addressOf(data.stations[i], data.follows)))
    if (screen) screen.href = addressOf(data.screen, data.follows)
    const here = placeOf(data)
    if (here !== marked) mark(list, links, here) // only if it changed, because scrolling costs a layout
    marked = here
  }
  follow()
  // An edit or a step of undo changes the address, but draws only the lesson again.
  window.navigation?.addEventListener("currententrychange", follow)
  return () => window.navigation?.removeEventListener("currententrychange", follow)
}

function linkTo(name, go) {
  const link = Object.assign(document.createElement("a"), { textContent: name })
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go()
  }
  return link
}

/** Say that the link opens a screen of the path. A phone has room only for its number. */
function onThePath(link) {
  const where = Object.assign(document.createElement("span"), { textContent: "In the path: " })
  link.className = "screen"
  link.ariaLabel = where.textContent + link.textContent
  link.prepend(where)
  return link
}

function item(link) {
  const item = document.createElement("li")
  item.append(link)
  return item
}

/** Return the address of a station, with the example and the edits of the present page. */
function addressOf([, page, state], follows) {
  const query = [...new URLSearchParams(location.search)].filter(([name]) => follows.includes(name))
  return `${page}?${new URLSearchParams([...query, ...Object.entries(state)])}`
}

/** Return the index of the present station. The address of a scene does not tell it, so the server sends it. */
function placeOf({ here, places }) {
  const query = new URLSearchParams(location.search)
  if (!places || (query.has("scene") && !query.has(places.name))) return here
  return places.at[query.get(places.name) ?? places.default]
}

function mark(list, links, here) {
  links.forEach((link, i) => {
    link.ariaCurrent = i === here ? "step" : null
    link.title = i === here ? "You are here" : ""
  })
  const current = links[here]
  if (current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2
}

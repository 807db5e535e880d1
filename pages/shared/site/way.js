// Way: the map of the pipeline. A click goes there without loading anything anew; a new tab gets the address.

export default function ({ data: [stations, here], parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector(".way")
  const focused = [...nav.querySelectorAll("a")].indexOf(nav.getRootNode().activeElement)
  const list = document.createElement("ol")
  list.append(...stations.map(([name, address], i) => station(name, address, i === here, () => setTriggerValue("went", i))))
  nav.replaceChildren(list)
  nav.querySelectorAll("a")[focused]?.focus()
  const current = nav.querySelector("[aria-current]")
  if (current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2
}

function station(name, address, isHere, go) {
  const link = Object.assign(document.createElement("a"), { href: address, textContent: name })
  if (isHere) link.ariaCurrent = "step"
  if (isHere) link.title = "You are here"
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go()
  }
  const item = document.createElement("li")
  item.append(link)
  return item
}

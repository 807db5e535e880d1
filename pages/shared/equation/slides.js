// Slides: matrices that are wider than the page scroll inside themselves, and their edge shows that there is more.

const MORE = 4 // pixels

/** Let the matrices of an equation scroll if they are wider than their room. */
export function markSlides(root) {
  const boxes = [...root.querySelectorAll(".scroll")]
  boxes.forEach((box) => box.classList.remove("slides", "more"))
  boxes.filter(isTooWide).forEach((box) => {
    box.classList.add("slides")
    box.onscroll = () => markMore(box)
    markMore(box)
  })
}

/** Return whether the matrix in a box is wider than the box. Leaning labels do not count. */
export function isTooWide(box) {
  return box.firstElementChild.offsetWidth > box.clientWidth + 1
}

/** Show at the edge of a box whether there is more on the right. */
export function markMore(box) {
  box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - MORE)
}

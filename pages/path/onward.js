// Onward: the buttons to the previous screen and to the next one. They are the same buttons on every screen.

export default function ({ data: [{ screen, last, back, next }], parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".onward")
  const turns = [["back", back, -1, screen === 1], ["next", next, 1, screen === last]]
  turns.forEach(([name, label, step, disabled]) => {
    const button = root.querySelector(`.${name}`)
    button.textContent = label
    button.disabled = disabled
    button.onclick = () => setTriggerValue("go", [screen, screen + step])
  })
}

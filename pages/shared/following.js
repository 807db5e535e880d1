// Following: when one part of the page shows a newer state than the page as a whole, the whole page is run once more.

const NEWER = "attention-lab:newer"
const PAUSE = 40 // milliseconds without news, so that a drag is followed where it rests
const FOLLOWERS = new WeakMap()

export default function ({ data, parentElement, setTriggerValue }) {
  if (!data.follower) return void document.dispatchEvent(new CustomEvent(NEWER, { detail: data.revision }))
  if (!FOLLOWERS.has(parentElement)) FOLLOWERS.set(parentElement, mount())
  const follower = FOLLOWERS.get(parentElement)
  Object.assign(follower, { revision: data.revision, run: () => setTriggerValue("behind", true) })
  if (follower.heard <= data.revision) clearTimeout(follower.timer)
  // Streamlit also cleans up after an update that the next one overtook, while the element stays.
  return () => parentElement.isConnected || follower.unlisten()
}

function mount() {
  const follower = {}
  const hear = ({ detail: revision }) => {
    clearTimeout(follower.timer)
    follower.heard = revision
    if (revision > follower.revision) follower.timer = setTimeout(() => follower.run(), PAUSE)
  }
  document.addEventListener(NEWER, hear)
  follower.unlisten = () => {
    clearTimeout(follower.timer)
    document.removeEventListener(NEWER, hear)
  }
  return follower
}

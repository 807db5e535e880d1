"""The guide for lecturers: how to prepare in five minutes, and further topics that open with one press."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.shared.lecture.class_room import LOCAL
from pages.shared.lecture.picker import KEYS
from pages.shared.share.link_dialog import address_of_page, is_local
from pages.shared.site.menu import link

PREPARE = """\
1. **Press *Scenes*** at the top of any page, and choose a lecture. The lecture of 45 minutes shows a whole layer, in
   the order of the path.
2. **Walk through it once** with `Page Down`, the key of a slide clicker. The first press uncovers the answer, the next
   one opens the next scene.
3. **Press `N`** for your notes. They open in a second window: what to say, what the room will ask, and what to try.
   Read aloud, they take the planned minutes.
4. **Press `Q`** to show the code for phones. A phone shows the question and its answers to choose from, and the results
   after its owner has chosen.
5. **Press *Handout*** beside the lecture, and print it, or save it as PDF: all scenes on paper, with answers
   or without.
"""
STUDENTS = """\
Students need a browser and the link of this site, and nothing else: no account, no installation. A phone is enough for
the questions and the tasks. They should know how to multiply and add numbers in a table; everything else is
explained. After the lecture, *The path* has the same steps with a question on each screen.

*Take home* makes worksheets with other numbers for each student, and their answers as another file.
"""
OWN = """\
In *Scenes*, open *A course of your own*, and begin with a lecture. Move its scenes up, take some out, change titles,
sentences, questions, minutes and notes, and add what any page shows. Save the course as a file: any computer can open
and present it, with all keys, covers, codes for phones, and a handout.
"""
EMBED = """\
Slides that show web pages can show a scene. In HTML, write this, with the page and the number of your scene:

```text
{code}
```

It shows the scene alone, without menu and buttons of the page, with its results covered. Click it once, then
`Page Down` uncovers them and goes on. With `route=45` it is a scene of that lecture.
"""
ADDRESS = """\
On this computer, the app runs for you alone. For a class, choose one of these ways:

- **Your own laptop**, in the same network as the class: start the app with `streamlit run app.py`, look up the
  number of the laptop in the network settings, and give away `http://` and this number with `:8501`. Try it
  before the lecture: many campus networks do not let visitors reach a laptop.
- **Streamlit Community Cloud**, free: copy the project to a GitHub account, sign in at share.streamlit.io, choose
  *Create app* and the file `app.py`. It takes about 15 minutes. Open it yourself before the lecture, because it sleeps
  when nobody visits it.
- **A server of your own**, for a hall of several hundred people.

The file `.hosting/README.md` of the project has the steps of each way, and a list to check the result.
"""


def draw_guide(parameters: object, example: object) -> None:
    """Draw the guide. It uses neither the parameters of the page nor its example."""
    st.markdown(f"## Prepare in five minutes\n\n{PREPARE}")
    link("home", "Home, with **Scenes** at its top", icon="co_present")
    address = address_of_page("attention", {"scene": "4", "view": "present", "embed": "true"})
    code = f'<iframe src="{escape(address)}" width="960" height="540"></iframe>'
    folded = {
        "The keys while you present": KEYS,
        "What students need": STUDENTS,
        "A lecture of your own": OWN,
        "A scene in your slides": EMBED.format(code=code),
        "A public address": ADDRESS + f"\n{LOCAL}" * is_local(address),
    }
    for title, text in folded.items():
        with st.expander(title):
            st.markdown(text)

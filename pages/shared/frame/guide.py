"""The dialog “How to use this”: what learners and lecturers can do on every page."""

from __future__ import annotations

import streamlit as st

from attention_core.examples import example

VERSION = "1.4.0"  # as in pyproject.toml

LEARN = """\
1. **Read from page to page.** *Home* shows all of attention in a minute. Below each page is a link to the next one.
2. **Point at a number** to highlight the numbers that it was computed from. **Click it** for its calculation.
3. **Change a number** that has a coloured line below it: type over it, drag it sideways, or paste a block from a
   spreadsheet, a CSV file or NumPy. Everything that depends on it follows. `Ctrl+Z` takes the change back.
4. **Try it**, on each concept page, gives you a task with one matrix left blank. Each number that you fill in gets a
   mark. You may round every step to two decimals. If a number comes from a common mistake, the page names the mistake.
5. **What goes wrong** has a switch for each common mistake. Switch it on to see what it does to the numbers.
"""

TEACH = """\
- **Scenes** has lectures of 20, 45 and 60 minutes, the scenes of single pages, and the whole course on one sheet. A
  scene is a state of a page with a title and a sentence to say. `Page Down` and `Page Up`, the keys of a slide clicker,
  walk through a lecture. Whatever you change meanwhile, *Back to the scene* returns.
- **Presenter view**, below the menu, shows what a scene is about alone and large. It covers the answer until the next
  `Page Down`. `N` opens your notes in a second window, which takes the same keys. `Q` shows a code: a phone that reads
  it shows the scene without results until its owner has chosen an answer. `B` makes the screen black, `Esc` leaves.
- **Ask the class**, above a scene that asks something and below each task, opens a room: students answer on their
  phones, and you see how many made which mistake. In the presenter view, `O` asks and `S` shows the answers.
- **A course of your own:** in *Scenes*, begin with a lecture and change it, or add what any page shows. Say what it
  shows, and save it as a file. Any computer can open this file and present it.
- **Tasks for a class:** a task is in the address (`?task=17&difficulty=2`). Whoever opens the link gets the same task.
  *Take home* makes worksheets for up to 200 learners, each with other numbers, and their answers as another file.
"""

EVERY_PAGE = f"""\
- **Example** chooses the numbers. In *{example("story").title}* every feature has a name, so that every number means
  something. *{example("hand").title}* has small integers. Your edits come with you from page to page.
- **Share** gives the link of exactly what you see, its QR code, and a file. The address always restores the page.
- **Take home** gives what is on the screen as a Python script, a notebook, PyTorch, LaTeX, CSV tables or worksheets.
- **Symbols** explains every symbol, and the words that are not everyday language.
- **In code**, below the lesson, is the NumPy code of this very computation, with the numbers on the screen.
- **Tokens are**, below the menu, turns every matrix, formula and line of code to rows or to columns. No number changes.
"""

KEYS = """\
| Key | What it does |
|:--|:--|
| `Tab` | go to the next matrix |
| arrows | go from cell to cell |
| `Enter` | show the calculation of the cell |
| digits or `F2` | edit the cell |
| `Alt` + `↑` or `↓` | make the number greater or smaller |
| `Esc` | leave the cell as it was |
| `Ctrl+Z` | undo the last edit |
"""

TABS = {"Learn": LEARN, "Teach": TEACH, "On every page": EVERY_PAGE, "Keys": KEYS}


@st.dialog("How to use this", width="large")
def dialog() -> None:
    """Draw the guide in tabs. It opens with the tab for learners."""
    for tab, text in zip(st.tabs([*TABS]), TABS.values(), strict=True):
        tab.markdown(text)
    st.caption(f"Attention Lab {VERSION}")

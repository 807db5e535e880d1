"""The script that Streamlit runs for each visitor: it draws the page that the address asks for."""

from pages.shared.frame.draw import draw
from pages.shared.site import menu

menu.run(draw)

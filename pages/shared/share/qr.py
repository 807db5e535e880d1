"""Make addresses of the app that a visitor can share, and their QR codes."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from pages.shared.site.page import HOME
from pages.shared.state import session

LONGEST = 2000  # characters; mail programs and chats may cut longer links
SAFE = ",;."  # these characters need not be escaped, and a link is easier to read if they are not


def address_with(query: Mapping[str, str]) -> str:
    """Return the address of the open page, with the parameters `query` in place of the present ones."""
    parameters = urlencode(query, safe=SAFE)
    return f"{(st.context.url or '').split('?')[0]}{'?' if parameters else ''}{parameters}"


def address_of_page(page: str, query: Mapping[str, str]) -> str:
    """Return the address of another page of the app, with parameters. `page` is the name of the page."""
    here = (st.context.url or "").split("?")[0].rstrip("/")
    home = here if session.visit().page == HOME else here.rpartition("/")[0]
    parameters = urlencode(query, safe=SAFE)
    return f"{home}/{page}{'?' if parameters else ''}{parameters}"


def is_local(link: str) -> bool:
    """Return whether an address leads back to the computer that opens it, so that it is useless on another device.

    >>> is_local("http://localhost:8501/attention"), is_local("http://127.0.0.1"), is_local("http://192.168.0.7")
    (True, True, False)
    """
    host = urlsplit(link).hostname or ""
    try:
        number = ip_address(host)
    except ValueError:  # the host is a name
        return host == "localhost" or host.endswith(".localhost")
    return number.is_loopback or number.is_unspecified


def picture_of(link: str) -> str:
    """Return the QR code of a link as a picture: a data URL for HTML.

    The picture is dark on light in both themes, because cameras need this.
    """
    return segno.make_qr(link, error="l").svg_data_uri(scale=4, border=4, dark="black", light="white")


def qr_image(link: str) -> str:
    """Return the QR code of a link as HTML."""
    return f'<img class="qr" alt="QR code of the link below" src="{picture_of(link)}">'

"""What the app does when its server starts: connections send at once, and each page is drawn once for nobody."""

import socket
import sys

from serving import ROOT


def test_a_connection_sends_at_once():
    sys.path.insert(0, str(ROOT))
    import app

    for heard in (False, True):
        with socket.socket(proto=0) as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            if heard:
                app.send_at_once()
            with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
                assert bool(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)) is heard

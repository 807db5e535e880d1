"""The app as a visitor meets it: the list of its pages, and a server for it on a free port."""

import os
import re
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from urllib.parse import urlsplit
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))  # Python gives a script in this folder only this folder
START_LIMIT = 60  # seconds; a cold start reads the whole of Streamlit from disk
STOP_LIMIT = 15
Settings = Mapping[str, str]
NO_SETTINGS: Settings = MappingProxyType({})
# The settings of Streamlit Community Cloud according to its documents, whatever the configuration says.
COMMUNITY_CLOUD: Settings = MappingProxyType(
    {
        "client.showErrorDetails": "false",
        "runner.fastReruns": "true",
        "server.runOnSave": "true",
        "server.enableXsrfProtection": "true",
        "browser.gatherUsageStats": "true",
    }
)
# Streamlit logs this if a visitor leaves while their connection is closed. Of our files it names first_bytes alone.
LEFT = re.compile(
    r"Exception in ASGI application\n(?:(?!Exception in ASGI|/pages/(?!shared/frame/first_bytes)|/attention_core/).)*?"
    r'WebSocketDisconnected: Cannot call "send" once a close message has been sent\.',
    re.DOTALL,
)


@dataclass(frozen=True)
class PageFile:
    """One page: its script relative to the project’s root, its address, a name for test ids, and its group."""

    script: str
    url: str
    name: str
    group: str = ""


@dataclass(frozen=True)
class Server:
    """A running server: its address, and the id of its process, from which the benchmark reads the CPU time."""

    url: str
    pid: int


def find_pages(root: Path = ROOT) -> list[PageFile]:
    """Return every page in the order of the menu."""
    groups = tomllib.loads((root / "pages/menu.toml").read_text("utf-8"))["group"]
    return [
        PageFile(f"pages/{name}/page.py", "/" if name == "home" else f"/{name}", name, group["title"])
        for group in groups
        for name in group["pages"]
    ]


PAGES = find_pages()


@contextmanager
def serve(
    script: Path = ROOT / "app.py", path: str = "", settings: Settings = NO_SETTINGS, *, rehearses: bool = False
) -> Iterator[Server]:
    """Run a Streamlit script until the `with` block ends, and give the block the running server.

    The configuration is that of the script's own folder. Settings in `settings` replace it, as a host may do. With a
    `path` such as "/lab", the script is served under this path. Unless it `rehearses`, the server does not draw all
    pages once after its start, which takes some seconds. If the log of the server contains an error, raise an
    error at the end.
    """
    url = f"http://127.0.0.1:{free_port()}{path}"
    with TemporaryFile("w+") as log:
        process = subprocess.Popen(
            server_command(script, url, settings), cwd=script.parent, stdout=log, stderr=subprocess.STDOUT,
            env=os.environ | {"ATTENTION_LAB_REHEARSAL": "on" if rehearses else "off"},
        )  # fmt: skip
        try:
            wait_until_healthy(process, url, log)
            yield Server(url, process.pid)
        finally:
            said = _log_text(log)
            stop_process(process)
            if "Traceback" in LEFT.sub("", said):
                raise RuntimeError(f"the server at {url} met an error:\n{said}")


def _log_text(log) -> str:
    log.seek(0)
    return log.read()


def server_command(script: Path, url: str, settings: Settings = NO_SETTINGS) -> list[str]:
    """Return the command line that serves a script at an address."""
    address = urlsplit(url)
    options = {
        "server.address": "127.0.0.1",
        "server.port": address.port,
        "server.baseUrlPath": address.path,
        "server.headless": "true",
        "server.fileWatcherType": "none",  # nobody edits the files during the test
        "browser.gatherUsageStats": "false",
    }
    flags = [f"--{name}={value}" for name, value in {**options, **settings}.items()]
    return [sys.executable, "-m", "streamlit", "run", script.name, *flags]


def free_port() -> int:
    """Return the number of a port that no program listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_healthy(process: "subprocess.Popen[bytes]", url: str, log) -> None:
    """Wait until the server answers. Raise an error with its log if it ends or takes too long."""
    deadline = time.monotonic() + START_LIMIT
    while not is_healthy(url):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server at {url} did not start:\n{_log_text(log)}")
        time.sleep(0.1)


def is_healthy(url: str) -> bool:
    """Return whether a server answers at this address."""
    try:
        with urlopen(f"{url}/_stcore/health", timeout=5) as answer:
            return answer.status == 200
    except OSError:  # the server does not listen yet, or still imports the pages
        return False


def stop_process(process: "subprocess.Popen[bytes]") -> None:
    """End a process, and wait until it has ended."""
    process.terminate()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:  # a browser that is still connected can delay the end
        process.kill()
        process.wait()

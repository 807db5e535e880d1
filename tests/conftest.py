"""What every test may ask for."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from streamlit.testing.v1 import AppTest

from serving import ROOT, PageFile, Server, serve
from simulating import go, imported


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The app, served once for all tests of a process."""
    with serve() as running:
        yield running


@pytest.fixture
def fresh_server() -> Iterator[Callable[[], Server]]:
    """Starts servers that nobody has visited yet."""
    with ExitStack() as servers:
        yield lambda: servers.enter_context(serve())


@pytest.fixture
def simulate(monkeypatch) -> Callable[[PageFile], AppTest]:
    """Runs a page without a browser, reached from home as a visitor would: alone, it could not link to the others."""
    # Each simulation has a registry of components of its own, and up to Streamlit 1.62 at least a component enters it
    # only when the module that declares it is imported.
    for name in imported():
        monkeypatch.delitem(sys.modules, name)

    def run(page: PageFile) -> AppTest:
        home = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()
        return go(home, page.name)

    return run

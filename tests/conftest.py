"""What every test may ask for."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from serving import Server, serve


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

"""What every test may ask for."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from serving import Server, serve

# Tests run in as many processes as there are cores: threads for matrix products would wait for each other.
os.environ["OPENBLAS_NUM_THREADS"] = "1"


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

"""What every test may ask for."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from serving import Server, serve

# Tests run in as many processes as there are cores: threads for matrix products would wait for each other.
os.environ["OPENBLAS_NUM_THREADS"] = "1"


LOWEST = {"crowd", "simulating", "taking"}  # whose functions run pages on Streamlit


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what shows whether pages run on the lowest versions that they are said to run on."""
    for item in items:
        names = vars(getattr(item, "module", item)).values()
        if LOWEST & {getattr(value, "__module__", None) for value in names}:
            item.add_marker("lowest")


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

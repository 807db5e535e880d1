"""Fixtures and settings for every test."""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import pages.shared  # noqa: F401  # before NumPy, for which it sets the number of threads
import simulating  # noqa: F401  # before any page, whose components enter the registry that it makes
from pagesutil import KINDS
from serving import Server, serve

QUICK = "not browser and not long"  # what `pytest` runs without options, by pyproject.toml
EACH = 10  # of the cases of a test with the marker `many`, every tenth is not long
LOWEST = {"simulating", "taken_home"}  # modules whose functions run pages on Streamlit


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the tests on all processors, unless the command line says otherwise.

    If the command line names some tests, they run in this process, with the long ones: a few tests are then faster,
    and a debugger works. The processes that pytest starts call this function too, and must not start further processes.
    """
    option, is_one_of_many = config.option, hasattr(config, "workerinput")
    chosen = config.args_source is not pytest.Config.ArgsSource.TESTPATHS or option.keyword
    if chosen and option.markexpr == QUICK and not is_one_of_many:
        option.markexpr = "not browser"
    if option.numprocesses is None and not (is_one_of_many or chosen or option.usepdb or option.collectonly):
        option.numprocesses, option.dist = os.cpu_count(), "worksteal"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how to run the tests that were left out, because they take long or need a browser."""
    if config.option.markexpr == QUICK:
        terminalreporter.section("long tests and tests in a browser were left out")
        terminalreporter.line(
            "Run them with `pytest -m long` and `pytest -m browser`. `.ci/run` runs all checks from nothing."
        )


@pytest.fixture(scope="session", autouse=True)
def rooms_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the tests a folder of their own for the rooms of classes, so that no test writes into the user's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENTION_LAB_ROOMS", str(tmp_path_factory.mktemp("rooms") / "made_when_needed"))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Turn off garbage collection while pytest collects the tests.

    Later collections skip all objects that exist by then. This saves a tenth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests in a browser first. Mark the long cases, and the tests that also run with the lowest versions.

    The tests in a browser take longest. If they run first, no processor waits for them at the end.
    """
    items.sort(key=lambda item: "browser" not in item.path.parts)
    mark_long_cases(items)
    for item in items:
        names = vars(getattr(item, "module", item)).values()
        if LOWEST & {getattr(value, "__module__", None) for value in names}:
            item.add_marker("lowest")


def mark_long_cases(items: list[pytest.Item]) -> None:
    """Mark nine of ten cases of each test with the marker `many` as `long`.

    From test to test, another case is left without the mark. So these tests do not all leave out the same pages.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("many"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for number, of_one_test in enumerate(cases.values()):
        for i, item in enumerate(of_one_test):
            if i % EACH != number % min(EACH, len(of_one_test)):
                item.add_marker("long")


@pytest.fixture(scope="session", params=KINDS)
def each_page(request: pytest.FixtureRequest) -> str:
    """Give the test the name of one page. The test runs once for each page.

    All tests of one page run one after the other, because the equations of the page are then cached.
    """
    return request.param


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Give the test the running app. All tests of a process use the same server."""
    with serve() as running:
        yield running


@pytest.fixture
def fresh_server() -> Iterator[Callable[[], Server]]:
    """Give the test a function that starts a server which no visitor has used yet. The servers stop after the test."""
    with ExitStack() as servers:
        yield lambda: servers.enter_context(serve())

"""Fixtures and settings for every test."""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest
from hypothesis import settings

import pages.shared  # noqa: F401  # before NumPy, for which it sets the number of threads
import simulating  # noqa: F401  # before any page, whose components enter the registry that it makes
from pagesutil import KINDS
from sampling import VARIABLE, sample_of, seed_of_sample
from serving import Server, serve

FEW_DRAWS, MANY_DRAWS = 15, 40  # of a law, without and with `--whole`
QUICK = "not browser and not long"  # what `pytest` runs without options, by pyproject.toml
Drawn = TypeVar("Drawn")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--whole`."""
    parser.addoption("--whole", action="store_true", help="run all cases of the tests with the marker `many`")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the tests on all processors, and a sample of those with many cases, unless the command line says otherwise.

    If the command line names some tests, they run in this process, with the long ones and with all cases: a few tests
    are then faster, and a debugger works. The processes that pytest starts call this function too. They must not start
    further processes, and take the sample of the first process.
    """
    option, told = config.option, getattr(config, "workerinput", None)
    if told is not None:
        option.sample, option.whole = told["drawn"]
        return
    option.sample = seed_of_sample()
    chosen = config.args_source is not pytest.Config.ArgsSource.TESTPATHS or option.keyword
    option.whole = bool(option.whole or chosen)
    if chosen and option.markexpr == QUICK:
        option.markexpr = "not browser"
    if option.numprocesses is None and not (chosen or option.usepdb or option.collectonly):
        option.numprocesses, option.dist = os.cpu_count(), "worksteal"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process that pytest starts which sample it runs. `node` is this process for the plugin xdist."""
    node.workerinput["drawn"] = (node.config.option.sample, node.config.option.whole)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how often hypothesis draws for a law. The draws are the same in every run.

    There is no time limit, because a busy machine is not an error.
    """
    draws = MANY_DRAWS if config.option.whole else FEW_DRAWS
    settings.register_profile("law", deadline=None, derandomize=True, max_examples=draws)
    settings.load_profile("law")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how to repeat the sample, and how to run the tests that were left out."""
    if not config.option.whole:
        seed = config.option.sample
        terminalreporter.section(f"a sample of the tests with many cases: {seed}")
        terminalreporter.line(f"{VARIABLE}='{seed}' draws it again, and `pytest --whole` runs all cases.")
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests in a browser first, and draw the sample.

    The tests in a browser take longest. If they run first, no processor waits for them at the end.
    """
    items.sort(key=lambda item: "browser" not in item.path.parts)
    if not config.option.whole:
        left_out = cases_left_out(items, config.option.sample)
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def cases_left_out(items: list[pytest.Item], seed: str) -> set[pytest.Item]:
    """Return the cases of the tests with the marker `many` that are not in the sample of a seed."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("many"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return {case for test, cases in tests.items() for case in set(cases) - {*sample_of(cases, test, seed)}}


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Callable[[Sequence[Drawn]], Sequence[Drawn]]:
    """Give the test a function that returns a sample of what the test goes through, or all of it with `--whole`."""
    option, test = request.config.option, request.node.nodeid
    return lambda cases: cases if option.whole else sample_of(cases, test, option.sample)


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

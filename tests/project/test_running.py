"""What `pytest` runs, and in how many processes.

Without options it leaves the long tests out and uses all processors. If the command line names tests, it runs them
with the long ones, in one process.
"""

import os
from types import SimpleNamespace

import pytest

from conftest import EACH, QUICK, mark_long_cases, pytest_cmdline_main

SOURCE = pytest.Config.ArgsSource


def options_for(source=SOURCE.TESTPATHS, config=None, **options):
    """Return the options with which pytest runs the tests for a command line.

    `source` says whether the command line names tests. `options` are options of the command line, and `config` holds
    further attributes of pytest's configuration.
    """
    usual = {"numprocesses": None, "keyword": "", "usepdb": False, "collectonly": False, "dist": "no"}
    option = SimpleNamespace(**usual | {"markexpr": QUICK} | options)
    pytest_cmdline_main(SimpleNamespace(option=option, args_source=source, **(config or {})))  # type: ignore[arg-type]
    return option


def count_processes(**command_line):
    """Return how many processes pytest starts for a command line of `options_for`, or None if it starts none."""
    return options_for(**command_line).numprocesses


def test_all_tests_take_all_processors():
    assert count_processes() == os.cpu_count()


@pytest.mark.parametrize("chosen", [{"source": SOURCE.ARGS}, {"keyword": "softmax"}, {"usepdb": True}])
def test_chosen_tests_take_one_process(chosen):
    assert count_processes(**chosen) is None


def test_the_command_line_may_say_how_many():
    assert count_processes(numprocesses=3) == 3


def test_the_processes_of_a_run_start_no_others():
    assert count_processes(config={"workerinput": {}}) is None


# --- long tests ---


def test_pytest_leaves_long_tests_out_if_no_test_is_named(pytestconfig):
    assert QUICK in pytestconfig.getini("addopts")
    assert options_for().markexpr == QUICK


@pytest.mark.parametrize("chosen", [{"source": SOURCE.ARGS}, {"keyword": "softmax"}])
def test_chosen_tests_run_with_the_long_ones(chosen):
    assert options_for(**chosen).markexpr == "not browser"
    assert options_for(**chosen, markexpr="long").markexpr == "long"


class Case:
    """One case of a test with the marker `many`. It stands for pytest's own object, and holds the markers it gets."""

    def __init__(self, nodeid):
        self.nodeid, self.added = nodeid, []

    def get_closest_marker(self, name):
        """Return whether this case has the marker `name`: it has only `many`."""
        return name == "many"

    def add_marker(self, name):
        """Note a marker that this case gets."""
        self.added.append(name)


@pytest.mark.parametrize(("n_cases", "n_quick"), [(1, 1), (2, 1), (EACH, 1), (3 * EACH, 3)])
def test_every_tenth_case_of_a_test_with_many_cases_is_not_long(n_cases, n_quick):
    tests = {name: [Case(f"{name}[{i}]") for i in range(n_cases)] for name in ("a", "b")}
    mark_long_cases([*tests["a"], *tests["b"]])  # type: ignore[arg-type]
    for cases in tests.values():
        assert sum(case.added == [] for case in cases) == n_quick
        assert all(case.added in ([], ["long"]) for case in cases)

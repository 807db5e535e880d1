"""How many processes run the tests: one for each processor if all tests run, and one if some tests are chosen."""

import os
from types import SimpleNamespace

import pytest

from conftest import pytest_cmdline_main

SOURCE = pytest.Config.ArgsSource


def count_processes(source=SOURCE.TESTPATHS, config=None, **options):
    """Return how many processes pytest starts for a command line, or None if it starts none.

    `source` says whether the command line names tests. `options` are options of pytest, and `config` holds further
    attributes of pytest's configuration.
    """
    given = {"numprocesses": None, "keyword": "", "usepdb": False, "collectonly": False, "dist": "no"} | options
    asked = SimpleNamespace(option=SimpleNamespace(**given), args_source=source, **(config or {}))
    pytest_cmdline_main(asked)  # type: ignore[arg-type]
    return asked.option.numprocesses


def test_all_tests_take_all_processors():
    assert count_processes() == os.cpu_count()


@pytest.mark.parametrize("chosen", [{"source": SOURCE.ARGS}, {"keyword": "softmax"}, {"usepdb": True}])
def test_chosen_tests_take_one_process(chosen):
    assert count_processes(**chosen) is None


def test_the_command_line_may_say_how_many():
    assert count_processes(numprocesses=3) == 3


def test_the_processes_of_a_run_start_no_others():
    assert count_processes(config={"workerinput": {}}) is None

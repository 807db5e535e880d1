"""What `pytest` runs, and in how many processes; and the three parts of `.ci/run`.

Without options pytest leaves the long tests out, draws a sample of the tests with many cases, and uses all processors.
If the command line names tests, it runs them with the long ones and with all cases, in one process.
"""

import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from hypothesis import settings

from checkout import git, needs_git
from conftest import FEW_DRAWS, MANY_DRAWS, QUICK, cases_left_out, pytest_cmdline_main, pytest_configure
from sampling import EACH, NO_COMMIT, VARIABLE, sample_of, seed_of_sample
from serving import ROOT

SOURCE = pytest.Config.ArgsSource
FEW_TESTS = "tests/project/test_streamlit.py"  # it has one test with the marker `many`


def options_for(source=SOURCE.TESTPATHS, config=None, **options):
    """Return the options with which pytest runs the tests for a command line.

    `source` says whether the command line names tests. `options` are options of the command line, and `config` holds
    further attributes of pytest's configuration.
    """
    usual = {"numprocesses": None, "keyword": "", "usepdb": False, "collectonly": False, "dist": "no", "whole": False}
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
    assert count_processes(config={"workerinput": {"drawn": ("seed", False)}}) is None


# --- the parts of .ci/run ---

CI = ROOT / ".ci" / "run"


def parts():
    """Return the parts of `.ci/run`."""
    (listed,) = re.findall(r"^parts=\((.*)\)$", CI.read_text("utf-8"), re.MULTILINE)
    return listed.split()


def pytest_options(part):
    """Return the options of pytest in a part of `.ci/run`: which tests run, and in how many processes beside others."""
    (body,) = re.findall(rf"^{part}\(\) {{\n(.*?)^}}", CI.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ((chosen, processes),) = re.findall(r'pytest"? -m (".*?"|\w+) -n "\$\(processes (\d)\)"', body)
    return chosen.strip('"'), int(processes)


def test_every_part_is_a_job_of_the_workflow():
    workflow = (ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    (jobs,) = re.findall(r"^ +part: \[(.*)\]$", workflow, re.MULTILINE)
    assert sorted(jobs.split(", ")) == sorted(parts())
    assert "- run: .ci/run ${{ matrix.part }}\n" in workflow


def test_the_parts_leave_no_test_out():
    assert {part: pytest_options(part)[0] for part in parts()} == {
        "core": "not browser", "browser": "browser", "lowest": "lowest"
    }  # fmt: skip


def test_no_more_than_three_processes_run_the_tests_at_the_same_time():
    together = pytest_options("browser")[1] + max(pytest_options("core")[1], pytest_options("lowest")[1])
    assert together <= 3, "core begins when lowest has ended, and browser runs beside both"
    waits, begins = (CI.read_text("utf-8").index(line) for line in ("then finish lowest;", "then begin core;"))
    assert waits < begins


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed here")
@pytest.mark.parametrize("options", [["all"], ["core", "browser"], ["--half"]])
def test_an_option_that_does_not_exist_is_refused(options):
    done = subprocess.run(["bash", CI, *options], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "usage: .ci/run [core|browser|lowest] [--whole]\n"


# --- long tests ---


def test_pytest_leaves_long_tests_out_if_no_test_is_named(pytestconfig):
    assert QUICK in pytestconfig.getini("addopts")
    assert options_for().markexpr == QUICK


@pytest.mark.parametrize("chosen", [{"source": SOURCE.ARGS}, {"keyword": "softmax"}])
def test_chosen_tests_run_with_the_long_ones(chosen):
    assert options_for(**chosen).markexpr == "not browser"
    assert options_for(**chosen, markexpr="long").markexpr == "long"


# --- the sample of the tests with many cases ---


@pytest.mark.parametrize("chosen", [{"source": SOURCE.ARGS}, {"keyword": "softmax"}])
def test_chosen_tests_run_with_all_cases(chosen):
    assert not options_for().whole
    assert options_for(whole=True).whole
    assert options_for(**chosen).whole
    assert options_for(**chosen, markexpr="browser").whole


def test_the_processes_of_a_run_have_the_sample_of_the_first(monkeypatch):
    monkeypatch.setenv(VARIABLE, "another")
    assert options_for().sample == "another"
    told = options_for(config={"workerinput": {"drawn": ("drawn before", True)}})
    assert (told.sample, told.whole) == ("drawn before", True)


@pytest.mark.long
@pytest.mark.parametrize("whole", [[], ["--whole"]])
def test_a_run_in_several_processes_draws_the_sample_that_its_last_lines_name(whole, monkeypatch):
    """Run the tests of one file as if they were all tests, in two processes, and count the cases that have run."""
    monkeypatch.setenv(VARIABLE, "of this test")
    options = ["-o", f"testpaths={FEW_TESTS}", "-p", "no:cacheprovider", "-m", "many", "-n", "2", *whole]
    done = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    (passed,) = re.findall(r"(\d+) passed", done.stdout)
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", FEW_TESTS, "-m", "many", "--collect-only", "-q"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.count(f"{FEW_TESTS}::")  # fmt: skip
    assert int(passed) == (listed if whole else -(-listed // EACH))
    assert ("a sample of the tests with many cases: of this test" in done.stdout) == (not whole)


@pytest.mark.parametrize(("n_cases", "n_drawn"), [(1, 1), (2, 1), (EACH, 1), (3 * EACH, 3), (3 * EACH + 1, 4)])
def test_one_of_every_ten_cases_in_a_row_is_drawn(n_cases, n_drawn):
    drawn = sample_of(range(n_cases), "a", "seed")
    assert [case // EACH for case in drawn] == [*range(n_drawn)]


def test_a_seed_draws_the_same_cases_again_and_others_for_another_test_or_seed():
    cases = range(30 * EACH)
    drawn = sample_of(cases, "a", "seed")
    assert sample_of(cases, "a", "seed") == drawn
    assert sample_of(cases, "b", "seed") != drawn
    assert sample_of(cases, "a", "another") != drawn


def test_many_seeds_leave_no_case_out():
    assert {case for seed in range(200) for case in sample_of(range(2 * EACH), "a", str(seed))} == {*range(2 * EACH)}


class Case:
    """One case of a test, in place of pytest's own object. If it is `many`, its test has that marker."""

    def __init__(self, nodeid, many=True):
        self.nodeid, self.many = nodeid, many

    def get_closest_marker(self, name):
        """Return whether this case has the marker `name`."""
        return name == "many" and self.many


def test_only_tests_with_many_cases_are_sampled():
    many = {name: [Case(f"{name}[{i}]") for i in range(2 * EACH)] for name in ("a", "b")}
    few = [Case(f"c[{i}]", many=False) for i in range(2 * EACH)]
    left_out = cases_left_out([*few, *many["a"], *many["b"]], "seed")  # type: ignore[arg-type]
    assert [len(left_out & {*cases}) for cases in (few, *many.values())] == [0, 2 * EACH - 2, 2 * EACH - 2]


@needs_git
def test_each_commit_has_a_sample_of_its_own_unless_a_seed_is_given(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    git(tmp_path, "init", "--quiet")
    assert seed_of_sample(tmp_path) == NO_COMMIT  # there is a repository, but no commit yet
    seeds = set()
    for title in ("One", "Two"):
        git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", title)
        seeds.add(seed_of_sample(tmp_path))
        assert git(tmp_path, "rev-parse", "HEAD").startswith(seed_of_sample(tmp_path))
    assert len(seeds) == 2
    monkeypatch.setenv(VARIABLE, "given")
    assert seed_of_sample(tmp_path) == "given"


def test_without_git_or_a_repository_the_sample_is_always_the_same(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert seed_of_sample(tmp_path) == NO_COMMIT
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", "")
    assert seed_of_sample(tmp_path) == NO_COMMIT


def test_a_test_may_draw_from_what_it_goes_through(sample, pytestconfig):
    assert len(sample(range(3 * EACH))) == (3 * EACH if pytestconfig.option.whole else 3)


@pytest.mark.parametrize(("whole", "draws"), [(True, MANY_DRAWS), (False, FEW_DRAWS)])
def test_a_law_is_drawn_less_often_for_a_sample_and_always_in_the_same_way(whole, draws, pytestconfig):
    try:
        pytest_configure(SimpleNamespace(option=SimpleNamespace(whole=whole)))  # type: ignore[arg-type]
        assert (settings().max_examples, settings().derandomize, settings().deadline) == (draws, True, None)
    finally:
        pytest_configure(pytestconfig)

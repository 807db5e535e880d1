"""Every measuring program starts, measures for a moment, and prints what it has found."""

import re
import subprocess
import sys

import pytest

from hosting import needs_nginx
from language_models import path_of_the_model
from measure.__main__ import programs
from rooms import needs_sql
from serving import ROOT

BRIEFLY = {
    "asking_together": ("--visitors 1 --seconds 1", r" 1 ask: others 95 % within +\d+ ms; [1-9]\d* answers"),
    "benchmark": (
        "--pages queries_keys_values --reruns 2 --rounds 1 --presses 1",
        r"(?s)queries_keys_values, cell +[\d.e+]+ ms .*\n  queries_keys_values, cell +[\d.e+]+ ms",
    ),
    "capacity": ("--visitors 2 --seconds 1", r"one slider +\d+"),
    "costly_links": (
        "--visits 1 --seconds 1 --visitors 2",
        r"(?s)many steps of training +\d+ ms.* 2 visitors .* \d+ ms",
    ),
    "class_room": ("--students 5 --seconds 4", r"5 answers acknowledged, 0 of them lost"),
    "diagnosis": ("held_out --each=500", r"output alone, third set, 4 decimals: [1-9]\d*: .*\bnamed [1-9]"),
    "elements": ("--pages queries_keys_values", r"queries_keys_values\?look=learned: \d+"),
    "every_mistake": ("--part 7/2000", r"[1-9]\d* wrong results in \d+ s, 0 kinds of exceptions"),
    "lecture_hall": ("--servers 1 --visitors 2 --hall 4", r"the hall: 4 in [\d.]+ s, 0 saw an error"),
    "film": ("--to {folder}", r"edit\.gif: 5 pictures, \d+ kB"),
    "presses": ("--presses 10", "10 presses, 0 found"),
    "sameness": ("browse . {folder}/seen.json.gz --pages home", r"4 of 4 in "),
    "screenshots": ("{folder} --pages home", r"home\.png"),
    "training_together": ("--visitors 1 --seconds 1", r" 1 train: others 95 % within +\d+ ms; [1-9]\d* answers"),
}


def output_of(program: str, options: str, timeout: float = 900) -> str:
    """Run a measuring program as the command line does, and return what it prints."""
    command = [sys.executable, "-W", "ignore", "tests/measure", program, *options.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_program_has_its_options_here():
    assert {*programs()} == {*BRIEFLY}, "give each program in tests/measure its options in BRIEFLY"


@pytest.mark.many
@pytest.mark.parametrize("program", ["benchmark", "film", "presses", "sameness", "screenshots"])
@pytest.mark.usefixtures("browser")
def test_a_program_measures_in_a_browser(program, tmp_path):
    options, said = BRIEFLY[program]
    assert re.search(said, output_of(program, options.format(folder=tmp_path)))


CONNECTED = ["capacity", "class_room", "elements", "costly_links", "training_together", "asking_together"]


@pytest.mark.many
@pytest.mark.parametrize(
    "program",
    [*CONNECTED, pytest.param("lecture_hall", marks=needs_nginx)],
)
def test_a_program_measures_over_connections(program):
    if program == "asking_together":
        path_of_the_model()
    if program == "class_room":
        needs_sql()
    options, said = BRIEFLY[program]
    assert re.search(said, output_of(program, options))


@pytest.mark.parametrize("program", ["diagnosis", "every_mistake"])
def test_the_diagnosis_is_measured(program):
    options, said = BRIEFLY[program]
    assert re.search(said, output_of(program, options))

"""Test the comparison of two checkouts: it notices each word and each box that has changed, and nothing else."""

import subprocess
import sys

import pytest

from measure.sameness import BOXES, compare, load, save
from serving import ROOT

PAGE = """
import streamlit as st

st.markdown("# Which word has **changed**?", help="The help")
if st.button("Press", key={key!r}):
    st.caption("pressed")
"""


@pytest.fixture
def record(tmp_path):
    """Give the test a function that makes an app of one page with this script, and returns what it says."""

    def recorded(script, *links):
        (tmp_path / "app.py").write_text(f"SCRIPT = {str(tmp_path / 'page.py')!r}\n", "utf-8")
        (tmp_path / "page.py").write_text(script, "utf-8")
        (tmp_path / "links.txt").write_text("\n".join(links), "utf-8")
        made = tmp_path / "said.json.gz"
        command = [sys.executable, "tests/measure", "sameness", "record", str(tmp_path), str(made)]
        subprocess.run([*command, "--links", str(tmp_path / "links.txt")], cwd=ROOT, check=True, capture_output=True)
        return load(made)

    return recorded


def test_a_changed_word_is_noticed_and_another_key_is_not(record, capsys):
    links = ("", "#Press", "#Absent")
    old, same = record(PAGE.format(key="a"), *links), record(PAGE.format(key="b"), *links)
    assert "body: pressed" in old["#Press"]
    assert "body: pressed" not in old[""]
    assert old["#Absent"][0] == "nothing to press is called Absent"
    assert compare(old, same, most=9)
    new = record(PAGE.format(key="a").replace("The help", "The HELP").replace("pressed", "PRESSED"), *links)
    capsys.readouterr()
    assert not compare(old, new, most=9)
    told = capsys.readouterr().out
    assert "help: The HELP" in told
    assert "body: PRESSED" in told
    assert "Which" not in told


def test_a_moved_box_is_noticed(tmp_path, capsys):
    def shown(y):
        save([("home 390", ["p: here"]), (f"home 390{BOXES}", [f"[0, {y}, 9, 9]"])], tmp_path / "shown.json.gz")
        return load(tmp_path / "shown.json.gz")

    assert compare(shown(10), shown(12), most=9)
    assert not compare(shown(10), shown(13), most=9)
    assert "[0, 13, 9, 9] p: here" in capsys.readouterr().out


def test_links_that_only_one_recording_has():
    whole, part = {"a": ["x"], "b": ["y"]}, {"b": ["y"]}
    assert compare(whole, part, most=9)
    assert not compare(part, whole, most=9)
    assert not compare(whole, {}, most=9)

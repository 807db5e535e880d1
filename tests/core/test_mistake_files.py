"""Test how mistakes are read from TOML files: what a file may say, and what the error says about anything else."""

import re
import tomllib
from typing import get_args

import pytest

from attention_core.mistakes import REAL_MODEL_MISTAKES, WITH_SWITCH, WITHOUT_SWITCH, Concept
from attention_core.mistakes.backward import WRONG_GRADIENTS
from attention_core.mistakes.engine.pipelines import ATTENTION, HEADS
from attention_core.mistakes.next_word import CACHE_MISTAKES, SAMPLING_MISTAKES
from attention_core.mistakes.rare import CONCEPTS, rare_mistakes
from attention_core.mistakes.showing import SHOWS, has_mask
from attention_core.mistakes.toml_files import FOLDER, read_mistakes

GOOD = """
concept = "attention"

[[mistake]]
name = "mask_halved"
stage = "masked"
title = "The mask is halved"
code = '''
half = scaled / 2
masked = np.where(allowed, scaled, half)'''
why = "A mask hides a key."
sources = ["owner/repository#7"]
needs = "It takes a mask."
shows = "has_mask"

[[mistake]]
name = "concat_halved"
concept = "multi_head"
switch = true
stage = "concat"
title = "The heads are halved"
formula = '\\frac{1}{2} Z'
code = "concat = concat / 2"
why = "Half of it is missing."
rank = "rare"
"""


def names_in(text):
    """Return the names of the mistakes in the text of a file."""
    return re.findall('^name = "(.+?)"', text, re.MULTILINE)


@pytest.fixture
def file(tmp_path):
    """Give the test a function that writes a file of mistakes and returns its name."""

    def write(text):
        path = tmp_path / "made_up.toml"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_each_field_is_read_as_it_is_written(file):
    one, other = read_mistakes(file(GOOD))
    assert (one.name, one.concept, one.stage, one.switch, one.rank) == (
        "mask_halved", "attention", "masked", False, "usual",
    )  # fmt: skip
    assert one.code == "half = scaled / 2\nmasked = np.where(allowed, scaled, half)"
    assert (one.sources, one.needs, one.state, one.formula) == (("owner/repository#7",), "It takes a mask.", "", "")
    assert one.shows is has_mask
    assert (other.concept, other.switch, other.rank, other.formula) == ("multi_head", True, "rare", r"\frac{1}{2} Z")
    assert (one.pipeline, other.pipeline) == (ATTENTION, HEADS)
    assert other.shows(None)  # a mistake without `shows` shows everywhere


def test_names_may_stand_for_other_values(file):
    text = GOOD.replace('"has_mask"', '"never"').replace('rank = "rare"', 'rank = "rare"\nedits = "heads"')
    one, other = read_mistakes(file(text), shows={"never": lambda _: False}, edits={"heads": HEADS})
    assert not one.shows(None)
    assert other.edits is HEADS


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            '"has_mask"',
            '"hasmask"',
            "mistake mask_halved: shows must be one of .*has_mask.*; got 'hasmask': correct it",
        ),
        ('"has_mask"', "[]", r"mistake mask_halved: shows must be one of .*; got \[\]: correct it"),
        ('stage = "masked"', 'stage = "mask"', "mistake mask_halved: stage must be one of exponents, .*; got 'mask'"),
        (
            'concept = "multi_head"',
            'concept = "heads"',
            "mistake concat_halved: concept must be one of .*; got 'heads'",
        ),
        ('rank = "rare"', 'rank = "often"', "rank must be one of usual, paired, rare; got 'often': correct it"),
        ("why =", "because =", "may have .*; got concept, name, .*because.*: correct because, why"),
        ("title =", "titel =", "mistake mask_halved: a mistake must have name, concept, stage, title, .* titel, title"),
        ('name = "mask_halved"', "", "mistake without a name: a mistake must have .*: correct name"),
        ("switch = true", 'switch = "no"', "switch must be bool; got 'no': write it as in the other mistakes"),
        ('["owner/repository#7"]', '"owner/repository#7"', "sources must be list; got 'owner/repository#7'"),
        ("scaled / 2", "scaled / root", "mistake mask_halved: a mistake’s code may read .*; got root in half = "),
        ("[[mistake]]", "[[mistake]", " must be TOML; got .*line 4.*: correct this line"),
    ],
)
def test_anything_else_is_refused_with_the_file_and_the_mistake(right, wrong, message, file):
    assert right in GOOD
    with pytest.raises(ValueError, match=f"made_up.toml.*{message}"):
        read_mistakes(file(GOOD.replace(right, wrong, 1)))


def test_each_file_is_named_by_its_concept():
    for folder, concepts in ((FOLDER, get_args(Concept)), (FOLDER / "rare", CONCEPTS)):
        contents = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in folder.glob("*.toml")}
        named = {stem: content["concept"] for stem, content in contents.items() if "concept" in content}
        assert named == {concept: concept for concept in concepts}


def test_no_entry_of_a_file_is_forgotten():
    written = [mistake for path in FOLDER.glob("*.toml") for mistake in names_in(path.read_text("utf-8"))]
    used = (*WITH_SWITCH, *WITHOUT_SWITCH, *REAL_MODEL_MISTAKES, *SAMPLING_MISTAKES, *CACHE_MISTAKES, *WRONG_GRADIENTS)
    assert sorted(written) == sorted(mistake.name for mistake in used)


def test_every_condition_is_one_that_a_mistake_names():
    named = {mistake.shows for mistake in (*WITH_SWITCH, *WITHOUT_SWITCH, *rare_mistakes())}
    assert {name for name, shows in SHOWS.items() if shows not in named} == set()

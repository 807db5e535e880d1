"""Test the texts of `texts.md`: how their braces are filled, how a control takes its words, and what is refused."""

import re
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared import controls
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.example_kinds import TextArea
from pages.shared.controls.kinds import Choice, Slider, Switch
from pages.shared.notation.glossary import define
from pages.shared.notation.latex import turn_words
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.sections import sections_of, words_of
from pages.shared.notation.texts import Texts, texts_beside
from pages.shared.site.page import Page

WEIGHTS = np.array([[0.256, 0.744], [1.0, 0.0]])
NAMES = {"weights": WEIGHTS, "tokens": ("cat", "it"), "i": 1, "n": np.int64(12345), "share": 0.256, "many": 12345.0}
AXIS = "What adds up to 1\n- rows: Each {row}\n- columns: Each {column}\n> Add up a {row}.\n> Then the next."


def texts_of(source: str = "", /, **sections: str) -> Texts:
    """Return the texts of a new `texts.md` with the given sections. The file is read before it is deleted."""
    source += "".join(f"# {name}\n{text}\n\n" for name, text in sections.items())
    with TemporaryDirectory() as folder:
        texts = texts_beside(f"{folder}/page.py")
        texts.path.write_text(source, "utf-8")
        sections_of(texts.path)
    return texts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("“{tokens[i]}” has **{weights[i, 0]}**.", "“it” has **1**."),
        ("{share} of {many}", "0.26 of 12,345"),
        ("{n} and {n:,}, {i}", "12345 and 12,345, 1"),
        ("{share * 100:.0f} of 100, or {share:.0%}", "26 of 100, or 26%"),
        ("{sum(weights[0,0:2]):.1f}", "1.0"),
        ("${exact(share / 1000000)}$", r"$2.56 \cdot 10^{-7}$"),
        ("{significant(share / 1000000)}", "2.56·10⁻⁷"),
        ("{0 - share:+.2f}", "−0.26"),
        ('It is counted in {define("nats")}.', f"It is counted in {define('nats')}."),
        (r"$\sqrt{{d_k}}$, $e^{{{i}}}$", r"$\sqrt{d_k}$, $e^{1}$"),
        ("Each {row}; all {column}s. {Row}s {across}, {Column}s {down}.",
         "Each row; all columns. Rows across, Columns down."),
    ],
)  # fmt: skip
def test_braces_are_filled(text, said):
    assert texts_of(one=text).fill("one", 2, **NAMES) == said


def test_decimals_are_those_of_the_screen():
    assert texts_of(one="{share} {share:.1f}").fill("one", 4, **NAMES) == "0.2560 0.3"


def test_words_of_the_layout_are_said_for_columns_and_nothing_else_is_turned():
    texts = texts_of(one="Each {row} {across}, {Column}s {down}: a row of the table stays.")
    said = texts.fill("one", 2, True)
    assert said == "Each column down, Rows across: a row of the table stays."
    assert turn_words(said) == said
    assert turn_words(str(said + "")) != said


def test_a_section_can_name_another_one_unless_a_value_has_that_name():
    texts = texts_of(one="First. {two}", two="Then {share} of each {row}.")
    assert texts.fill("one", 2, True, share=0.5) == "First. Then 0.50 of each column."
    assert texts.fill("one", two="nothing") == "First. nothing"


@given(st.text(st.sampled_from("ab{}$\\“é \n:>-_[]")))
def test_a_text_with_doubled_braces_is_said_as_it_stands(text):
    assert texts_of(one=text.replace("{", "{{").replace("}", "}}")).fill("one") == text.strip("\n")


@given(st.floats(), st.integers(0, 8))
def test_a_number_is_written_as_the_screen_or_python_writes_it(value, decimals):
    texts = texts_of(one="{value} {value:.3f} {values[0]}")
    shown = format_as_shown(value, decimals)
    assert texts.fill("one", decimals, value=value, values=np.array([value])) == f"{shown} {value:.3f} {shown}".replace(
        "-", "−"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{nobody}", "You can use i, many, .*, but not nobody. Use the names of what the page shows"),
        ("{weights.T}", "You can use names, numbers, .*, but not weights.T"),
        ('{__import__("os")}', "but not __import__"),
        ('{sum("os")}', "but not 'os'"),
        ("{tokens[i}", "This must be an expression, but it is tokens\\[i"),
        ("{tokens[7]}", "Places must lie within their matrix, but tokens\\[7\\] does not"),
        ("{weights}", "(?s:weights is array.*): name one of its numbers"),
        ("{i > 0}", "A value in braces must be a number or a text; i > 0 is .*or let Python choose between two"),
        ("{tokens[0]:.2f}", "Unknown format code"),
        (r"$\sqrt{{d_k}$", "A brace in a text must be doubled; got “d_k}\\$”: write"),
    ],
)
def test_what_cannot_be_filled_is_refused_with_the_section(text, said):
    with pytest.raises(ValueError, match=rf"^\w+/texts.md, # one: .*{said}"):
        texts_of(one=text).fill("one", 2, **NAMES)


def test_a_section_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match=r"must be a section of .*; got 'two': write it .* or take one of one"):
        texts_of(one="text").fill("two")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("Hello\n# one\ntext", "must stand below a heading such as “# question”; .* begins with “Hello”"),
        ("# one\na\n# two\nb\n# one\nc", "must have its own name; .* has one twice: name one anew"),
    ],
)
def test_a_file_with_a_text_that_cannot_be_named_is_refused(source, said):
    with pytest.raises(ValueError, match=said):
        texts_of(source).fill("one")


def test_points_are_the_lines_of_a_list():
    assert texts_of(sources="- [One, 2017](https://a.b/c_d)\n\n- Two").points("sources") == (
        "[One, 2017](https://a.b/c_d)",
        "Two",
    )


def test_the_words_of_a_control_are_a_label_options_and_help():
    words = texts_of(axis=AXIS).words("axis", True)
    assert (words.label, words.options) == ("What adds up to 1", {"rows": "Each column", "columns": "Each row"})
    assert words.help == "Add up a column.\nThen the next."
    assert words_of("Add") == words_of("Add\n")
    assert words_of("Add").help is None


@pytest.mark.parametrize("text", ["", "One\nTwo", "Label\n- Without a key", "- rows: Each row"])
def test_words_without_their_order_are_refused(text):
    with pytest.raises(ValueError, match=re.escape(f"got “{text}”: write them so")):
        words_of(text)


def test_controls_take_their_words_from_the_section_with_their_name():
    @controls.declare(
        texts_of(axis=AXIS, warmth="Temperature", keep="Keep it\n> Or not.", named="Which {row}?\n> A {row}.")
    )
    class Worded(Parameters):
        axis: str = controls.choice("rows", "columns")
        warmth: float = controls.slider(0.1, 1.0, step=0.1, default=0.5)
        keep: bool = controls.switch(default=True)
        named: str = controls.switches({"first": "The first row"})

    each = {"rows": "Each row", "columns": "Each column"}
    of_rows, of_columns = controls_of(Worded), controls_of(Worded, True)
    assert of_rows["axis"] == Choice("What adds up to 1", each, "Add up a row.\nThen the next.")
    assert of_rows["warmth"] == Slider("Temperature", 0.1, 1.0, 0.1)
    assert of_rows["keep"] == Switch("Keep it", "Or not.")
    assert of_rows["named"] == Choice("Which row?", {"first": "The first row"}, "A row.", optional=True)
    assert of_columns["named"] == Choice("Which column?", {"first": "The first column"}, "A column.", optional=True)
    assert of_columns["axis"].help == "Add up a column.\nThen the next."
    assert of_columns["axis"].in_words("rows") == "What adds up to 1: Each column"
    assert vars(Worded()) == vars(Parameters()) | {"axis": "rows", "warmth": 0.5, "keep": True, "named": ""}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Axis\n- rows: Rows", "Made.axis: The list of options must have the keys rows, columns, .*; got rows for"),
        ("Axis\n- columns: Columns\n- rows: Rows", "got columns, rows for “Axis”: write “- key: name” for each"),
        ("Axis", "got none for “Axis”"),
        ("Axis\n- Rows", "Made.axis: .*, # axis: The words of a control must be"),
    ],
)  # fmt: skip
def test_words_that_do_not_fit_the_keys_are_refused_at_the_import(words, said):
    texts = texts_of(axis=words)
    with pytest.raises(ValueError, match=said):

        @controls.declare(texts)
        class Made(Parameters):
            axis: str = controls.choice("rows", "columns")


def test_a_control_without_words_is_refused():
    with pytest.raises(ValueError, match=r"Made.axis: A text must be a section of .*; got 'axis': write"):

        @controls.declare(texts_of(one="text"))
        class Made(Parameters):
            axis: str = controls.choice("rows", "columns")

    with pytest.raises(ValueError, match=r"Only a choice must have a list of options; got a for “Label”: take"):

        @controls.declare(texts_of(keep="Label\n- a: b"))
        class Listing(Parameters):
            keep: bool = controls.switch()


def test_a_text_area_keeps_the_numbers_that_it_shows_when_it_is_empty():
    @controls.declare(texts_of(pasted="Your matrix\n> Any form."))
    class Pasting(Parameters):
        pasted: str = controls.text_area(placeholder="1 2\n3 4")

    assert controls_of(Pasting)["pasted"] == TextArea("Your matrix", "Any form.", "1 2\n3 4")


def test_a_page_takes_its_concept_question_and_sources_from_its_texts():
    texts = texts_of(concept="Axes", question="Which {row}s?", sources="- One\n- Two")
    page = Page(module="pages.x.page", texts=texts, parts=(), code=None)
    assert (page.concept, page.question, page.sources) == ("Axes", "Which rows?", ("One", "Two"))


def test_parameters_say_a_text_in_their_layout_and_with_their_decimals():
    texts = texts_of(one="{share} of each {row}")
    assert Parameters(digits="4", columns=True).say(texts, "one", share=0.5) == "0.5000 of each column"

"""The beginnings of pages in their first bytes: which texts they can show, and what they leave to the browser."""

import pytest

from pages.shared.frame.first_text import NotPlainError, html_of


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Two **rows** and *one*.", "<p>Two <strong>rows</strong> and <em>one</em>.</p>"),
        ("a & b and `x & y`", "<p>a &amp; b and <code>x &amp; y</code></p>"),
        (
            "$a & b$ and $\\sqrt{d_k}$",
            '<p><span class="tex">a &amp; b</span> and <span class="tex">\\sqrt{d_k}</span></p>',
        ),
        ("One.\n\n$$a$$", '<p>One.</p><p><span class="tex display">a</span></p>'),
        ("See [the page](/scaling).", "<p>See <u>the page</u>.</p>"),
        ("`**` and $*$ stay", '<p><code>**</code> and <span class="tex">*</span> stay</p>'),
    ],
)
def test_a_plain_text_is_written_as_html(text, html):
    assert html_of(text) == html


@pytest.mark.parametrize(
    "text", ["- one\n- two", "1. one", "| a |\n|---|", "> quote", "```\ncode\n```", "## Title", ":material/info: x",
             ":red[x]", "<b>x</b>", "one\n\n---"],
)  # fmt: skip
def test_other_signs_are_left_to_the_browser(text):
    with pytest.raises(NotPlainError, match="the first bytes show"):
        html_of(text)

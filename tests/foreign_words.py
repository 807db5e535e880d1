"""Words that try to be more than words: all that Streamlit's Markdown can draw, in samples and drawn at random."""

import unicodedata

from hypothesis import strategies as st

# Samples of each construct: of Markdown, of GitHub's additions to it, of formulas, directives, icons and HTML.
CONSTRUCTS = (
    "**bold**", "__bold__", "*slanted*", "_slanted_", "~~struck~~", "~struck~", "`code`", "``co`de``", "a\\*b", "a\\",
    "# heading", "## heading #", "heading\n===", "heading\n---", "> quoted", "- point", "+ point", "* point",
    "1. point", "2) point", "- [ ] to do", "---", "***", "___", "```\ncode\n```", "~~~\ncode\n~~~", "    code",
    "\tcode", "[link](http://elsewhere.example)", "[link][1]\n\n[1]: http://elsewhere.example",
    "<http://elsewhere.example>", "<me@elsewhere.example>", "![picture](http://elsewhere.example/p.png)",
    "![p][1]\n\n[1]: http://elsewhere.example", "http://elsewhere.example/a?b=c#d", "https://elsewhere.example",
    "HTTPS://ELSEWHERE.EXAMPLE", "www.elsewhere.example", "WWW.Elsewhere.Example", "me@elsewhere.example",
    "mailto:me@elsewhere.example", "xmpp:me@elsewhere.example", "see (www.elsewhere.example).",
    "note[^1]\n\n[^1]: foot", "[^1]", "a | b\n---|---\n1 | 2", "a | b", "a \\| b", "a \\\\| b", "`a \\\\|` | b",
    "$x^2$", "$$x^2$$", "$$\nx^2\n$$", "\\(x\\)", "costs $5 and $6", ":red[colour]", ":red-background[colour]",
    ":blue-badge[badge]", ":rainbow[colours]", ":small[small]", ":shimmer[shimmer]", ":help[help]", ":nothing[lost]",
    ":color[text]{foreground='red'}", "::leaf[label]", ":::container\ninside\n:::", ":material/home:",
    ":material_home:", ":streamlit:", ":smile:", ":+1:", ":100:", "a -> b", "a <- b", "a <-> b", "a -- b", "a >= b",
    "a <= b", "a ~= b", "<b>bold</b>", "<img src=http://elsewhere.example/p.png>", "<script>alert(1)</script>",
    "<!-- lost -->", "a<br>b", "<a href=http://elsewhere.example>link</a>", "&amp;", "&#42;bold&#42;", "&lt;b&gt;",
    "two\n\nparagraphs", "hard  \nbreak", "hard\\\nbreak", "{weights[0,0]}", "{{x}}", "}{", "a\u202eb", "a\u2028b",
    "a\0b", "``` `` `", "`", "``", "|", "\\",
)  # fmt: skip

foreign_words = st.lists(
    st.sampled_from(CONSTRUCTS)
    | st.sampled_from(["http", "www", ":", "/", ".", "@", "\\", "|", "`", "\n", " ", "-", ">", "~", "=", "{", "}"])
    | st.text(max_size=3),
    max_size=8,
).map("".join)


UNSEEN = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2060"  # they turn a text, or take no room


def as_read(text: str) -> str:
    """Return the words of a text as somebody reads them: on one line, and without what cannot be seen."""
    on_one_line = "⏎".join(f"{text}.".splitlines())[:-1].replace("\t", " ")
    unseen = [c for c in on_one_line if unicodedata.category(c) in ("Cc", "Cs") or c in UNSEEN]
    return " ".join(on_one_line.translate(dict.fromkeys(map(ord, unseen))).split())

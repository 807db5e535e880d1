"""Test the LaTeX of the equations on the screen: it is complete, it compiles, and it has the screen's digits."""

import re
import shutil
import subprocess

import pytest

from pages.shared.equation.model import Matrix
from pages.shared.notation.numbers import number_latex
from pages.shared.takehome.latex import latex_document, symbol_latex, text_latex
from pagesutil import USUAL
from taken_home import screen_at

MATRIX = re.compile(r"\\begin\{bmatrix\} (.*?) \\end\{bmatrix\}")
NAME = re.compile(r"\\columnname\{.*?\} (?=[\d\\-])")
ENVIRONMENT = re.compile(r"\\(begin|end)\{(\w+\*?)\}")


def is_balanced(text):
    """Return whether all environments and braces in a LaTeX text are closed in the correct order."""
    stack = []
    for kind, name in ENVIRONMENT.findall(text):
        if kind == "begin":
            stack.append(name)
        elif not stack or stack.pop() != name:
            return False
    bare = re.sub(r"\\[{}]", "", text)
    return not stack and bare.count("{") == bare.count("}")


@pytest.mark.many
def test_latex_is_whole_and_has_the_digits_of_the_screen(screen):
    text = latex_document(screen)
    assert is_balanced(text)
    assert text.isascii() or all(c in "àäéèöüß" for c in text if not c.isascii())
    written = MATRIX.findall(text)
    matrices = [item for line in screen.lines() for item in line.items if isinstance(item, Matrix)]
    assert len(written) == len(matrices)
    for body, matrix in zip(written, matrices, strict=True):
        values = matrix.values if matrix.only_row is None else matrix.values[[matrix.only_row]]
        values = values.T if matrix.transposed else values
        first = [number_latex(value, screen.decimals) for value in values[0, :6]]
        row = NAME.sub("", body.split(r" \\ ")[0]).split(" & ")
        assert row[:6] == first[:6]


def test_tokens_and_features_stand_beside_their_numbers():
    text = latex_document(screen_at("home", example="story"))
    assert r"\rowname{because} \\ \rowname{it} \end{matrix}" in text
    assert r"\columnname{alive}" in text


HOSTILE = {"text": "\\input{/etc/passwd} #1 %{}$x^2_3~&^^M “猫” \\end{document} <b>" + " word" * 8}
TO_COMPILE = [
    *({"page": page} for page in USUAL),
    {"page": "your_sentence"} | HOSTILE,
    {"page": "attention", "step": "10"},
    {"page": "multi_head", "look": "around"},
]


@pytest.mark.many
@pytest.mark.parametrize("link", TO_COMPILE, ids=lambda link: "-".join(link.values())[:40])
def test_an_engine_compiles_latex(link, tmp_path):
    engine = shutil.which("pdflatex") or shutil.which("tectonic")
    if engine is None:
        pytest.skip("no LaTeX engine is installed here")
    (tmp_path / "page.tex").write_text(latex_document(screen_at(**link)), encoding="utf-8")
    options = ["-interaction=nonstopmode", "-halt-on-error"] if "pdflatex" in engine else []
    done = subprocess.run(
        [engine, *options, "page.tex"], cwd=tmp_path, capture_output=True, text=True, errors="replace"
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 5000


@pytest.mark.parametrize(
    ("symbol", "latex"),
    [
        ("W^Q", "W^{Q}"), ("K^T", r"K^{\top}"), ("A_1", "A_{1}"), ("head_{1}W^{O}_{1}", r"\mathrm{head}_{1}W^{O}_{1}"),
        ("Z^{moved}", r"Z^{\mathrm{moved}}"), ("λ", r"\lambda"), ("μ", r"\mu"),
    ],
)  # fmt: skip
def test_symbols_in_latex(symbol, latex):
    assert symbol_latex(symbol) == latex


def test_words_in_latex():
    assert text_latex("÷ √d_k & 50 % of “猫”") == r"$\div$ $\sqrt{d_{k}}$ \& 50 \% of ``\texttt{U+732B}''"

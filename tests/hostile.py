"""Inputs that people can send, as strategies for hypothesis: links, pasted texts, own steps, and files.

`HOSTILE=10000 pytest tests/pages/shared/test_hostile.py -n 0` tries so many inputs of each kind, others in each run,
and checks that none takes two seconds of computing. Without it, a few inputs are tried, the same in each run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from attention_core.examples import EXAMPLES, example
from attention_core.heads import MultiHeadTrace
from attention_core.reading.matrix_text import write_matrix
from matrix_texts import FORMATS
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import MatrixInput
from pages.shared.notation.symbols import SYMBOLS
from pages.shared.state.session import matrix_inputs
from pagesutil import DECLARED, KINDS, values_of
from strategies import law

MANY = int(os.environ.get("HOSTILE", "0"))
PHASES = (Phase.generate,) if MANY else tuple(Phase)  # with very many inputs, hypothesis does not simplify any
MOST_SECONDS = 2.0  # seconds of computing for one input, if many are tried
hostile = settings(
    law, max_examples=MANY or law.max_examples, phases=PHASES, derandomize=not MANY, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip


@contextmanager
def within_time() -> Iterator[None]:
    """Fail if the `with` block needs more than two seconds of computing.

    The limit counts only if the variable HOSTILE asks for very many inputs. Otherwise, never fail.
    """
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert not MANY or took < MOST_SECONDS, f"{took:.1f} s of computing"


# --- texts ---

ODD = (
    "", " ", "-1", "00", "99", "9" * 40, "1e308", "-1e308", "1e999", "nan", "-inf", "٣", "½", "1_0", "0x10", "1/0",
    "None", "on", "off", "true", "last", ".", "..", "a.0.0", "x.0", "x.0.0", "x.99.99", "\0", "\n", "\t", "\u2028",
    "\u202e", "é", "<b>", "`", "``` ", "$x$", "\\", "{x}", "{", "}}", "%", "&", "=", "#", "[a](b)", ":material/home:",
    ":red[",
    "*" * 60, "[" * 60, "x" * 3000, "1,2;3,4", "1,2", ";", ",", "__class__", "own", "present",
)  # fmt: skip
MARKS = st.sampled_from(
    [*" \n\t,;[](){}<>|&/\\-+.:=\"'$`", "1", "2", "0.5", "x", "e", "é", "∞", "−", "inf", "nan", "e5"]
)
WORDS = st.sampled_from([
    "np.array(", "tensor(", "float(", "\\begin{pmatrix}", "\\end{pmatrix}", "\\begin{", "\\\\", "\\frac{1}{", "<td>",
    "</td>", "<tr>", "<th>a</th>", "structure(", "c(", "list(", "dim = c(2, 2)", "matrix(", "nrow = 2", "x=c(1", "[1,]",
    "Columns 1 through 2:", "[,1]", "A =", "$q", "2×2 Matrix{Float64}:", "1.0e+03 *", "...", '{"a": ', "---|---",
    "[[1, 2], [3, 4]]", "1,5 2,5", "Out[1]:", "torch.Size([2])", "; ", "`", "\n\n", "\ud800", "\U0001f600",
])  # fmt: skip
sides = st.integers(1, 6)
odd_numbers = st.sampled_from(
    [0.0, -0.0, 1.0, 1e-320, 1e154, 1e200, 1e308, -1e308, np.inf, -np.inf, np.nan, 1 / 3, 10_001.0]
)


@st.composite
def matrices(draw, rows=sides, columns=sides):
    """Draw a matrix of rounded random numbers. Now and then, one number is replaced by a special one such as NaN."""
    shape, seed = (draw(rows), draw(columns)), draw(st.integers(0, 99))
    made = np.random.default_rng(seed).normal(scale=draw(st.sampled_from([1, 1, 3, 1e154])), size=shape)
    made = np.round(made, draw(st.integers(0, 4)))
    return _with_an_odd_number(draw, made) if draw(st.integers(0, 3)) == 0 else made


def _with_an_odd_number(draw, matrix):
    changed = np.array(matrix, dtype=float)
    changed.flat[draw(st.integers(0, changed.size - 1))] = draw(odd_numbers)
    return changed


written = st.builds(lambda m, write: FORMATS[write](m), matrices(), st.sampled_from(sorted(FORMATS)))
fragments = st.lists(MARKS | WORDS | written, max_size=12).map("".join)


@st.composite
def pumped(draw, longest=20_000):
    """Draw a text that repeats one part many times: at most about `longest` characters in all repetitions together."""
    part = draw(fragments.filter(bool))
    times = max(1, min(draw(st.sampled_from([1, 3, 100, 10_000])), longest // len(part)))
    return draw(fragments) + part * times + draw(fragments)


@st.composite
def spoiled(draw, texts=written):
    """Draw a text from `texts`, and remove, replace or add a few characters or words."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(MARKS | WORDS | st.just("")) + text[place + draw(st.integers(0, 2)) :]
    return text


pastes = written | spoiled() | fragments | pumped()


# --- links ---

cells = st.builds("{}{}.{}.{}".format, st.sampled_from([*SYMBOLS, "yours", "x_given"]),
                  st.sampled_from(["", ".0", ".7", ".99", "_rows", "_mistake", "_plain", "_yours", ".0.0"]),
                  st.integers(0, 70), st.integers(0, 70))  # fmt: skip


@st.composite
def links(draw, kind: type[Parameters]):
    """Draw a link of a page whose parameters are of class `kind`, as a dictionary of its parameters.

    Most parameters are valid. Others have strange values, several values, or a name that no page knows.
    """
    controls = {name: c for name, c in controls_of(kind).items() if not isinstance(c, MatrixInput)}
    name = draw(st.sampled_from(sorted(EXAMPLES)))
    inputs = matrix_inputs(name, kind)
    chosen = draw(st.lists(st.sampled_from(sorted(controls)), unique=True, max_size=6))
    link = {each: controls[each].encode(draw(values_of(controls[each]))) for each in chosen}
    if inputs:
        edited = draw(st.lists(st.sampled_from(sorted(inputs)), unique=True, max_size=2))
        link |= {each: draw(_rows_of(inputs[each])) for each in edited}
    link |= draw(st.fixed_dictionaries({}, optional={
        "example": st.just(name), "layout": st.sampled_from(["rows", "columns"]), "cell": cells,
        "scene": st.integers(0, 12).map(str), "route": st.sampled_from(["own", "45", *DECLARED]),
        "view": st.just("present"),
    }))  # fmt: skip
    odd = st.dictionaries(
        st.sampled_from([*link, *inputs, "nonsense", "", "é", "task", "text"]), st.sampled_from(ODD), max_size=2
    )
    link |= draw(odd)
    return {each: draw(st.sampled_from([text, text, text, [text, text], [text, "1"]])) for each, text in link.items()}


@st.composite
def _rows_of(draw, control):
    numbers = st.sampled_from(["0", "1", "-1", "0.5", "1e-300", "9999", "-10000", "10000"])
    return ";".join(",".join(draw(numbers) for _ in range(control.columns)) for _ in range(control.rows))


# --- own problems of a visitor, and steps before a result ---

SMALL = [name for name in EXAMPLES if example(name).x.size < 400]
STAGES = ("q", "k", "v", "scores", "scaled", "weights", "output", "mixed", "encoding")


@st.composite
def checks(draw):
    """Draw a link of “Check my matrix”, with a text pasted into each of several fields.

    The texts may be anything, but most of the matrices have shapes that fit.
    """
    link = {
        "source": draw(st.sampled_from(["example", "example", "weights", "queries", "scores"])),
        "asked": draw(st.sampled_from(STAGES)),
        "mask": draw(st.sampled_from(["none", "causal", "causal", "causal_at_end", "padding", "window"])),
        "positions": draw(st.sampled_from(["none", "none", "rotary_pairs", "rotary_halves", "alibi"])),
        "heads": draw(st.sampled_from(["1", "1", "2", "4"])),
        "steps": draw(st.sampled_from(["on", "on", "off"])),
        "layout": draw(st.sampled_from(["rows", "columns"])),
        "example": draw(st.sampled_from(SMALL)),
    }
    factors = st.sampled_from(["1e-155", "-1e-320", "1/10000", "0", "1.0000000001", "10000", "1e308", "-0.5", "2"])
    link |= draw(st.fixed_dictionaries({}, optional={
        "cell": cells, "scale": st.just("own"), "factor": factors, "base": factors, "slope": factors,
        "hidden": st.sampled_from(["1", "2, 3", "99", ""]), "window": st.sampled_from(["1", "2", "16"]),
        "head": st.sampled_from(["0", "1", "2"]), "kv_heads": st.sampled_from(["0", "1", "2"]),
    }))  # fmt: skip
    link |= {name: _text_of(draw(of)) for name, of in _own_matrices(draw).items()}
    steps = draw(st.lists(st.sampled_from([*STAGES[:-2], "concat", "exponents", "angles"]), unique=True, max_size=4))
    link |= {f"given_{stage}": _text_of(draw(_similar_matrices(draw, link["example"], stage))) for stage in steps}
    answer = draw(st.one_of(pastes, _similar_matrices(draw, link["example"], link["asked"]).map(_text_of)))
    return link | {"answer": answer.encode(errors="replace").decode()}  # an address cannot hold half a character


def _own_matrices(draw):
    """Return strategies for a visitor's own matrices, by the name of the field. Most of the matrices fit each other."""
    n, n_k, d, d_k, d_v = (draw(sides) for _ in range(5))
    shapes = {
        "x": (n, d), "w_q": (d, d_k), "w_k": (d, d_k), "w_v": (d, d_v), "b_q": (1, d_k), "b_k": (1, d_k),
        "b_v": (1, d_v), "w_o": (d_v, d), "q": (n, d_k), "k": (n_k, d_k), "v": (n_k, d_v), "scores": (n, n),
    }  # fmt: skip
    chosen = [name for name in shapes if draw(st.integers(0, 9)) < (2 if name in ("b_q", "b_k", "b_v", "w_o") else 9)]
    return {
        f"own_{name}": matrices(*map(st.just, shapes[name])) if draw(st.integers(0, 9)) else matrices()
        for name in chosen
    }


def _similar_matrices(draw, name, stage):
    """Return a strategy for matrices that are similar to the correct result of a step, or quite different.

    `name` is the example, and `stage` is the step.
    """
    right = _right_matrix(name, stage)
    return st.one_of(
        st.just(right),
        st.just(right.T),
        st.just(right + 1),
        st.just(np.tile(right, (1, 2))),
        matrices(),
        st.integers(0, 4).map(lambda decimals: np.round(right, decimals)),
        st.builds(lambda rows, columns: right[:rows, :columns], sides, sides),
        st.just(_with_an_odd_number(draw, right)),
    )


def _right_matrix(name, stage):
    one, several = example(name).attention(), example(name).multi_head()
    of = several if isinstance(several, MultiHeadTrace) and stage in ("mixed", "concat") else one
    return np.atleast_2d(
        getattr(of, {"mixed": "output", "encoding": "q", "exponents": "q", "angles": "k"}.get(stage, stage))
    )


def _text_of(matrix):
    return write_matrix(matrix)[:2000]


# --- files with states and courses ---

leaves = st.sampled_from(
    [*ODD, 1, 2, -1, 1e999, True, None, [], {}, ["1"], {"a": "1"}, "\ud800", "\udfff", "x){}*{display:none}"]
)


def _containers_of(inner):
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(ODD), inner, max_size=3)


ANY_JSON = leaves | _containers_of(leaves) | _containers_of(leaves | _containers_of(leaves | _containers_of(leaves)))


@st.composite
def held_states(draw):
    """Draw the content of a file with the state of a page, as a dictionary.

    It has the entries of a real file, but one of them may be replaced by any JSON value.
    """
    page = draw(st.sampled_from(sorted(KINDS)))
    areas = st.sampled_from([*controls_of(KINDS[page]), "answer", "own_x", "nonsense"])
    held = {
        "page": page,
        "state": {name: text if isinstance(text, str) else text[-1] for name, text in draw(links(KINDS[page])).items()},
        "texts": draw(st.dictionaries(areas, pastes | st.sampled_from(ODD), max_size=2)),
    }
    return held | draw(st.dictionaries(st.sampled_from(["page", "state", "texts"]), ANY_JSON, max_size=1))


@st.composite
def held_scenes(draw):
    """Draw the content of a file with a scene of a lecture, as a dictionary.

    It has the entries of a real file, but some of them may be replaced by any JSON value.
    """
    held = draw(held_states())
    good = {"title": "A", "say": "{x}", "focus": draw(st.sampled_from(["", f"{held['page']}.equation.step1"]))}
    return held | good | draw(st.dictionaries(st.sampled_from([*good, "note"]), ANY_JSON, max_size=1))

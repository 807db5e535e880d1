"""Test formulas: their data gives the numbers of each trace, by another program than the one that wrote them."""

import json
import math

import numpy as np
import pytest

from attention_core import alibi_bias, alibi_slopes, softmax_steps
from attention_core.arithmetic import operands, rules_of
from attention_core.arithmetic.formula_data import MOST_SENT, as_data
from attention_core.arithmetic.formulas import (
    Choice,
    Entry,
    Fixed,
    Formula,
    Grid,
    Index,
    Known,
    letters,
    term_of,
    total,
    whole,
)
from attention_core.arithmetic.position_rules import (
    alibi_rules,
    embedding_rules,
    encoding_rules,
    rope_rules,
    shift_rules,
    similarity_rules,
)
from attention_core.arithmetic.training_rules import kept_rules, training_rules
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.positions import embed_positions
from attention_core.experiments.training import Aim, training_trace
from attention_core.next_word import sample
from attention_core.rotation import rope_scores, shift_pair
from lit_cells import number_at, number_in
from strategies import random_numbers

SMALL = [name for name in EXAMPLES if example(name).w_q.size <= 64]
of_small_examples = pytest.mark.parametrize("name", SMALL)
OF_NUMBERS = {
    "product": math.prod,
    "difference": lambda of: of[0] - of[1],
    "quotient": lambda of: of[0] / of[1],
    "power": lambda of: of[0] ** of[1],
    "exp": lambda of: math.exp(of[0]),
    "log": lambda of: math.log(of[0]),
    "root": lambda of: math.sqrt(of[0]),
    "sin": lambda of: math.sin(of[0]),
    "cos": lambda of: math.cos(of[0]),
    "sum": math.fsum,
    "maximum": max,
    "greatest": lambda of: 0.0 if max(of) == -math.inf else max(of),
    "share": lambda of: of[0] / of[1] if of[1] > 0 else 0.0,
}


def value(term, at, matrices):
    """Return the number of a formula's data. `at` says what each letter stands for, and `matrices` are by id."""
    if not isinstance(term, list):
        return float(term)
    kind, *parts = term
    if kind == "@":
        ids, part, row, column = parts
        return matrices[ids[number_at(part, at)]][number_at(row, at), number_at(column, at)]
    if kind == ":":
        return float(parts[0])
    if kind == "$":
        return float(number_in(parts[0], parts[1], at))
    if kind == "?":
        return value(parts[2 if number_in(parts[0], parts[1], at) else 3], at, matrices)
    return OF_NUMBERS[kind]([number for part in parts for number in values(part, at, matrices)])


def values(term, at, matrices):
    """Yield the numbers that a part of an operation stands for: one, or several if it counts through a letter."""
    if not isinstance(term, list) or term[0] != "#":
        yield value(term, at, matrices)
        return
    _, letter, n, of, *present = term
    for number in range(n):
        inside = {**at, letter: number}
        if all(value(each, inside, matrices) for each in present):
            yield from values(of, inside, matrices)


def id_of(name, part):
    return name if part is None else f"{name}.{part}"


def check_formulas(rules, **more):
    """Check that the data of each formula gives the numbers of its matrix. `more` has matrices without a formula."""
    known = {**{name: values for name, (values, _) in rules.items()}, **more}
    matrices = {
        ".".join([name, *map(str, part)]): np.atleast_2d(values[part])
        for name, values in known.items()
        for part in np.ndindex(values.shape[:-2])
    }
    for name, (numbers, formula) in rules.items():
        *head, row, column = formula.letters if numbers.ndim > 1 else (Index("none"), *formula.letters)
        for part in np.ndindex(numbers.shape[:-2]):
            at = {letter.symbol: n for letter, n in zip(head, part, strict=True)}
            at |= {letter.symbol: own for letter, own in ((row, "i"), (column, "j"))}
            data = json.loads(json.dumps(as_data(formula.pattern, at, id_of)))
            expected = np.atleast_2d(numbers[part])
            found = [value(data, {"i": i, "j": j}, matrices) for i, j in np.ndindex(expected.shape)]
            np.testing.assert_allclose(found, expected.ravel(), rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
@of_small_examples
def test_attention(name, kind):
    this = example(name)
    check_formulas(rules_of(this.attention(mask=this.mask(kind))))
    check_formulas(rules_of(this.multi_head()))


def test_a_row_in_which_everything_is_forbidden():
    this = example("hand")
    mask = np.zeros((len(this.x), len(this.x)), dtype=bool)
    mask[1:, 0] = True
    check_formulas(rules_of(this.attention(mask=mask)))


@pytest.mark.parametrize("axis", [-1, 0, None])
def test_a_softmax(axis):
    check_formulas(rules_of(softmax_steps([[1, 0.5, 3], [1, -np.inf, 7]], axis, 1.5, 2.0)))


@of_small_examples
def test_a_step_of_training(name):
    check_formulas(training_rules(training_trace(example(name), Aim(token=1, target=1))).rules)


def test_positions():
    check_formulas(encoding_rules(5, 6).rules)
    check_formulas(similarity_rules(5, 4).rules)
    check_formulas(shift_rules(shift_pair(2, 3, 1, 8)).rules)
    check_formulas(embedding_rules(embed_positions(random_numbers(3, 4))).rules)
    slopes = alibi_slopes(8)
    check_formulas(alibi_rules(slopes, alibi_bias(8, 3, 4), 2).rules)
    q, k = random_numbers(2, 6), random_numbers(2, 6, seed=1)
    check_formulas(rope_rules(rope_scores(q[1], k[1], 5), 1, 1).rules, q=q, k=k)


def test_the_next_word():
    t = sample([2.0, 1.0, 0.5, 3.0], temperature=2.0)
    check_formulas(kept_rules(t, t.logits[None]), logits=t.logits[None])


# --- parts ---


def test_an_index_is_a_calculation():
    i = Index("i")
    assert [whole(index, {"i": 5}) for index in (7, i, i + 0, i + 2, i * 3, i // 2, i % 2)] == [7, 5, 5, 7, 15, 2, 1]
    assert whole((i % 3).among([4, 8, 6]), {"i": 5}) == 6


def test_a_place_in_a_list_reads_one_cell():
    i, j = letters("i j")
    moved = Formula((i, j), Grid("a", np.array([[1.0], [2.0], [3.0]]))[i.among([2, 0, 1]), j])
    assert operands(moved(1, 0)) == {("a", (0, 0))}
    assert as_data(moved.pattern, {}, id_of) == ["@", ["a"], 0, ["[]", (2, 0, 1), "i"], "j"]


def test_a_large_array_is_not_sent():
    (i,) = letters("i")
    few, many = np.ones(MOST_SENT), np.ones(MOST_SENT + 1)
    assert as_data(Known(few, (i,)), {}, id_of) == ["$", [1.0] * MOST_SENT, ["i"]]
    assert as_data(Known(many, (i,)), {}, id_of) == ["$", None, ["i"]]
    assert as_data(Choice(many > 0, (i,), (Fixed(1.0), Fixed(-math.inf))), {}, id_of) == ["?", None, ["i"], 1.0, "-inf"]


def test_the_head_of_a_formula_is_a_number_or_chooses_an_id():
    h, j = letters("h j")
    grid = Grid("a", np.zeros((2, 3, 4)))
    assert as_data(Entry(grid, (h, 0, j)), {"h": 1}, id_of) == ["@", ["a.1"], 0, 0, "j"]
    assert as_data(grid[j // 4, 0, j % 4], {}, id_of) == ["@", ["a.0", "a.1"], ["//", "j", 4], 0, ["%", "j", 4]]


def test_errors():
    with pytest.raises(TypeError, match="must be one of the kinds of this module"):
        term_of("q", {})  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="must be one of the kinds of this module"):
        as_data("q", {}, id_of)  # pyright: ignore[reportArgumentType]
    n, k = letters("n k")
    with pytest.raises(KeyError):  # a letter that stands for nothing
        term_of(total(n, 2, Grid("q", np.ones((2, 2)))[n, k]), {})

"""Test the rules that say which cells a cell is computed from.

They are derived from a few calculations, and are compared with the calculation of every cell.
"""

import numpy as np
import pytest

from attention_core import alibi_bias, alibi_slopes
from attention_core.arithmetic import CellCalculations, Number, Operation, operands, rules_of
from attention_core.arithmetic.position_rules import (
    alibi_rules,
    average_rules,
    embedding_rules,
    rope_rules,
    shift_rules,
    similarity_rules,
)
from attention_core.arithmetic.training_rules import add_and_norm_rules, path_rules, plain_softmax_rules, training_rules
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.positions import embed_positions
from attention_core.experiments.training import Aim, path_steps, training_trace
from attention_core.normalization import add_and_norm
from attention_core.rotation import rope_scores, shift_pair
from lit_cells import cell_of_page, read_by
from pages.shared.equation.computation import Reads
from strategies import random_numbers

SMALL = [name for name in EXAMPLES if example(name).w_q.size <= 64]


def check_reads(rules, *, coarse=()):
    """Check, cell by cell, that the rules of each matrix name the same cells as its calculation.

    Cells of the matrix itself and of the mask do not count. `rules` holds the values and the calculation of each
    matrix. For a matrix in `coarse`, the rules may name more cells.
    """
    reads = Reads(rules)
    for id, shape in reads.shapes.items():
        name, *part = id.split(".")
        values, rule = rules[name]
        for i, j in np.ndindex(shape):
            read = {cell_of_page(*cell) for cell in operands(rule(*map(int, part), *(i, j)[-values.ndim :]))}
            own = {cell for cell in read if cell[0] in (id, "mask")}
            derived = set().union(*(read_by(rule, i, j, sizes(reads, read)) for rule in reads.of(id)))
            assert derived >= read - own if name in coarse else derived == read - own, (id, i, j)


def sizes(reads, read):
    """Return a dictionary of shapes by the id of the matrix."""
    return {id: (99, 99) for id, *_ in read} | dict(reads.shapes)


@pytest.mark.parametrize("name", SMALL)
def test_heads(name):
    this = example(name)
    check_reads(rules_of(this.attention()))
    check_reads(rules_of(this.multi_head()))


@pytest.mark.parametrize("name", SMALL)
def test_a_step_of_training(name):
    # Only the chosen token has a target, so only its row has a gradient.
    check_reads(training_rules(training_trace(example(name), Aim(token=1, target=1))).rules, coarse=("grad_output",))


def test_what_is_around_a_head():
    check_reads(add_and_norm_rules(add_and_norm(random_numbers(3, 4), random_numbers(3, 4, seed=1))).rules)
    steps = path_steps(example("story"))
    check_reads(path_rules(steps, example("story").w_o).rules)
    check_reads(plain_softmax_rules(steps).rules)
    check_reads(average_rules("losses", random_numbers(5, 3)).rules)


@pytest.mark.parametrize("root", [True, False])
def test_positions(root):
    check_reads(embedding_rules(embed_positions(random_numbers(3, 4), root=root)).rules)
    check_reads(similarity_rules(5, 4).rules)
    check_reads(shift_rules(shift_pair(2, 3, 1, 8)).rules)
    check_reads(alibi_rules(alibi_slopes(8), alibi_bias(8, 3, 4), 2).rules)


def test_a_turned_query_lights_up_the_row_of_which_it_reads_a_pair():
    rules = rope_rules(rope_scores(random_numbers(6), random_numbers(6, seed=1), 5), query_row=2, key_row=1).rules
    assert Reads(rules).of("q_turned") == ("q[2,:]",)
    assert Reads(rules).of("k_turned") == ("k[1,:]",)
    assert Reads(rules).of("scores_turned") == ("k_turned[j,:]", "q_turned[i,:]")


# --- where some cells read nothing ---


@pytest.mark.parametrize("kind", ["causal", "padding"])
@pytest.mark.parametrize("name", SMALL)
def test_a_forbidden_score_reads_what_an_allowed_one_reads(name, kind):
    this = example(name)
    reads = Reads(rules_of(this.attention(mask=this.mask(kind))))
    assert reads.of("masked") == ("scaled[i,j]",)
    assert reads.of("weights") == ("masked[i,:]",)


def test_a_row_in_which_everything_is_forbidden_reads_what_the_others_read():
    this = example("hand")
    mask = np.ones((len(this.x), len(this.x)), dtype=bool)
    mask[0] = False
    assert Reads(rules_of(this.attention(mask=mask))).of("weights") == ("masked[i,:]",)


@pytest.mark.parametrize(("d_v", "written"), [(1, ("a.0[i,j-0]", "a.1[i,j-1]")), (2, ("a.0[i,j-0]", "a.1[i,j-2]"))])
def test_heads_side_by_side_read_their_own_columns(d_v, written):
    parts, whole = np.zeros((2, 3, d_v)), np.zeros((3, 2 * d_v))
    rules = {
        "a": (parts, lambda h, i, j: Number(0.0, "a", (h, i, j))),
        "whole": (whole, lambda i, j: Number(0.0, "a", (j // d_v, i, j % d_v))),
    }
    assert Reads(rules).of("whole") == written
    check_reads(rules)


def test_what_fits_no_rule_is_lit_as_a_whole_line():
    def odd(i, j):
        return Operation("sum", tuple(Number(1.0, "a", (i, column)) for column in range(j % 2, 4, 2)))

    rules = CellCalculations(
        {"a": (np.ones((3, 4)), lambda i, j: Number(1.0, "a", (i, j))), "b": (np.ones((3, 4)), odd)}
    ).rules
    assert Reads(rules).of("b") == ("a[i,:]",)
    assert Reads(rules).of("unknown") == ()

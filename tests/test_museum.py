"""The museum: every cell is run here, and only here, and gives what the core says that it gives."""

import numpy as np
import pytest
import scipy.special

from attention_core.museum import EXHIBITS

of_every_exhibit = pytest.mark.parametrize("this", EXHIBITS, ids=lambda this: this.name)


def run(code, this):
    """What a cell leaves behind, given what it finds."""
    names = {"np": np, "softmax": scipy.special.softmax, **this.found()}
    with np.errstate(all="ignore"):
        exec(compile(code, this.name, "exec"), names)
    return names


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@of_every_exhibit
def test_the_cell_gives_what_the_core_says(this):
    found, outcome = run(this.code, this), this.outcome()
    same(found[this.result], outcome.wrong[this.result])
    for name in {"weights", "concat"} & found.keys() & outcome.wrong.keys():
        if np.shape(found[name]) == outcome.wrong[name].shape:
            same(found[name], outcome.wrong[name])


@of_every_exhibit
def test_the_cell_mended_in_one_line_is_right(this):
    same(run(this.mended, this)[this.result], this.outcome().right[this.result])
    differing = [
        i for i, pair in enumerate(zip(this.lines, this.mended.splitlines(), strict=True), 1) if len({*pair}) > 1
    ]
    assert differing == [this.errs]


@of_every_exhibit
def test_the_mistake_can_be_seen(this):
    assert not this.off < 0.01

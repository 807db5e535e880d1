"""Test the diagnosis on the first set of wrong implementations, whose authors had not seen the catalogue of mistakes.

Most mistakes of a sample are named, and none is called correct.
"""

import numpy as np
import pytest

from attention_core.diagnosis.diagnose import diagnose
from count_named import SETS, answers, correct_trace_of, is_explained, problems
from wrong_implementations import one_head, several_heads

EACH = 3  # every third mistake is tried
ROUNDS = {"rounded_weights", "rounded_to_two"}  # these only round as people do by hand, so they are not mistakes


@pytest.mark.parametrize("name", problems())
def test_the_correct_parts_give_the_output_of_the_core(name):
    p, _ = problems()[name]
    np.testing.assert_allclose(one_head(p)["output"], correct_trace_of(p, "one").output)
    np.testing.assert_allclose(several_heads(p)["output"], correct_trace_of(p, "several").output)


@pytest.mark.long
def test_most_common_mistakes_are_named_and_none_is_called_right():
    common = [wrong for wrong in SETS["first set"][0].values() if wrong.common and wrong.name not in ROUNDS][::EACH]
    tried = [
        diagnose(np.round(answer, 4), right, decimals=4)
        for wrong in common
        for _, answer, right in list(answers(wrong, ["hand", "story, causal", "hand, biases"]))[:1]
    ]
    assert len(tried) >= 30
    assert not any(found.all_correct for found in tried)
    assert sum(map(is_explained, tried)) >= 0.9 * len(tried)

"""Test that one module alone writes numbers as text."""

import ast
from pathlib import Path

import pages.shared
from house_rules import check_rule

SHARED = Path(pages.shared.__file__).parent
SPELLED = ("−∞", r"-\infty", "np.inf")  # a module that contains one of these texts writes numbers as text itself


def texts_for_infinity(path):
    """Return the strings in a Python file that are a text for infinity."""
    constants = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
    return {value for value in constants if value in SPELLED}


def test_only_one_module_spells_numbers():
    spellers = {str(path.relative_to(SHARED)) for path in SHARED.rglob("*.py") if texts_for_infinity(path)}
    assert "notation/numbers.py" in spellers, "the rule finds nothing any more: look for what numbers.py writes now"
    check_rule(
        spellers - {"notation/numbers.py"},
        "Only notation/numbers.py spells numbers.",
        "call one of its functions, or add one there.",
    )

"""Examples: named sets of numbers for attention, and a visitor's own sentence as an example."""

from attention_core.examples.catalogue import EXAMPLES, example
from attention_core.examples.example import MATRICES, Example, FeatureNames

__all__ = ["EXAMPLES", "MATRICES", "Example", "FeatureNames", "example"]

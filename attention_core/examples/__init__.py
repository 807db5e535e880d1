"""Examples: named sets of numbers, and a visitor's own sentence as an example."""

from attention_core.examples.course import EXAMPLES, example
from attention_core.examples.example import MATRICES, Example

__all__ = ["EXAMPLES", "MATRICES", "Example", "example"]

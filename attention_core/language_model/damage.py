"""What was measured once on SmolLM2-135M, as it is shipped."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("damage.json")
FEWER = 4  # sentences for a mistake in one layer alone, and for what is expected from prefixes
MANY = 10  # sentences for a head that is cut
GOES_ON = 10  # tokens with which a model goes on

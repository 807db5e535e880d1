"""Train the induction models for the file of snapshots, and write them with their origin.

`PYTHONPATH=. python tests/tools/make_snapshots.py` takes about half a minute. On another machine the last digits may
differ, because it may round differently.
"""

from __future__ import annotations

import json
import platform
from typing import Any

import numpy as np

from attention_core.induction.training import (
    FILE,
    KEPT,
    MANIFEST,
    ModelId,
    as_thousandths,
    begin,
    fingerprint,
    train_step,
)

ORIGIN = "Trained by this repository’s own code: tests/tools/make_snapshots.py"


def train_models(ids: list[ModelId]) -> dict[str, Any]:
    """Train one model, and return its numbers at the training steps that `ids` name, by the key of each id.

    All ids must have the same seed and the same number of layers.
    """
    training, found = begin(ids[0].seed, ids[0].n_layers), dict[str, Any]()
    for each in sorted(ids, key=lambda each: each.step):
        while training.step < each.step:
            training = train_step(training)
        found[each.key] = as_thousandths(training.vector)
    return found


def main() -> None:
    """Train all models, and write the file of snapshots and its manifest."""
    snapshots = dict[str, Any]()
    for run in dict.fromkeys((each.seed, each.n_layers) for each in KEPT):
        snapshots |= train_models([each for each in KEPT if (each.seed, each.n_layers) == run])
    np.savez(FILE, **snapshots)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()}
    fingerprints = {name: fingerprint(values) for name, values in snapshots.items()}
    manifest = {"origin": ORIGIN, "made_with": versions, "sha256": fingerprints}
    MANIFEST.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

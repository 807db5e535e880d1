"""Real print-outs of matrices from many programs, and the matrices that they show."""

import json

import numpy as np

from notebooks import DATA

FOLDER = DATA / "print_outs"
TRUE = {name: np.array(rows) for name, rows in json.loads((FOLDER / "matrices.json").read_text("utf-8")).items()}
MANIFEST = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.txt"))}

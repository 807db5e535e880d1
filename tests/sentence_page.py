"""“Your sentence” simulated: the matrices on its page."""

import numpy as np

from simulating import equations


def shown(app):
    """The numbers of every matrix of the page, by id."""
    return {item["id"]: np.array(item["values"], dtype=float) for item in items(app)}


def items(app):
    lines = [line for lines in equations(app).values() for line in lines]
    return [item for line in lines for item in line["items"] if "values" in item]


def labels(app):
    return next(item["rowLabels"] for item in items(app) if item["id"] == "x")

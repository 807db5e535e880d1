"""The page “Your sentence” simulated: the matrices on it."""

import numpy as np

from simulating import equations


def values_by_id(app):
    """Return the numbers of every matrix on the page, by the id of the matrix."""
    return {item["id"]: np.array(item["values"], dtype=float) for item in items(app)}


def items(app):
    """Return the data of every matrix on the page."""
    lines = [line for lines in equations(app).values() for line in lines]
    return [item for line in lines for item in line["items"] if "values" in item]


def labels(app):
    """Return the labels of the rows of X, which are the words."""
    return next(item["rowLabels"] for item in items(app) if item["id"] == "x")

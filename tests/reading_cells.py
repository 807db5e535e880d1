"""What a cell's arithmetic reads, and what lights up with it, in the same words."""

import numpy as np

from attention_core.arithmetic import explain, operands
from lighting import Cell, read_by


def lit(matrix, i, j, shapes):
    """The cells, each as (id, row, column), that light up with cell [i, j] where all matrices are shown."""
    return set[Cell]().union(*(read_by(rule, i, j, shapes) for rule in matrix.reads))


def shapes_of(matrices):
    return {matrix.id: matrix.values.shape for matrix in matrices.values()}


def shown(name, index):
    """A cell of the core as it is shown: heads apart, a vector as a row."""
    if len(index) == 1:
        return name, 0, index[0]
    return (".".join([name, *map(str, index[:-2])]), *index[-2:])


def read(trace, name, *index):
    return {shown(*operand) for operand in operands(explain(trace, name, index).term)}


def read_from(trace, name, *index, until):
    """What a calculation reads when that of each operand is put in its place, up to these matrices or given ones."""
    found = set()
    for operand, place in operands(explain(trace, name, index).term):
        cell = shown(operand, place)
        if cell[0] in until:
            found |= {cell}
        elif (operand, place) not in operands(explain(trace, operand, place).term):
            found |= read_from(trace, operand, *place, until=until)
    return found


def cells(matrix):
    return np.ndindex(matrix.values.shape)


def corners(matrix):
    last_row, last_column = (n - 1 for n in matrix.values.shape)
    return {(0, 0), (0, last_column), (last_row, 0), (last_row, last_column)}

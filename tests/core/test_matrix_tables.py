"""Test that tables are read without their markup: labels, headers, lines, tags and quotes.

A table that can be read in two ways is asked about.
"""

import numpy as np
import pytest

from attention_core.reading.matrix_formats import MatrixTextError
from attention_core.reading.matrix_text import read_matrix

TWO = [[1.0, -2.5], [0.0, 0.001]]
TABLES = {
    "CSV, quoted": '"1","-2.5"\n"0","0.001"',
    "CSV, quoted decimal commas": '"1","-2,5"\n"0","0,001"',
    "R, a data frame": "  a      b\n1 1 -2.500\n2 0  0.001",
    "R, write.csv": '"","V1","V2"\n"1",1,-2.5\n"2",0,0.001',
    "CSV, labelled": ",the,cat\nthe,1,-2.5\ncat,0,0.001",
    "a header": "the\tcat\n1\t-2.5\n0\t0.001",
    "labels of rows": "the 1 -2.5\ncat 0 0.001",
    "R": "     [,1]   [,2]\n[1,]    1 -2.500\n[2,]    0  0.001",
    "R, named": "    the    cat\nthe   1 -2.500\ncat   0  0.001",
    "pandas": "   0      1\n0  1 -2.500\n1  0  0.001",
    "pandas, named": "     the    cat\nthe    1 -2.500\ncat    0  0.001",
    "pandas, CSV": ",0,1\n0,1.0,-2.5\n1,0.0,0.001",
    "Octave": "A =\n\n   1.0000  -2.5000\n        0   1.0e-03\n\n",
    "MATLAB, with its last semicolon": "A = [1 -2.5; 0 0.001];",
    "Julia": "2×2 Matrix{Float64}:\n 1.0  -2.5\n 0.0   0.001",
    "Markdown": "| the | cat |\n|---|--:|\n| 1 | -2.5 |\n| 0 | 0.001 |",
    "Markdown, of pandas": "|    |   0 |      1 |\n|---:|----:|-------:|\n|  0 |   1 | -2.5   |\n|  1 |   0 |  0.001 |",
    "HTML": "<table><tr><td>1</td><td>-2.5</td></tr>\n<tr><td>0</td><td>0.001</td></tr></table>",
    "HTML, labelled": "<table>\n<tr><th></th><th>a</th><th>b</th></tr>\n<tr><th>x</th>\n<td>1</td><td>-2.5</td></tr>"
    "<tr><th>y</th><td>0</td><td>0.001</td></tr></table>",
    "JSON": "[[1.0, -2.5],\n [0.0, 0.001]]",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_tables(text):
    np.testing.assert_array_equal(read_matrix(text).values, TWO)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("NA 2\nNA 3", (1, 1), "A cell must hold one number, but this cell holds “NA”"),
        ("O.5 2\nO.6 3", (1, 1), "A cell must hold one number, but this cell holds “O.5”"),
        (
            "       new york  old york\nhead 1  0.5  -1.25\nhead 2  3.0  0.001",
            (2, 1),
            "one number, but this cell holds “head”",
        ),
        ("head 1 2\nhead 2 3", (1, 1), "one number, but this cell holds “head”"),
        ("a b c\n1 2\n3 4", (1, 1), "one number, but this cell holds “a”"),
        ("5,15, 3,43", (1, 1), "what a comma means, but “5,15, 3,43” can .* Write 5.15 3.43 if .*, 5 15 3 43 if"),
        ("0,5 1\n 5,15, 3,43", (2, 2), "It must be clear what a comma means, but “5,15, 3,43”"),
        ("| 1 | 2 |\n|---|---|\n| 3 | 4 |", (1, 1), "It must be clear what the header is, but this header has numbers"),
    ],
)
def test_an_ambiguous_table_is_asked_about(text, place, message):
    with pytest.raises(MatrixTextError, match=message) as caught:
        read_matrix(text)
    assert (caught.value.line, caught.value.column) == place

"""Home: the map of the pipeline, and what the visitor's state has to do with it."""

from simulating import X_5, opened


def stages(app):
    links = [element.proto for element in app.get("page_link")]
    return [link for link in links if link.label[0].isdigit()]


def test_the_map_leads_through_the_pipeline():
    assert [(link.label, link.page, link.query_string) for link in stages(opened("home"))] == [
        ("1 Tokens $X$", "attention", "step=1"),
        ("2 Positions $+\\,PE$", "positional_encoding", ""),
        ("3 Queries, keys, values $Q, K, V$", "queries_keys_values", ""),
        ("4 Scores and mask $Q K^T$", "attention", "step=4"),
        ("5 Scale $\\div\\sqrt{d_k}$", "scaling", ""),
        ("6 Softmax $A$", "softmax_axes", ""),
        ("7 Mix the values $A V$", "attention", "step=8"),
        ("8 Heads $\\text{head}_i$", "multi_head", ""),
        ("9 Output $W^O$", "multi_head", "look=attentions"),
    ]


def test_where_tokens_are_columns_so_are_its_formulas():
    labels = [link.label for link in stages(opened("home", layout="columns"))]
    assert [labels[3], labels[6]] == ["4 Scores and mask $K^T Q$", "7 Mix the values $V A$"]


def test_its_links_take_edits_along():
    links = stages(opened("home", x=X_5))
    assert {"x=" in link.query_string for link in links if link.query_string} == {True}

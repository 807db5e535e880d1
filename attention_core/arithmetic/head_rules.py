"""Calculations with several heads: how each cell is computed, from the projections to the output of all heads."""

from __future__ import annotations

from attention_core.arithmetic.attention_rules import projection_rules, weight_rules
from attention_core.arithmetic.building import block_of, cell_of, column_of, dot, given_rules, row_of, with_bias
from attention_core.arithmetic.terms import Term
from attention_core.arithmetic.worked import Rules
from attention_core.heads import MultiHeadTrace


def head_rules(t: MultiHeadTrace) -> Rules:
    """Return how each cell of attention with several heads is calculated, from the projections to the output.

    The result has a pair for the name of each matrix: the matrix, and a function that takes the index of a cell and
    returns the calculation of this cell.
    """
    w, heads = t.projections, t.heads
    d_k, d_v, group = heads.q.shape[-1], heads.v.shape[-1], t.n_heads // t.n_kv_heads

    def score(h: int, i: int, j: int) -> Term:
        return dot(
            row_of("q", t.q, i, columns=block_of(h, d_k)), row_of("k", t.k, j, columns=block_of(h // group, d_k))
        )

    def head(h: int, i: int, j: int) -> Term:
        return dot(row_of("weights", heads.weights, h, i), column_of("v", t.v, h // group * d_v + j))

    def share(h: int, i: int, j: int) -> Term:
        return dot(row_of("heads", heads.output, h, i), column_of("w_o", w.w_o, j, rows=block_of(h, d_v)))

    def copied(i: int, j: int) -> Term:
        return cell_of("heads", heads.output, j // d_v, i, j % d_v)

    def mixed(i: int, j: int) -> Term:
        return with_bias(dot(row_of("concat", t.concat, i), column_of("w_o", w.w_o, j)), "b_o", w.b_o, j)

    return {
        **given_rules(x=t.x, context=t.context, w_q=w.w_q, w_k=w.w_k, w_v=w.w_v, w_o=w.w_o),
        **given_rules(b_q=w.b_q, b_k=w.b_k, b_v=w.b_v, b_o=w.b_o),
        **projection_rules(t, w.w_q, w.w_k, w.w_v, w.b_q, w.b_k, w.b_v),
        "scores": (heads.scores, score),
        **weight_rules(heads),
        "heads": (heads.output, head),
        "concat": (t.concat, copied),
        "shares": (t.shares, share),
        "output": (t.output, mixed),
    }

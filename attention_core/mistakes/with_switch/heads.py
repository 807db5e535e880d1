"""Mistakes with multi-head attention: heads are cut, scaled or joined in the wrong way."""

from __future__ import annotations

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.with_switch.output_projection import OUTPUT_MISTAKES

HEAD_MISTAKES: tuple[Mistake[MultiHeadTrace], ...] = (
    Mistake(
        name="heads_by_reshape",
        concept="multi_head",
        stage="heads",
        title="The heads are made by reshape alone",
        formula=r"\texttt{q.reshape(n\_heads, n, d)}",
        code="""\
q_heads, k_heads, v_heads = (m.reshape(n_heads, len(m), -1) for m in (q, k, v))
concat = heads.reshape(len(x), -1)""",
        why="The shape is correct, but the numbers are not. Each head has all features of some tokens. It should have "
        "some features of all tokens. Reshape to (n, n_heads, d), and then swap the first two axes.",
        sources=("harvardnlp/annotated-transformer#17", "hyunwoongko/transformer#15"),
    ),
    Mistake(
        name="heads_averaged",
        concept="multi_head",
        stage="concat",
        title="The heads are averaged",
        formula=r"\operatorname{Concat}(\overline{\text{head}}, \ldots, \overline{\text{head}}) \, W^O, \quad "
        r"\overline{\text{head}} = \tfrac{1}{h} \sum_i \text{head}_i",
        code="concat = np.concatenate([heads.mean(axis=0)] * n_heads, axis=1)",
        why="You averaged the outputs of the heads. Put them side by side instead, because each head has its own rows "
        "of W^O.",
        sources=("000-17",),
    ),
    Mistake(
        name="heads_slice_the_input",
        concept="multi_head",
        stage="q",
        title="The heads get slices of the input",
        formula=r"\text{head}_i = \operatorname{attention}(X_i W^Q_i, X_i W^K_i, X_i W^V_i)",
        code="""\
def sliced(m, w):
    return np.concatenate([split(m)[h] @ split(rows)[h] for h, rows in enumerate(np.split(w, n_heads))], axis=1)
q, k, v = sliced(x, w_q) + b_q, sliced(context, w_k) + b_k, sliced(context, w_v) + b_v""",
        why="You split the input, so each head uses only a few features of a token. Project the whole token first. "
        "Then split Q, K and V into blocks of columns, one block for each head.",
        sources=("karpathy/nanoGPT#629", "Kyubyong/transformer#55", "SamLynnEvans/Transformer#4"),
        state="example=story",
    ),
    Mistake(
        name="heads_scaled_by_full_width",
        concept="multi_head",
        stage="scaled",
        title="The heads are scaled by the width of all heads",
        formula=r"\operatorname{softmax}\!\left(\frac{Q_i K_i^\top}{\sqrt{h \, d_k}}\right) \, V_i",
        code="scaled = scores / np.sqrt(q.shape[-1])",
        why="A score of one head is a sum of d_k products, so divide it by √d_k, where d_k is the width of one head. "
        "You divided by too much, so your weights are too equal.",
        sources=("003-18", "karpathy/ng-video-lecture#6", "lucidrains/vit-pytorch#65"),
    ),
    Mistake(
        name="w_i_with_n_rows",
        concept="multi_head",
        stage="q",
        title="Each Wᵢ has a row for each token",
        formula=r"W^Q_i \in \mathbb{R}^{n \times d_k}",
        code="q = x @ w_q.reshape(len(x), -1) + b_q",
        why="Each token is multiplied by the weight matrix, so the matrix has a row for each feature of a token. Its "
        "size does not depend on the number of tokens.",
        sources=("003-15",),
        state="example=square",
    ),
    *OUTPUT_MISTAKES,
)

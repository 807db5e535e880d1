"""Lines of code for a visitor's program. They print all matrices that the page needs, to be pasted at once."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st


class Program(NamedTuple):
    """A kind of program that computes attention: its title, a text about it, and lines of code.

    The lines print its matrices.
    """

    title: str
    about: str
    code: str


_QKV = "Q = {qAT}\\nK = {kAT}\\nV = {vAT}\\nmask = causal\\nscale = {q.shape[-1] ** -0.5}\\noutput = {outputAT}"
_OF_ONE, _OF_FIRST = _QKV.replace("AT", ""), _QKV.replace("AT", "[0, 0]")
_NUMPY = f'np.set_printoptions(threshold=10_000, suppress=True, precision=6)\nprint(f"{_OF_ONE}")'
_TORCH = "torch.set_printoptions(threshold=10_000, sci_mode=False, precision=6, linewidth=10_000)"
PROGRAMS = {
    "numpy": Program("NumPy", "The lines expect q, k, v and output of one head.", _NUMPY),
    "jax": Program("JAX", "The lines expect q, k, v and output of one head. JAX prints as NumPy does.", _NUMPY),
    "function": Program(
        "PyTorch: scaled_dot_product_attention",
        "q, k, v and output have the shape (batch, heads, tokens, width). These lines print the first head of the "
        "first text.",
        f'{_TORCH}\nprint(f"{_OF_FIRST}")',
    ),
    "layer": Program(
        "PyTorch: nn.MultiheadAttention",
        "layer was called with x of the shape (batch, tokens, width), and output is its first result. The bias of W_O, "
        "which this page does not have, is taken off.",
        f"{_TORCH}; (w_q, w_k, w_v), (b_q, b_k, b_v) = layer.in_proj_weight.chunk(3), layer.in_proj_bias.chunk(3)\n"
        'print(f"X = {x[0]}\\nW_q = {w_q.T}\\nW_k = {w_k.T}\\nW_v = {w_v.T}\\nb_q = {b_q}\\nb_k = {b_k}\\n'
        "b_v = {b_v}\\nW_o = {layer.out_proj.weight.T}\\nn_heads = {layer.num_heads}\\n"
        'mask = causal\\noutput = {output[0] - layer.out_proj.bias}")',
    ),
    "transformers": Program(
        "transformers: a layer with rotary positions",
        "attn is such a layer, for example model.model.layers[0].self_attn. It was called with x, and output is its "
        "first result.",
        f'{_TORCH}\nprint("\\n".join(f"{{name}} = {{value.data}}" for name, value in attn.named_parameters()), '
        'f"\\nn_heads = {attn.config.num_attention_heads}\\nn_kv_heads = {attn.config.num_key_value_heads}\\n'
        "mask = causal\\npositions = rotary_halves\\nbase = {attn.config.rope_parameters['rope_theta']}\\n"
        'X = {x[0]}\\noutput = {output[0]}")',
    ),
}


def draw() -> None:
    """Draw a closed expander with lines of code that print the matrices of a program."""
    expander = st.expander(
        "From a program: two lines that print everything",
        icon=":material/print:",
        key="from_program",
        on_change="rerun",
    )
    if not expander.open:
        return
    with expander:
        chosen = PROGRAMS[st.selectbox("Your program uses", PROGRAMS, format_func=lambda name: PROGRAMS[name].title)]
        st.markdown(
            f"{chosen.about} Change `mask = causal` if you have another mask. Paste what they print as your result."
        )
        st.code(chosen.code, language=None, wrap_lines=True)  # the highlighter’s colours lack contrast

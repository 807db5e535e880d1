"""Gradients: how much the result grows when each number grows a little (the backward pass, here called the way back).

Each function takes a trace and what arrives at its output, and returns every gradient on the way back to its inputs.
Nothing is recorded and nothing is hidden: a longer way back is one function called after the other, last step first.

A field grad_NAME is what reaches NAME: the derivative, by each of its numbers, of Σ upstream · output. Where an
input was shared, by broadcasting or by several readers, what reaches it is the sum of what reaches each use.
"""

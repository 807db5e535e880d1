"""Gradients: how fast the result grows with each number, computed by the backward pass.

Each function takes a trace and the gradient of its output (`upstream`), and returns the gradients of all steps back to
its inputs. A longer backward pass calls several such functions, beginning with that of the last step.

A field grad_NAME is the gradient of NAME: the derivative of Σ upstream · output by each number of NAME. If an input was
used several times, by broadcasting or by several later steps, its gradient is the sum over all uses.
"""

"""Induction: a model of two heads that learns, while one watches, to copy what followed a symbol before.

The model has two layers of attention and nothing else: no feed-forward layers, no norms. It is trained on sequences
that repeat parts of themselves. The head of its first layer learns to look one place back; that of its second one
learns to look for the place that comes after an earlier time of the current symbol.

Source: Olsson et al. 2022, arXiv:2209.11895; Elhage et al. 2021, “A mathematical framework for transformer circuits”.
"""

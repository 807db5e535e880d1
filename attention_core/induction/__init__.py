"""A model with two heads that learns, while the visitor watches, to copy the symbol that followed an earlier one.

The model has two layers of attention and nothing else: no feed-forward layers, no norms. It is trained on sequences
that repeat parts of themselves. The head of the first layer learns to attend to the symbol before. The head of the
second layer learns to attend to the symbol that came after an earlier occurrence of the current symbol.

Source: Olsson et al. 2022, arXiv:2209.11895; Elhage et al. 2021, “A mathematical framework for transformer circuits”.
"""

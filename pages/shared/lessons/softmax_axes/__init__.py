"""The code of the page “Softmax axes”."""

"""The code of the page “A step of training”: its equations, the state of the training, and texts about it."""

"""A step of training: its equations, the state of the training, and the sentences about it."""

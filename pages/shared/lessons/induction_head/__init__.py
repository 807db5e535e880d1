"""An induction head in training: models from a file or trained here, their equations and explanations."""

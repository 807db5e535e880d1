"""Practice: a task on every concept page, filled in by the learner, and the mistake named."""

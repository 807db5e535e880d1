"""“Try it”: a task on every concept page, which the learner fills in, and the name of the mistake in a wrong answer."""

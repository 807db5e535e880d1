"""“Try it”: a task on every concept page.

The learner fills in a matrix, and the app names the mistake in a wrong answer.
"""

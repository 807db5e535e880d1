"""“Try it”: a task on every concept page. The learner fills it in, and the app names the mistake in a wrong answer."""

"""Run a mistake: compute a trace from the steps of a correct computation in which some lines of code are changed."""

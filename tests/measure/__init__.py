"""Programs that measure: `python tests/measure` lists them, and `python tests/measure NAME` runs one."""

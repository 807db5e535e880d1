"""Tasks for “Try it”: problems for pencil and paper. A seed gives the same task on every machine."""

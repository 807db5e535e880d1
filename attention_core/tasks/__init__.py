"""Tasks for “Try it”: problems for pencil and paper, made from a seed."""

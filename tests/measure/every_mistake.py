"""Whether each mistake can be named in each problem: `python tests/measure every_mistake` checks every wrong result.

For each setting of “Check my matrix” and each mistake that is possible in it, the result that the mistake gives is
pasted, and the page's verdict is drawn. `--part=2/8` takes the second of eight parts of the problems.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from argparse import ArgumentParser

import numpy as np

import serving  # noqa: F401  # it adds the folder of the project to the path

# isort: split
from named_mistakes import draw_verdict, problems, wrong_results


def main() -> None:
    logging.disable(logging.WARNING)  # Streamlit warns that no browser is there
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="1/1", help="such as 2/8: the second of eight parts of the problems")
    nth, parts = map(int, parser.parse_args().part.split("/"))
    drawn, failed, began = 0, dict[str, str](), time.monotonic()
    for link in problems()[nth - 1 :: parts]:
        for mistake, wrong in wrong_results(link):
            drawn += 1
            try:
                with np.errstate(all="ignore"):
                    draw_verdict(link, wrong)
            except Exception as error:  # a program that looks for every exception
                place = traceback.extract_tb(error.__traceback__)[-1]
                kind = f"{type(error).__name__} in {place.name}, line {place.lineno}: {error}"
                failed.setdefault(kind, f"{mistake}, {link}")
    print(f"{drawn} wrong results in {time.monotonic() - began:.0f} s, {len(failed)} kinds of exceptions")
    for kind, first in failed.items():
        print(f"  {kind}\n    first: {first}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
